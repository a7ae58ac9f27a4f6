package cleave.master.core;

import cleave.master.replication.Replication;
import cleave.master.servers.Clocks;
import cleave.master.settings.MasterTiming;
import cleave.master.sweep.Vetting;
import cleave.model.Readiness;
import cleave.model.Ticks;
import cleave.runtime.loop.EventLoop;

/**
 * Whether this master knows a leader and takes part in what it replicates. Confined to the master loop, except {@link #current},
 * which is thread-safe.
 */
final class MasterReadiness {
    private final EventLoop loop;
    private final MasterTiming timing;
    private final Replication replication;
    private final Vetting vetting;
    private final Clocks clocks;
    private long progressIndex;
    private long progressAt;
    private volatile Readiness current = Readiness.missing("the loop has not run");

    MasterReadiness(EventLoop loop, MasterTiming timing, Replication replication, Vetting vetting, Clocks clocks) {
        this.loop = loop;
        this.timing = timing;
        this.replication = replication;
        this.vetting = vetting;
        this.clocks = clocks;
    }

    Readiness current() {
        return current;
    }

    void begin(long now) {
        loop.assertInside();
        progressIndex = replication.appliedIndex();
        progressAt = now - timing.readyNanos();
    }

    void tick(long now) {
        loop.assertInside();
        long index = replication.appliedIndex();
        if (index != progressIndex) {
            progressIndex = index;
            progressAt = now;
        }
        current = at(now);
    }

    /** Time since the last command was replicated. */
    long silence(long now) {
        loop.assertInside();
        return now - progressAt;
    }

    private Readiness at(long now) {
        String waiting = vetting.waiting();
        if (!waiting.isEmpty()) {
            return Readiness.missing("this leader changes nothing: " + waiting);
        }
        if (replication.state().rows().isEmpty()) {
            return Readiness.missing("no partition map yet");
        }
        if (replication.leaderAddress().isEmpty()) {
            return Readiness.missing("no leader is known");
        }
        if (silence(now) >= timing.readyNanos()) {
            return Readiness.missing("nothing was replicated for " + silence(now) / 1_000_000 + " ms");
        }
        long ahead = clocks.leaderAhead();
        return ahead == 0
                ? Readiness.READY
                : Readiness.but("the clock of this master, which leads, is " + Math.abs(ahead) / Ticks.PER_SECOND
                        + " s " + (ahead > 0 ? "ahead of" : "behind") + " those of most servers: correct it");
    }
}
