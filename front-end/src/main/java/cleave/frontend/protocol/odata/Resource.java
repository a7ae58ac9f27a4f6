package cleave.frontend.protocol.odata;

/** The resource of an address. Immutable. Names of tables are as in the address: not checked, in their case. */
public sealed interface Resource {
    /** {@code /}: the service itself. */
    record ServiceRoot() implements Resource {}

    /** {@code /Tables}: all tables. */
    record Tables() implements Resource {}

    /** {@code /Tables('name')}: one table. */
    record Table(String name) implements Resource {}

    /** {@code /name}: the entities of one table. */
    record EntitySet(String table) implements Resource {}

    /** {@code /name(PartitionKey='pk',RowKey='rk')}: one entity. */
    record EntityAddress(String table, String partitionKey, String rowKey) implements Resource {}

    /** {@code /$batch}. */
    record Batch() implements Resource {}

    /** {@code /name/more}: nothing. What is more counts for nothing. A client whose endpoint ends with a table's name addresses this. */
    record BelowTable(String table) implements Resource {
        /** The service inserts what is posted here into the table. */
        @Override
        public Resource meantBy(Method method) {
            return method == Method.POST ? new EntitySet(table) : this;
        }
    }

    /** The resource that a request with this method means by the address. */
    default Resource meantBy(Method method) {
        return this;
    }
}
