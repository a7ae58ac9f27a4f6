package cleave.server.policy;

/**
 * The rate of something per second, as an average in which counts from a half-life ago weigh half. Confined to the range's loop.
 *
 * <p>A young average is the plain mean of its life: it is right at once, and does not climb for minutes to a rate that was there all the
 * time.
 */
final class DecayingRate {
    private final double halfLifeNanos;
    private double perSecond;
    private double ageNanos;

    DecayingRate(long halfLifeNanos) {
        this.halfLifeNanos = halfLifeNanos;
    }

    /** Adds the count of the time since the previous count, which is above 0. */
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
