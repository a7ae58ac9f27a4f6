package cleave.frontend.routing;

/** How much of the key space a query must examine, cheapest first. */
public enum QueryClass {
    /** One entity: both keys are given. */
    POINT,
    /** A part of one partition: the PartitionKey is given and RowKey is bounded. */
    ROW_RANGE,
    /** PartitionKey is bounded: one whole partition, or several. */
    PARTITION_RANGE,
    /** The whole table. */
    TABLE_SCAN
}
