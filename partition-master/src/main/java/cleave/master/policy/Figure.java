package cleave.master.policy;

/**
 * A number with its unit, or a text, on which a decision rests. Immutable.
 *
 * @param value 0 for a text
 * @param unit empty for a count, and for a text
 * @param text of what is not a number; else empty
 */
public record Figure(String name, double value, String unit, String text) {
    private static final double NANOS_PER_SECOND = 1e9;

    static Figure entities(String name, double perSecond) {
        return new Figure(name, perSecond, "entities/s", "");
    }

    static Figure bytes(String name, double bytes) {
        return new Figure(name, bytes, "bytes", "");
    }

    static Figure seconds(String name, long nanos) {
        return new Figure(name, nanos / NANOS_PER_SECOND, "s", "");
    }

    static Figure count(String name, long count) {
        return new Figure(name, (double) count, "", "");
    }

    /** @param share 0.25 is 25% */
    static Figure percent(String name, double share) {
        return new Figure(name, share * 100, "%", "");
    }

    static Figure text(String name, Object text) {
        return new Figure(name, 0, "", text.toString());
    }
}
