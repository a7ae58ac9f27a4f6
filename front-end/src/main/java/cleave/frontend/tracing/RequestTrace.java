package cleave.frontend.tracing;

import cleave.model.TraceId;
import cleave.route.CallTrace;
import cleave.runtime.loop.EventLoop;
import cleave.wire.TraceContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The trace of one request, from its head to its answer: a small buffer of spans, which is dropped or exported in the end. Confined to its
 * loop.
 */
public final class RequestTrace implements CallTrace {
    /** A page that visits more ranges has a trace that says how many spans it lacks. */
    static final int SPANS_MAX = 100;

    private final EventLoop loop;
    private final TraceId id;
    private final @Nullable TraceParent parent;
    private final boolean isSampled;
    private final long beganTicks;
    private final long beganNanos;
    private final TraceContext context;
    private final List<Span> spans = new ArrayList<>(6);
    private int within = Span.ROOT;
    private int lost;

    RequestTrace(
            EventLoop loop,
            TraceId id,
            @Nullable TraceParent parent,
            boolean isSampled,
            long beganTicks,
            long beganNanos) {
        this.loop = loop;
        this.id = id;
        this.parent = parent;
        this.isSampled = isSampled;
        this.beganTicks = beganTicks;
        this.beganNanos = beganNanos;
        this.context = TraceContext.newBuilder()
                .setHigh(id.high())
                .setLow(id.low())
                .setAlways(isSampled)
                .build();
    }

    public TraceId id() {
        return id;
    }

    /** True if it is exported, however the request ends. */
    boolean isSampled() {
        return isSampled;
    }

    /** The time of the loop's clock, for spans. */
    public long now() {
        return loop.nanos();
    }

    /** Notes a part of the request that has ended. */
    public void spent(String name, long fromNanos, long untilNanos) {
        loop.assertInside();
        add(new Span(name, within, fromNanos, untilNanos, null));
    }

    /** Begins a span that the next ones are part of; answers its place, for {@link #end}. */
    public int begin(String name) {
        loop.assertInside();
        long now = loop.nanos();
        int place = spans.size();
        if (!add(new Span(name, within, now, now, null))) {
            return Span.ROOT;
        }
        within = place;
        return place;
    }

    /** Ends a span that was begun. */
    public void end(int place) {
        loop.assertInside();
        if (place != Span.ROOT) {
            Span begun = spans.get(place);
            spans.set(place, new Span(begun.name(), begun.parent(), begun.fromNanos(), loop.nanos(), null));
            within = begun.parent();
        }
    }

    /** Notes that the body has come, which began to be received when the request was admitted. */
    public void received() {
        long now = loop.nanos();
        spent("receive", spans.isEmpty() ? beganNanos : spans.get(0).untilNanos(), now);
    }

    /** Does work as a span, if there is a trace. */
    public static <T> CompletableFuture<T> within(
            @Nullable RequestTrace trace, String name, Supplier<CompletableFuture<T>> work) {
        if (trace == null) {
            return work.get();
        }
        int span = trace.begin(name);
        return work.get().whenComplete((result, failure) -> trace.end(span));
    }

    @Override
    public TraceContext context() {
        return context;
    }

    @Override
    public void attempted(Attempt attempt) {
        loop.assertInside();
        add(new Span(attempt.kind(), within, attempt.fromNanos(), attempt.untilNanos(), attempt));
    }

    private boolean add(Span span) {
        if (spans.size() == SPANS_MAX) {
            lost++;
            return false;
        }
        return spans.add(span);
    }

    FinishedTrace finished(FinishedTrace.Outcome outcome, long nowNanos) {
        return new FinishedTrace(id, parent, beganTicks, beganNanos, nowNanos, outcome, spans, lost);
    }
}
