package cleave.board.frame;

/**
 * A cluster at one moment, or over the time that a folded frame covers. Immutable.
 *
 * @param n ordinal, one more each
 * @param t the end of what it covers, milliseconds since 1970 by the board's clock
 * @param span milliseconds that it covers
 * @param stale why the cluster could not be asked; then nothing else is known. Empty: it could
 * @param ranges how many there are
 */
public record Frame(
        long n, long t, long span, String stale, Axis axis, Cells cells, Parties parties, int ranges, Told told) {
    public Frame {
        if (cells.buckets() != axis.buckets()) {
            throw new IllegalArgumentException(cells + " for " + axis.buckets() + " buckets");
        }
    }

    /** Nothing is known of this moment. */
    public static Frame stale(long n, long t, long span, String why) {
        return new Frame(n, t, span, why, Axis.NONE, Cells.NONE, Parties.NONE, 0, Told.NOTHING);
    }

    public boolean isStale() {
        return !stale.isEmpty();
    }

    public Frame withCells(Cells other) {
        return new Frame(n, t, span, stale, axis, other, parties, ranges, told);
    }

    public Frame withTold(Told other) {
        return new Frame(n, t, span, stale, axis, cells, parties, ranges, other);
    }
}
