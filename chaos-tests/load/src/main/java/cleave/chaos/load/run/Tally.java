package cleave.chaos.load.run;

import cleave.chaos.load.workload.Action;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** The measurements of all clients: counts since the beginning, and latencies since the last look. Thread-safe. */
public final class Tally {
    /** Significant digits of latencies. */
    public static final int DIGITS = 3;

    private static final int FAILURES_MAX = 20;

    private final Map<Action, Recorder> latencies = new EnumMap<>(Action.class);
    private final Map<Action, Recorder> services = new EnumMap<>(Action.class);
    private final Recorder failedLatencies = new Recorder(DIGITS);
    private final Map<Action, Counters> counters = new EnumMap<>(Action.class);
    private final Map<String, LongAdder> problems = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

    private static final class Counters {
        private final LongAdder done = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private final LongAdder cutOff = new LongAdder();
        private final LongAdder retries = new LongAdder();
        private final LongAdder entities = new LongAdder();
        private final LongAdder missing = new LongAdder();
    }

    /**
     * The counts of one action. Immutable.
     *
     * @param done operations that ended as they should
     * @param failed operations that did not
     * @param cutOff operations that were to be repeated when the run ended
     * @param retries attempts beyond the first of each operation
     * @param entities that were written or read
     * @param missing operations, among those done, that found their entity deleted
     */
    public record Count(long done, long failed, long cutOff, long retries, long entities, long missing) {
        public static final Count NONE = new Count(0, 0, 0, 0, 0, 0);

        public long operations() {
            return done + failed + cutOff;
        }

        public long attempts() {
            return operations() + retries;
        }

        public Count plus(Count other) {
            return new Count(
                    done + other.done,
                    failed + other.failed,
                    cutOff + other.cutOff,
                    retries + other.retries,
                    entities + other.entities,
                    missing + other.missing);
        }

        public Count minus(Count other) {
            return new Count(
                    done - other.done,
                    failed - other.failed,
                    cutOff - other.cutOff,
                    retries - other.retries,
                    entities - other.entities,
                    missing - other.missing);
        }
    }

    public Tally() {
        for (Action action : Action.values()) {
            latencies.put(action, new Recorder(DIGITS));
            services.put(action, new Recorder(DIGITS));
            counters.put(action, new Counters());
        }
    }

    /** An attempt that was no success. */
    void problem(Attempt attempt) {
        problems.computeIfAbsent(attempt.status().title(), title -> new LongAdder())
                .increment();
    }

    /** An attempt beyond the first, which is about to be sent. */
    void retried(Action action) {
        of(action).retries.increment();
    }

    /**
     * An operation that ended.
     *
     * @param latencyNanos since it was due
     * @param serviceNanos since its last attempt was sent
     */
    void done(Action action, long latencyNanos, long serviceNanos, int entities, boolean isMissing) {
        Counters of = of(action);
        of.done.increment();
        of.entities.add(entities);
        if (isMissing) {
            of.missing.increment();
        }
        of(latencies, action).recordValue(latencyNanos);
        of(services, action).recordValue(serviceNanos);
    }

    /**
     * An operation that failed for good.
     *
     * @param latencyNanos since it was due
     */
    void failed(Action action, long latencyNanos, String how) {
        Counters of = of(action);
        of.failed.increment();
        failedLatencies.recordValue(latencyNanos);
        if (failures.size() < FAILURES_MAX) {
            failures.add(how);
        }
    }

    /** An operation that was waiting for its next attempt when the run ended. It has no latency, because it has no outcome. */
    void cutOff(Action action) {
        of(action).cutOff.increment();
    }

    private Counters of(Action action) {
        return of(counters, action);
    }

    private static <T> T of(Map<Action, T> all, Action action) {
        T one = all.get(action);
        if (one == null) {
            throw new IllegalStateException("nothing is kept of " + action);
        }
        return one;
    }

    /** The counts so far, of actions that were used. */
    public Map<Action, Count> counts() {
        Map<Action, Count> counts = new EnumMap<>(Action.class);
        counters.forEach((action, of) -> {
            Count count = new Count(
                    of.done.sum(),
                    of.failed.sum(),
                    of.cutOff.sum(),
                    of.retries.sum(),
                    of.entities.sum(),
                    of.missing.sum());
            if (count.attempts() > 0) {
                counts.put(action, count);
            }
        });
        return counts;
    }

    /** Latencies in nanoseconds since the last call, of operations that ended as they should. One thread alone may ask. */
    public Map<Action, Histogram> latencies() {
        return since(latencies);
    }

    /** The same from the sending of the last attempt on. */
    public Map<Action, Histogram> services() {
        return since(services);
    }

    /** Latencies of all operations that failed, since the last call. One thread alone may ask. */
    public Histogram failedLatencies() {
        return failedLatencies.getIntervalHistogram();
    }

    private static Map<Action, Histogram> since(Map<Action, Recorder> recorders) {
        Map<Action, Histogram> since = new EnumMap<>(Action.class);
        recorders.forEach((action, recorder) -> {
            Histogram histogram = recorder.getIntervalHistogram();
            if (histogram.getTotalCount() > 0) {
                since.put(action, histogram);
            }
        });
        return since;
    }

    /** Attempts that were no success, by what was answered. */
    public Map<String, Long> problems() {
        Map<String, Long> sums = new TreeMap<>();
        problems.forEach((title, count) -> sums.put(title, count.sum()));
        return sums;
    }

    /** The first failures as text. */
    public List<String> failures() {
        return new ArrayList<>(failures);
    }
}
