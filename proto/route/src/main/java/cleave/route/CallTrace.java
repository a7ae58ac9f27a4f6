package cleave.route;

import cleave.wire.ErrorCode;
import cleave.wire.Timing;
import cleave.wire.TraceContext;
import org.jspecify.annotations.Nullable;

/** Hears of the attempts of calls, for the trace of the client's request on whose behalf they are made. Confined to the loop of the calls. */
public interface CallTrace {
    /** What servers are told of the trace. */
    TraceContext context();

    /** An attempt has ended, or was given up. */
    void attempted(Attempt attempt);

    /**
     * One attempt of a call. Immutable.
     *
     * @param kind of the call: read, write or scan
     * @param server the id of the server that it was sent to
     * @param range the id of the range
     * @param fromNanos when it was sent
     * @param untilNanos when it ended
     * @param code of the answer; null if there was none
     * @param message of an answer that is a refusal, or why there was none
     * @param timing as the server told it; the default instance if it did not
     */
    record Attempt(
            String kind,
            String server,
            long range,
            long fromNanos,
            long untilNanos,
            @Nullable ErrorCode code,
            String message,
            Timing timing) {}
}
