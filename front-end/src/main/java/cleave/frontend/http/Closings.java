package cleave.frontend.http;

import cleave.frontend.metrics.FrontEndMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the connections and streams that this side ended, and logs them, one line a minute for each reason. Thread-safe: shared by
 * the loops of a front end.
 */
public final class Closings {
    private static final Logger LOG = LoggerFactory.getLogger(Closings.class);
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final FrontEndMetrics metrics;
    private final Map<Reason, Told> told = new ConcurrentHashMap<>();

    /** Why this side ends a connection, or a stream of HTTP/2. */
    public enum Reason {
        /** Nothing was asked for long. */
        IDLE("idle"),
        /** There are as many connections as there may be. */
        LIMIT("limit"),
        /** TLS, or the beginning of HTTP/2, was not finished in time. */
        HANDSHAKE("handshake"),
        SLOW_BODY("slow-body"),
        SLOW_READER("slow-reader"),
        /** More requests at once than HTTP/2 allows it. */
        STREAMS("streams"),
        /** Peers without a signature made the front end keep too much, and this one most. */
        UNSIGNED_BYTES("unsigned-bytes"),
        /** Streams reset, or empty or small frames sent, more often than anybody needs. */
        FLOOD("flood"),
        /** A request was refused while its body was still to come. */
        REFUSED("refused");

        private final String label;

        Reason(String label) {
            this.label = label;
        }
    }

    /** When a reason was logged last, and how often it has come since. */
    private record Told(AtomicLong nextNanos, AtomicLong count) {}

    public Closings(FrontEndMetrics metrics) {
        this.metrics = metrics;
    }

    void closing(Reason reason, long nowNanos) {
        metrics.closing(reason.label);
        if (reason == Reason.IDLE || reason == Reason.REFUSED) {
            return; // Nothing that an operator must know.
        }
        Told its = told.computeIfAbsent(reason, any -> new Told(new AtomicLong(nowNanos), new AtomicLong()));
        its.count().incrementAndGet();
        long next = its.nextNanos().get();
        if (nowNanos - next >= 0 && its.nextNanos().compareAndSet(next, nowNanos + MINUTE_NANOS)) {
            LOG.warn(
                    "connections or streams of clients are ended reason={} count={}",
                    reason.label,
                    its.count().getAndSet(0));
        }
    }
}
