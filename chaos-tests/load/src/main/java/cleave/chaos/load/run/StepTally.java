package cleave.chaos.load.run;

import cleave.chaos.load.run.Schedule.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The measurements of all clients by the step in which operations were due; of a schedule with a single phase there are none. Thread-safe. */
final class StepTally {
    private final @Nullable Schedule schedule;
    private final List<Counters> steps = new ArrayList<>();

    private static final class Counters {
        private final LongAdder done = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private final Histogram latency = new ConcurrentHistogram(Tally.DIGITS);
    }

    /** @param whole null: a closed loop */
    StepTally(@Nullable Schedule whole) {
        this.schedule = whole != null && whole.phases().size() > 1 ? whole : null;
        if (schedule != null) {
            schedule.phases().forEach(phase -> steps.add(new Counters()));
        }
    }

    /** @param dueNanos since the schedule began */
    void done(long dueNanos, long latencyNanos) {
        if (schedule != null) {
            Counters step = steps.get(schedule.phaseAt(dueNanos));
            step.done.increment();
            step.latency.recordValue(latencyNanos);
        }
    }

    void failed(long dueNanos) {
        if (schedule != null) {
            steps.get(schedule.phaseAt(dueNanos)).failed.increment();
        }
    }

    /** Call it when all clients have ended. */
    List<Step> all() {
        List<Step> all = new ArrayList<>();
        for (int i = 0; i < steps.size() && schedule != null; i++) {
            Phase phase = schedule.phases().get(i);
            Counters of = steps.get(i);
            Histogram latency = new Histogram(Tally.DIGITS);
            latency.add(of.latency);
            all.add(new Step(
                    (phase.from() + phase.to()) / 2,
                    phase.seconds(),
                    schedule.operationsOfPhases().get(i),
                    of.done.sum(),
                    of.failed.sum(),
                    latency));
        }
        return all;
    }
}
