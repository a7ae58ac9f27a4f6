package cleave.frontend.protocol.odata;

/**
 * How the JSON of one answer is to be written. Immutable.
 *
 * @param table the entities' table, its name as in the address
 */
public record JsonAnswer(BaseUri base, String table, MetadataLevel level, Selection selection) {
    /** The value of {@code odata.metadata}. */
    String metadata(String kind) {
        return base.text() + "/$metadata#" + table + kind + selection.ofMetadata();
    }
}
