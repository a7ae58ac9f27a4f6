package cleave.server.policy;

/**
 * How much there is of something a second, as an average in which what was counted a half-life ago weighs half. Confined to the
 * range's loop.
 *
 * <p>A young average is the plain mean of its life: it is true at once, and does not climb for minutes to what was there all the
 * time.
 */
final class DecayingRate {
    private final double halfLifeNanos;
    private double perSecond;
    private double ageNanos;

    DecayingRate(long halfLifeNanos) {
        this.halfLifeNanos = halfLifeNanos;
    }

    /** Takes in what was counted in the time since the count before, which is above 0. */
    void count(long counted, long elapsedNanos) {
        ageNanos += elapsedNanos;
        double decayed = 1 - StrictMath.exp(-elapsedNanos / halfLifeNanos * 0.6931471805599453);
        double weight = Math.max(decayed, elapsedNanos / ageNanos);
        perSecond += weight * (counted * 1e9 / elapsedNanos - perSecond);
    }

    double perSecond() {
        return perSecond;
    }
}
