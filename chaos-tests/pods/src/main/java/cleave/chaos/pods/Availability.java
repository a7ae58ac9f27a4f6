package cleave.chaos.pods;

import cleave.chaos.fault.FailedRequest;
import cleave.chaos.history.CheckResult;
import cleave.chaos.history.History;
import cleave.chaos.history.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What clients saw during events, and when all pods were ready again. Immutable.
 *
 * @param failedRequests all failed requests
 * @param result of checking the history of all clients: tells whether every acknowledged write was read back
 */
record Availability(List<Seen> events, History history, List<FailedRequest> failedRequests, CheckResult result) {
    private static final int FAILED_SHOWN = 20;

    /**
     * One event.
     *
     * @param goal the target; missing it is no failure
     * @param until when all pods were ready and all ranges took writes again
     * @param ready time from the beginning until all pods were ready
     * @param starts of the new pods, by name
     */
    record Seen(String event, String goal, long from, long until, Duration ready, Map<String, Pod.Start> starts) {
        /** How each new pod became ready. */
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

    private List<FailedRequest> failedDuring(Seen event) {
        return failedRequests.stream()
                .filter(failed ->
                        failed.call().invoked() < event.until() && failed.call().returned() > event.from())
                .toList();
    }

    /** True if no request failed and no acknowledged write is lost. */
    boolean isRight() {
        return failedRequests.isEmpty() && result.isRight();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append("| event | Ready again after | longest stall of a client | failed requests | goal |\n");
        text.append("|---|---|---|---|---|\n");
        List<String> details = new ArrayList<>();
        for (Seen event : events) {
            List<FailedRequest> failed = failedDuring(event);
            text.append("| " + event.event() + " | " + seconds(event.ready()) + " | " + seconds(longestStall(event))
                    + " | " + failed.size() + " | " + event.goal() + " |\n");
            details.addAll(event.timeline());
            failed.stream()
                    .limit(FAILED_SHOWN)
                    .forEach(each -> details.add(event.event() + ": " + after(event, each) + " " + each));
        }
        text.append(history.size() + " requests: " + history.outcomes() + "\n");
        text.append(result.isRight() ? "every answer is right, nothing is lost\n" : "WRONG: " + result + "\n");
        details.forEach(detail -> text.append(detail).append('\n'));
        return text.toString();
    }

    private static String after(Seen event, FailedRequest failed) {
        return "begun after " + seconds(Duration.ofNanos(failed.call().invoked() - event.from())) + ", ended after "
                + seconds(Duration.ofNanos(failed.call().returned() - event.from()));
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }
}
