package cleave.server.state;

/**
 * About how much of a table a store holds. Immutable.
 *
 * @param table its id, or {@link #OTHERS}
 * @param account whose part of the registry it is; empty: of another table, or of accounts that were not told apart
 * @param bytes that its entities take
 * @param entities about how many there are
 */
public record TableSize(long table, String account, long bytes, long entities) {
    /** Stands for all tables that were not told apart. The id of no table. */
    public static final long OTHERS = -1;

    /** Of no account. */
    public TableSize(long table, long bytes, long entities) {
        this(table, "", bytes, entities);
    }

    public TableSize plus(TableSize more) {
        return new TableSize(table, account, bytes + more.bytes, entities + more.entities);
    }
}
