package cleave.frontend.protocol.odata;

/**
 * Which entities an answer shows, and what of them. Immutable.
 *
 * @param table the name of the table, as in the address
 */
public record EntityView(BaseUri base, String table, Selection selection) {}
