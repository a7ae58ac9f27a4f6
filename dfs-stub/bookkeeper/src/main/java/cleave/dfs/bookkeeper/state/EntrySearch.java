package cleave.dfs.bookkeeper.state;

/**
 * The search for the entry that holds the byte at an offset. Each entry contains where it ends, so a few reads find it. Immutable.
 *
 * @param low the entry is this one or a later one
 * @param lowStart where it begins
 * @param high the entry is this one or an earlier one
 * @param highEnd where it ends
 */
public record EntrySearch(long low, long lowStart, long high, long highEnd) {
    public boolean isOver() {
        return low >= high;
    }

    /**
     * The entry to look at next.
     *
     * @param attempt every other one halves, so that no distribution of lengths makes the search linear
     */
    public long guess(long offset, int attempt) {
        long between = high - low;
        if (attempt % 2 != 0 || highEnd <= lowStart) {
            return low + between / 2;
        }
        double share = (offset - lowStart) / (double) (highEnd - lowStart);
        return low + Math.max(0, Math.min(between, (long) (share * (between + 1))));
    }

    /** The search after a look at an entry. */
    public EntrySearch narrowed(long entry, long start, long end, long offset) {
        if (offset < start) {
            return new EntrySearch(low, lowStart, entry - 1, start);
        }
        return offset < end
                ? new EntrySearch(entry, start, entry, end)
                : new EntrySearch(entry + 1, end, high, highEnd);
    }
}
