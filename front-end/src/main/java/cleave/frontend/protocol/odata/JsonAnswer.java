package cleave.frontend.protocol.odata;

/**
 * The form of the JSON of a response. Immutable.
 *
 * @param table the name of the table, as in the address
 */
public record JsonAnswer(BaseUri base, String table, MetadataLevel level, Selection selection) {
    /** The value of {@code odata.metadata}. */
    String metadata(String kind) {
        return base.text() + "/$metadata#" + table + kind + selection.ofMetadata();
    }
}
