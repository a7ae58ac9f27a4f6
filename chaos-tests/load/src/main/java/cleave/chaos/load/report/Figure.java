package cleave.chaos.load.report;

import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A figure of a load that a {@link Condition} can limit, of one action or of all. Stateless. */
public enum Figure {
    P50("p50", 50),
    P90("p90", 90),
    P99("p99", 99),
    P999("p99.9", 99.9),
    P9999("p99.99", 99.99),
    MAX("max", 100),
    /** Operations that failed. */
    ERRORS("errors", 0),
    /** Operations per second that ended as they should. */
    RATE("rate", 0),
    /** Entities that {@code --verify} found lost or wrong. */
    WRONG("wrong", 0);

    private final String title;
    private final double percentile;

    Figure(String title, double percentile) {
        this.title = title;
        this.percentile = percentile;
    }

    static Optional<Figure> of(String title) {
        return Arrays.stream(values())
                .filter(figure -> figure.title.equals(title))
                .findFirst();
    }

    /** All names, for people. */
    static String titles() {
        return Arrays.stream(values()).map(figure -> figure.title).collect(Collectors.joining(", "));
    }

    boolean isLatency() {
        return percentile > 0;
    }

    /** True if a service is worse the greater it is. */
    boolean isWorseAbove() {
        return this != RATE;
    }

    /** The units that a limit may have; an empty one stands for a plain number. */
    String units() {
        return switch (this) {
            case ERRORS -> "a number of operations, or a percentage such as 0.1%";
            case RATE -> "operations per second, such as 950 or 950/s";
            case WRONG -> "a number of entities";
            case P50, P90, P99, P999, P9999, MAX -> "a time with its unit, such as 800us, 50ms or 1.5s";
        };
    }

    /** How many operations a load needs, so that this figure is more than the chance of a few: ten beyond the percentile. */
    double operationsNeeded() {
        return percentile == 0 || this == MAX ? 0 : Math.rint(10 / (1 - percentile / 100));
    }

    /**
     * Its value: milliseconds, operations per second, or a number.
     *
     * @param action null for all
     * @return empty if the load has none, such as a latency if nothing succeeded
     */
    OptionalDouble in(Summary summary, @Nullable Action action) {
        Count count = action == null ? summary.total() : summary.counts().getOrDefault(action, Count.NONE);
        if (isLatency()) {
            Histogram latency = action == null ? summary.latency() : summary.latency(action);
            return latency.getTotalCount() == 0
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(Latencies.millis(latency, percentile));
        }
        if (this == WRONG) {
            Summary.Verified verified = summary.verification();
            return verified.isAsked() && verified.failure().isEmpty()
                    ? OptionalDouble.of((double) verified.wrong())
                    : OptionalDouble.empty();
        }
        if (this == RATE) {
            return OptionalDouble.of(count.done() / summary.seconds());
        }
        return count.operations() == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) count.failed());
    }

    /** A value for people. */
    String text(double value) {
        return switch (this) {
            case ERRORS, WRONG -> String.format(Locale.ROOT, "%,.0f", value);
            case RATE -> String.format(Locale.ROOT, "%,.1f/s", value);
            case P50, P90, P99, P999, P9999, MAX -> String.format(Locale.ROOT, "%,.2f ms", value);
        };
    }

    /** The name that people type. */
    @Override
    public String toString() {
        return title;
    }
}
