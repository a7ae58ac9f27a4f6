package cleave.chaos.fault;

import java.util.List;
import java.util.Locale;

/** Durations in order. Immutable. */
record Distribution(List<Long> nanos) {
    private static final double NANOS_PER_MILLI = 1e6;

    static Distribution of(List<Long> nanos) {
        return new Distribution(nanos.stream().sorted().toList());
    }

    int count() {
        return nanos.size();
    }

    /** In milliseconds, what this share did not exceed; 0 if there are none. */
    double millis(double share) {
        int rank = (int) Math.ceil(share * nanos.size());
        return nanos.isEmpty() ? 0 : nanos.get(Math.max(0, rank - 1)) / NANOS_PER_MILLI;
    }

    /** Cells of a table: p50, p90, p99 and the longest. */
    String cells() {
        return String.format(
                Locale.ROOT, "%.1f | %.1f | %.1f | %.1f", millis(0.5), millis(0.9), millis(0.99), millis(1));
    }
}
