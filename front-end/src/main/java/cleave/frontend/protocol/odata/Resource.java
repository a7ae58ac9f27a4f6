package cleave.frontend.protocol.odata;

/** What an address names. Immutable. Names of tables are as written: not checked, their case kept. */
public sealed interface Resource {
    /** {@code /}: the service itself. */
    record ServiceRoot() implements Resource {}

    /** {@code /Tables}: all tables. */
    record Tables() implements Resource {}

    /** {@code /Tables('name')}: one table, as a thing. */
    record Table(String name) implements Resource {}

    /** {@code /name}: the entities of one table. */
    record EntitySet(String table) implements Resource {}

    /** {@code /name(PartitionKey='pk',RowKey='rk')}: one entity. */
    record EntityAddress(String table, String partitionKey, String rowKey) implements Resource {}

    /** {@code /$batch}. */
    record Batch() implements Resource {}
}
