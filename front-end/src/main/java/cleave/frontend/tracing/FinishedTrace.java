package cleave.frontend.tracing;

import cleave.model.TraceId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is exported of a request. Immutable.
 *
 * @param parent what the client said of the trace; null if the request began it
 * @param beganTicks the wall clock when the request's head was received, in {@link cleave.model.Ticks}
 * @param beganNanos the same on the loop's monotonic clock, which is that of all other times
 * @param lostSpans spans that were too many
 */
public record FinishedTrace(
        TraceId id,
        @Nullable TraceParent parent,
        long beganTicks,
        long beganNanos,
        long endedNanos,
        Outcome outcome,
        List<Span> spans,
        int lostSpans) {
    public FinishedTrace {
        spans = List.copyOf(spans);
    }

    /**
     * What the request was, and what came of it.
     *
     * @param operation the label of its operation
     * @param method its HTTP method
     * @param table the table that it was about; null if it reached none
     */
    public record Outcome(
            String operation,
            String method,
            String requestId,
            String account,
            @Nullable String table,
            int status) {
        /** True if the service failed, or was too busy; false for what is wrong with the request. */
        public boolean isFailure() {
            return status >= 500;
        }
    }
}
