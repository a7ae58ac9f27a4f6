package cleave.chaos.load.run;

/**
 * The search for the greatest rate that a service keeps up with: each step is put on at {@link #rate}, and its outcome gives the next state.
 * Doubles the rate until one breaks, or halves it until one is kept, and then bisects between the two. A rate is broken only if two steps in
 * a row break it, because one may have met a pause that has nothing to do with it. Immutable and pure.
 *
 * @param rate of the next step, in operations per second; 0: the search has ended
 * @param kept the greatest rate that was kept; 0: none so far
 * @param broken the least rate that broke; infinite: none so far
 * @param least no lower rate is tried
 * @param isRepeated true if the step before was at the same rate, and broke it
 */
public record RateSearch(double rate, double kept, double broken, double least, boolean isRepeated) {
    /** The search ends when the broken rate exceeds the kept one by no more than this share. */
    public static final double PRECISION = 0.05;

    private static final double LEAST_SHARE = 0.1;

    /** Begins at a rate; no rate below a tenth of it is tried. */
    public static RateSearch from(double first) {
        return new RateSearch(first, 0, Double.POSITIVE_INFINITY, first * LEAST_SHARE, false);
    }

    public boolean isEnded() {
        return rate == 0;
    }

    /** The state after a step at {@link #rate}. */
    public RateSearch after(boolean isKept) {
        if (!isKept && !isRepeated) {
            return new RateSearch(rate, kept, broken, least, true);
        }
        double nowKept = isKept ? rate : kept;
        double nowBroken = isKept ? broken : rate;
        return new RateSearch(next(nowKept, nowBroken, least), nowKept, nowBroken, least, false);
    }

    private static double next(double kept, double broken, double least) {
        if (Double.isInfinite(broken)) {
            return kept * 2;
        }
        if (kept == 0) {
            return broken / 2 < least ? 0 : broken / 2;
        }
        return broken <= kept * (1 + PRECISION) ? 0 : (kept + broken) / 2;
    }
}
