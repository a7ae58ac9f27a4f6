package cleave.server.range;

import cleave.model.Row;
import cleave.runtime.loop.LogLimit;
import cleave.wire.ErrorCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Logs the slow requests of all ranges of a server: a limited number per second, however many ranges there are. Thread-safe. */
public final class SlowRequests {
    private static final Logger LOG = LoggerFactory.getLogger(SlowRequests.class);
    private static final int PER_SECOND = 5;

    private final LogLimit limit = new LogLimit(PER_SECOND);

    /**
     * @param request has been answered
     * @param nanos from its arrival to its answer
     */
    void log(PendingRequest request, ErrorCode outcome, long nanos) {
        long suppressed;
        synchronized (limit) {
            if (!limit.admits(request.arrivedNanos + nanos)) {
                return;
            }
            suppressed = limit.suppressed();
        }
        LoggingEventBuilder line = LOG.atWarn().addKeyValue("requestId", request.id);
        if (request.steps != null) {
            line = line.addKeyValue("traceId", request.steps.trace());
        }
        line.addKeyValue("kind", request.getClass().getSimpleName())
                .addKeyValue("outcome", outcome)
                .addKeyValue("range", Row.idText(request.to.ownership.range()))
                .addKeyValue("millis", nanos / 1_000_000)
                .addKeyValue("queueMillis", request.queueMicros() / 1_000)
                .addKeyValue("dfsMillis", request.dfsMicros() / 1_000)
                .addKeyValue("appendedWith", request.carried())
                .addKeyValue("suppressed", suppressed)
                .log("slow request");
    }
}
