package cleave.dfs.bookkeeper.state;

import cleave.dfs.Dfs.Space;

/**
 * The numbers of bookies. Immutable.
 *
 * @param writable that accept new entries
 * @param readOnly that are up, but accept none because their disks are full
 */
public record Bookies(int writable, int readOnly) {
    /** Copies of each entry. */
    public static final int COPIES = 3;

    /**
     * Copies that must be on stable storage before an entry is acknowledged. With all three, a ledger would break with any one bookie; with one, an
     * acknowledged entry could be lost with one disk.
     */
    public static final int ACKNOWLEDGED = 2;

    /** Whether a failed bookie of a ledger can be replaced. */
    public boolean hasSpares() {
        return writable > COPIES;
    }

    /** Bookies that are down are no matter of space. */
    public Space space() {
        if (readOnly == 0 || writable >= COPIES) {
            return Space.ROOMY;
        }
        return writable >= ACKNOWLEDGED ? Space.LOW : Space.FULL;
    }
}
