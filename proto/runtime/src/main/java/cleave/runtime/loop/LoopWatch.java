package cleave.runtime.loop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Finds the loops of a process that are stuck: each is given a task whenever somebody looks, and must have run it by a later look.
 * Costs the loops nothing in between. Thread-safe.
 */
public final class LoopWatch {
    private final long patienceNanos;
    private final LongSupplier clock;
    private final Map<String, Probe> probes = new TreeMap<>();

    /** A task that is given again once it was run. */
    private static final class Probe {
        private final Executor loop;
        private volatile boolean waiting;
        private long askedNanos;

        Probe(Executor loop) {
            this.loop = loop;
        }

        void ask(long now) {
            if (!waiting) {
                waiting = true;
                askedNanos = now;
                loop.execute(() -> waiting = false);
            }
        }
    }

    /**
     * @param loops by the names of their threads
     * @param patienceNanos a loop that runs one event for longer, or has that many others to run first, is stuck
     */
    public LoopWatch(Map<String, Executor> loops, long patienceNanos) {
        this(loops, patienceNanos, System::nanoTime);
    }

    LoopWatch(Map<String, Executor> loops, long patienceNanos, LongSupplier clock) {
        this.patienceNanos = patienceNanos;
        this.clock = clock;
        loops.forEach((name, loop) -> probes.put(name, new Probe(loop)));
    }

    /** The nanoseconds for which each loop has not run its task; 0 if it has. */
    public synchronized Map<String, Long> silences() {
        long now = clock.getAsLong();
        Map<String, Long> silences = new TreeMap<>();
        probes.forEach((name, probe) -> {
            probe.ask(now);
            silences.put(name, probe.waiting ? now - probe.askedNanos : 0L);
        });
        return silences;
    }

    /** The loops that are stuck, for people; empty if none is. */
    public List<String> stuck() {
        List<String> stuck = new ArrayList<>();
        silences().forEach((name, silent) -> {
            if (silent > patienceNanos) {
                stuck.add(name + " has run nothing for " + TimeUnit.NANOSECONDS.toSeconds(silent) + " s");
            }
        });
        return stuck;
    }
}
