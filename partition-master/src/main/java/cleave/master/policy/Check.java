package cleave.master.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A condition that stands against a handoff, or does not. A rule decides by it and explains itself by it, so its
 * explanations are true. Immutable.
 *
 * @param said what there is to say about the condition while it stands
 */
record Check<T>(WhyNot.Reason reason, Predicate<T> stands, Function<T, Said> said) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MIB = 1 << 20;

    /** The content of a {@link WhyNot}. */
    record Said(String text, List<Figure> figures, @Nullable Long untilNanos) {
        static Said of(String text, Figure... figures) {
            return new Said(text, List.of(figures), null);
        }

        static Said until(long nanos, String text, Figure... figures) {
            return new Said(text, List.of(figures), nanos);
        }
    }

    static <T> boolean anyStands(List<Check<T>> checks, T asked) {
        for (Check<T> check : checks) {
            if (check.stands().test(asked)) {
                return true;
            }
        }
        return false;
    }

    /** Those that stand, in their order. */
    static <T> List<WhyNot> standing(HandoffPlan.Kind of, List<Check<T>> checks, T asked) {
        List<WhyNot> standing = new ArrayList<>();
        for (Check<T> check : checks) {
            if (check.stands().test(asked)) {
                Said said = check.said().apply(asked);
                standing.add(new WhyNot(of, check.reason(), said.text(), said.figures(), said.untilNanos()));
            }
        }
        return standing;
    }

    /** {@code 1234 entities/s}. */
    static String rate(double entities) {
        return Math.round(entities) + " entities/s";
    }

    /** {@code 3.5 MiB}. */
    static String size(double bytes) {
        return Math.round(bytes / MIB * 10) / 10.0 + " MiB";
    }

    /** {@code 30 s}, at least one. */
    static String seconds(long nanos) {
        return Math.max(1, Math.round(nanos / NANOS_PER_SECOND)) + " s";
    }
}
