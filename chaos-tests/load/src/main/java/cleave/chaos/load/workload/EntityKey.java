package cleave.chaos.load.workload;

/** PartitionKey and RowKey of an entity. Immutable. */
public record EntityKey(String partition, String row) {
    @Override
    public String toString() {
        return "PartitionKey '" + partition + "', RowKey '" + row + "'";
    }
}
