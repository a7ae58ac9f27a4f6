package cleave.server.range;

import cleave.dfs.AppendTimes;
import cleave.model.TraceId;
import cleave.wire.StepKind;
import cleave.wire.TimedStep;
import cleave.wire.Timing;
import cleave.wire.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of a request with a trace goes, for its reply. Its times are those of the range's loop. Created on the caller's thread; from
 * then on confined to the range's loop, like its request.
 */
final class Steps {
    private static final long NOT_YET = Long.MIN_VALUE;

    private final @Nullable TraceId trace;
    private final boolean always;
    private final StepKind work;
    private @Nullable AppendTimes append;
    private long storedNanos = NOT_YET;
    private long scannedNanos = NOT_YET;

    /**
     * When a request went from one part of its way to the next.
     *
     * @param begun the end of its queue
     * @param asked when the DFS was asked; before it arrived if it never was
     * @param confirmed when the DFS had answered
     */
    record Times(long arrived, long begun, long asked, long confirmed, long left) {}

    private Steps(TraceContext context, StepKind work) {
        this.trace = TraceId.of(context.getHigh(), context.getLow());
        this.always = context.getAlways();
        this.work = work;
    }

    /** Null if the request has no trace. */
    static @Nullable Steps of(boolean isTraced, TraceContext context, StepKind work) {
        return isTraced ? new Steps(context, work) : null;
    }

    /** The id of the trace, for logs. */
    @Nullable
    TraceId trace() {
        return trace;
    }

    /** True if the reply is to have them, however quick the request was. */
    boolean areWanted() {
        return always;
    }

    /** Notes that the request goes to the DFS in an append, which fills these times. */
    void appends(AppendTimes times) {
        append = times;
    }

    /** Notes that what it waited for at the DFS is done; earlier writes, and the store, come next. */
    void stored(long nowNanos) {
        storedNanos = nowNanos;
    }

    /** Notes that the walk of a scan has ended. */
    void scanned(long nowNanos) {
        scannedNanos = nowNanos;
    }

    Timing timing(Times times) {
        Timing.Builder timing = Timing.newBuilder().setMicros(micros(times.arrived, times.left));
        add(timing, StepKind.STEP_QUEUE, times, times.arrived, times.begun);
        if (times.asked >= times.arrived) {
            add(timing, work, times, times.begun, times.asked);
            addDfs(timing, times);
        } else {
            add(timing, work, times, times.begun, times.left);
        }
        return timing.build();
    }

    private void addDfs(Timing.Builder timing, Times times) {
        if (scannedNanos != NOT_YET) {
            add(timing, StepKind.STEP_SCAN, times, times.asked, scannedNanos);
        }
        long until = storedNanos == NOT_YET ? times.confirmed : storedNanos;
        AppendTimes atNode = append;
        add(timing, atNode == null ? StepKind.STEP_BARRIER : StepKind.STEP_APPEND, times, times.asked, until);
        if (atNode != null && atNode.queueMicros() + atNode.syncMicros() > 0) {
            addNode(timing, times, until, atNode);
        }
        if (storedNanos != NOT_YET) {
            add(timing, StepKind.STEP_APPLY, times, storedNanos, times.left);
        }
    }

    /** In the middle of the append: how long the way there and back took is known, but not each. */
    private static void addNode(Timing.Builder timing, Times times, long until, AppendTimes atNode) {
        int append = micros(times.asked, until);
        int queue = Math.min(atNode.queueMicros(), append);
        int sync = Math.min(atNode.syncMicros(), append - queue);
        int from = micros(times.arrived, times.asked) + (append - queue - sync) / 2;
        timing.addSteps(step(StepKind.STEP_DFS_QUEUE, from, queue));
        timing.addSteps(step(StepKind.STEP_DFS_SYNC, from + queue, sync));
    }

    private static void add(Timing.Builder timing, StepKind kind, Times times, long from, long until) {
        timing.addSteps(step(kind, micros(times.arrived, from), micros(from, until)));
    }

    private static TimedStep step(StepKind kind, int fromMicros, int micros) {
        return TimedStep.newBuilder()
                .setKind(kind)
                .setFromMicros(fromMicros)
                .setMicros(micros)
                .build();
    }

    private static int micros(long from, long until) {
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, (until - from) / 1_000));
    }
}
