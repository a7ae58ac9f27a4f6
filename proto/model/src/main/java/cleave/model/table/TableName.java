package cleave.model.table;

/** The name of a table, with its account. Immutable. */
public record TableName(String account, String table) {}
