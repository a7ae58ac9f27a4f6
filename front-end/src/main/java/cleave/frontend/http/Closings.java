package cleave.frontend.http;

import cleave.frontend.metrics.FrontEndMetrics;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs the connections and streams that this side closes, at most one line a minute for each reason. Thread-safe: shared by
 * the loops of a front end.
 */
public final class Closings {
    private static final Logger LOG = LoggerFactory.getLogger(Closings.class);
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Not worth a log line. */
    private static final Set<Reason> NORMAL = EnumSet.of(Reason.IDLE, Reason.AGE, Reason.REFUSED);

    private final FrontEndMetrics metrics;
    private final Map<Reason, Repetition> repetitions = new ConcurrentHashMap<>();

    /** Why this side closes a connection or an HTTP/2 stream. */
    public enum Reason {
        /** No request for too long. */
        IDLE("idle"),
        /** It has reached the greatest age, and its client is to connect anew. */
        AGE("age"),
        /** The maximum number of connections is reached. */
        LIMIT("limit"),
        /** The handshake of TLS or HTTP/2 was not completed in time. */
        HANDSHAKE("handshake"),
        /** A request's head did not end in time. */
        SLOW_HEAD("slow-head"),
        SLOW_BODY("slow-body"),
        SLOW_READER("slow-reader"),
        /** More concurrent streams than permitted. */
        STREAMS("streams"),
        /** Unauthenticated peers made the front end buffer too much, this one most. */
        UNSIGNED_BYTES("unsigned-bytes"),
        /** Excessive stream resets, or empty or small frames. */
        FLOOD("flood"),
        /** A request was refused before its body was received. */
        REFUSED("refused");

        private final String label;

        Reason(String label) {
            this.label = label;
        }
    }

    /** When a reason was logged last, and how often it has come since. */
    private record Repetition(AtomicLong nextNanos, AtomicLong count) {}

    public Closings(FrontEndMetrics metrics) {
        this.metrics = metrics;
    }

    void closing(Reason reason, long nowNanos) {
        metrics.closing(reason.label);
        if (NORMAL.contains(reason)) {
            return;
        }
        Repetition its =
                repetitions.computeIfAbsent(reason, any -> new Repetition(new AtomicLong(nowNanos), new AtomicLong()));
        its.count().incrementAndGet();
        long next = its.nextNanos().get();
        if (nowNanos - next >= 0 && its.nextNanos().compareAndSet(next, nowNanos + MINUTE_NANOS)) {
            LOG.warn(
                    "closed client connections or streams reason={} count={}",
                    reason.label,
                    its.count().getAndSet(0));
        }
    }
}
