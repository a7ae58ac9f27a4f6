package cleave.server.state;

/** What a table is called. Immutable. */
public record TableName(String account, String table) {}
