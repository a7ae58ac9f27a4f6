package cleave.chaos.pods;

import cleave.chaos.fault.Trouble;
import cleave.chaos.history.History;
import cleave.chaos.history.HistoryVerdict;
import cleave.chaos.history.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What clients saw of events, and how soon all pods were ready again. Immutable.
 *
 * @param troubles requests that failed
 * @param verdict on the history of all clients: whether every acknowledged write was read back
 */
record Availability(List<Seen> events, History history, List<Trouble> troubles, HistoryVerdict verdict) {
    private static final int TROUBLES_SHOWN = 20;

    /**
     * One event.
     *
     * @param goal what is wanted; nothing fails if it is missed
     * @param until when all pods were ready and all ranges took writes again
     * @param ready how long after the beginning all pods were ready
     * @param starts of the pods that are new since, by name
     */
    record Seen(String event, String goal, long from, long until, Duration ready, Map<String, Pod.Start> starts) {
        /** How each new pod came to be ready. */
        private List<String> timeline() {
            return starts.entrySet().stream()
                    .map(entry -> event + ": " + entry.getKey() + " began after "
                            + since(entry.getValue().launched()) + ", answered after "
                            + since(entry.getValue().answered()) + ", was ready after "
                            + since(entry.getValue().ready()) + ", with "
                            + seconds(entry.getValue().processor()) + " of processor time")
                    .toList();
        }

        private String since(long nanos) {
            return seconds(Duration.ofNanos(nanos - from));
        }
    }

    private Duration longestStall(Seen event) {
        long longest = 0;
        for (Operation operation : history.operations()) {
            if (operation.call().invoked() < event.until() && operation.call().returned() > event.from()) {
                longest = Math.max(
                        longest, operation.call().returned() - operation.call().invoked());
            }
        }
        return Duration.ofNanos(longest);
    }

    private List<Trouble> troublesOf(Seen event) {
        return troubles.stream()
                .filter(trouble -> trouble.call().invoked() < event.until()
                        && trouble.call().returned() > event.from())
                .toList();
    }

    /** Whether nothing failed, and nothing that was acknowledged is lost. */
    boolean isRight() {
        return troubles.isEmpty() && verdict.isRight();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append("| event | Ready again after | longest stall of a client | failed requests | goal |\n");
        text.append("|---|---|---|---|---|\n");
        List<String> details = new ArrayList<>();
        for (Seen event : events) {
            List<Trouble> failed = troublesOf(event);
            text.append("| " + event.event() + " | " + seconds(event.ready()) + " | " + seconds(longestStall(event))
                    + " | " + failed.size() + " | " + event.goal() + " |\n");
            details.addAll(event.timeline());
            failed.stream()
                    .limit(TROUBLES_SHOWN)
                    .forEach(trouble -> details.add(event.event() + ": " + after(event, trouble) + " " + trouble));
        }
        text.append(history.size() + " requests: " + history.outcomes() + "\n");
        text.append(verdict.isRight() ? "every answer is right, nothing is lost\n" : "WRONG: " + verdict + "\n");
        details.forEach(detail -> text.append(detail).append('\n'));
        return text.toString();
    }

    private static String after(Seen event, Trouble trouble) {
        return "begun after " + seconds(Duration.ofNanos(trouble.call().invoked() - event.from())) + ", ended after "
                + seconds(Duration.ofNanos(trouble.call().returned() - event.from()));
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }
}
