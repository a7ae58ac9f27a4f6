package cleave.frontend.routing;

/** How much of the key space a query must examine, cheapest first. */
public enum QueryClass {
    /** One entity: both keys are given. */
    POINT("point"),
    /** A part of one partition: the PartitionKey is given and RowKey is bounded. */
    ROW_RANGE("row-range"),
    /** PartitionKey is bounded: one whole partition, or several. */
    PARTITION_RANGE("partition-range"),
    /** The whole table. */
    TABLE_SCAN("table-scan");

    private final String label;

    QueryClass(String label) {
        this.label = label;
    }

    /** Its name in {@code x-cleave-explain} and the metrics. */
    public String label() {
        return label;
    }
}
