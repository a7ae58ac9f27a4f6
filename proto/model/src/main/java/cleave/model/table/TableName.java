package cleave.model.table;

/** What a table is called. Immutable. */
public record TableName(String account, String table) {}
