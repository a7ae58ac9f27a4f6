package cleave.frontend.tracing;

import cleave.frontend.protocol.odata.Headers;
import cleave.model.TraceId;
import cleave.runtime.loop.EventLoop;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Begins the traces of a loop's requests, and decides when a request is answered whether its trace is exported. Confined to its loop.
 *
 * <p>Exported are the traces of requests that failed or were slow, a share of all others, which is drawn at their heads, and those that
 * clients ask for by the flag in {@code traceparent}. The flag counts only for authenticated requests, and for no more than
 * {@link Policy#incomingPerSecond} of them a second; all others are treated as if they had none, so no client can have everything traced.
 */
public final class Tracing {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EventLoop loop;
    private final Policy policy;
    private final Random random;
    private final Consumer<FinishedTrace> exporter;
    private long secondBegan;
    private int asked;

    /**
     * Which traces are exported. Immutable.
     *
     * @param sample the share that is drawn, from 0 to 1
     * @param slowNanos a request that took this long is exported in any case
     * @param incomingPerSecond how many requests a second are exported because their clients ask for it, by one loop
     */
    public record Policy(double sample, long slowNanos, int incomingPerSecond) {}

    /**
     * @param random for ids and samples; no two front ends may draw the same
     * @param exporter takes what is to be exported; thread-safe, does not block
     */
    public Tracing(EventLoop loop, Policy policy, Random random, Consumer<FinishedTrace> exporter) {
        this.loop = loop;
        this.policy = policy;
        this.random = random;
        this.exporter = exporter;
    }

    /**
     * Begins the trace of a request that was admitted, and so is authenticated.
     *
     * @param beganNanos when its head was received
     */
    public RequestTrace begin(Headers headers, long beganNanos, long beganTicks) {
        loop.assertInside();
        TraceParent parent = TraceParent.of(headers);
        long now = loop.nanos();
        boolean isSampled =
                random.nextDouble() < policy.sample() || (parent != null && parent.isSampled() && admitsAsked(now));
        TraceId id = parent == null ? newId() : parent.trace();
        RequestTrace trace = new RequestTrace(loop, id, parent, isSampled, beganTicks, beganNanos);
        trace.spent("authenticate", beganNanos, now);
        return trace;
    }

    private boolean admitsAsked(long nowNanos) {
        if (asked == 0 || nowNanos - secondBegan >= SECOND_NANOS) {
            secondBegan = nowNanos;
            asked = 0;
        }
        if (asked >= policy.incomingPerSecond()) {
            return false;
        }
        asked++;
        return true;
    }

    private TraceId newId() {
        @Nullable TraceId id;
        do {
            id = TraceId.of(random.nextLong(), random.nextLong());
        } while (id == null);
        return id;
    }

    /** A request was answered; true if its trace is exported. */
    public boolean ended(RequestTrace trace, FinishedTrace.Outcome outcome, long beganNanos, long nowNanos) {
        loop.assertInside();
        boolean isExported = trace.isSampled() || outcome.isFailure() || nowNanos - beganNanos >= policy.slowNanos();
        if (isExported) {
            exporter.accept(trace.finished(outcome, nowNanos));
        }
        return isExported;
    }
}
