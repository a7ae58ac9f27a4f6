package cleave.server.state;

/**
 * The approximate size of a table's part in a store. Immutable.
 *
 * @param table its id, or {@link #OTHERS}
 * @param account whose part of the registry it is; empty: of another table, or of accounts that were not counted separately
 * @param bytes that its entities take
 * @param entities about how many there are
 */
public record TableSize(long table, String account, long bytes, long entities) {
    /** Stands for all tables that were not counted separately. The id of no table. */
    public static final long OTHERS = -1;

    /** The size of a table other than the registry, or of no single account's part of it. */
    public TableSize(long table, long bytes, long entities) {
        this(table, "", bytes, entities);
    }

    public TableSize plus(TableSize more) {
        return new TableSize(table, account, bytes + more.bytes, entities + more.entities);
    }
}
