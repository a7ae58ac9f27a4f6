package cleave.server.state;

/**
 * About how much of a table a store holds. Immutable.
 *
 * @param table its id, or {@link #OTHERS}
 * @param bytes that its entities take
 * @param entities about how many there are
 */
public record TableSize(long table, long bytes, long entities) {
    /** Stands for all tables that were not told apart. The id of no table. */
    public static final long OTHERS = -1;

    public TableSize plus(TableSize more) {
        return new TableSize(table, bytes + more.bytes, entities + more.entities);
    }
}
