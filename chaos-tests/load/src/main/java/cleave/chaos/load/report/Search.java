package cleave.chaos.load.report;

import cleave.chaos.load.run.RateSearch;
import cleave.chaos.load.run.Schedule;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The outcome of a search for the greatest rate that keeps some conditions. Immutable.
 *
 * @param conditions as they were typed
 * @param rate the greatest that kept them; 0: none did
 * @param broken the least above it that broke them
 * @param tries one for each step, in their order
 */
public record Search(List<String> conditions, double rate, double broken, List<Try> tries) {
    private static final int RATE_WIDTH = 10;

    public Search {
        conditions = List.copyOf(conditions);
        tries = List.copyOf(tries);
    }

    /**
     * A step. Immutable.
     *
     * @param found the figures of the conditions
     */
    public record Try(double rate, boolean isKept, String found) {
        /** Such as {@code 400/s: kept, p99 is 3.10 ms}. */
        @Override
        public String toString() {
            return Schedule.text(rate) + "/s: " + (isKept ? "kept, " : "broken, ") + found;
        }
    }

    public boolean isFound() {
        return rate > 0;
    }

    private String limits() {
        return String.join(" and ", conditions);
    }

    /** The result in one sentence. */
    String result() {
        return isFound()
                ? String.format(
                        Locale.ROOT,
                        "The greatest rate that keeps %s is %s/s, to %.0f%%: %s/s breaks it.",
                        limits(),
                        Schedule.text(rate),
                        RateSearch.PRECISION * 100,
                        Schedule.text(broken))
                : String.format(
                        Locale.ROOT,
                        "NO RATE KEEPS %s: %s/s breaks it, too. Give a lower --rate to begin with.",
                        limits(),
                        Schedule.text(broken));
    }

    /** The result, and the tries by their rates. */
    List<String> lines() {
        return Stream.concat(
                        Stream.of(result()),
                        tries.stream()
                                .sorted((one, other) -> Double.compare(one.rate(), other.rate()))
                                .map(each -> " "
                                                .repeat(Math.max(
                                                        0,
                                                        RATE_WIDTH
                                                                - Schedule.text(each.rate())
                                                                        .length()))
                                        + each))
                .toList();
    }
}
