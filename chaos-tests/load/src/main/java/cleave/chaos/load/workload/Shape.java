package cleave.chaos.load.workload;

/**
 * The entities that are loaded before a run. Immutable.
 *
 * @param rows of each partition
 * @param buckets of {@link Layout#TIME_BUCKETS}; {@code partitions} is a multiple of it
 * @param entityBytes approximate size of an entity as JSON
 */
public record Shape(int partitions, int rows, int buckets, int entityBytes) {
    /** The number of loaded entities. */
    public long items() {
        return (long) partitions * rows;
    }
}
