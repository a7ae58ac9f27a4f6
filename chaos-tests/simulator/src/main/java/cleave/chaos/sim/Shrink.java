package cleave.chaos.sim;

import cleave.chaos.sim.faults.FaultKind;
import cleave.chaos.sim.world.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the schedule of a seed that fails as short as it stays failing: it looks for one kind of faults that is enough, and
 * leaves out what struck too late, then kinds, then faults, many at a time and then single ones, as delta debugging does, then clients. A shorter schedule counts if its run has a violation
 * that the same check finds. The result depends on the seed and the options alone. Confined to its caller.
 */
final class Shrink {
    /** Each is a whole run. */
    static final int RUNS_MAX = 600;
    /** The runs with each schedule that is tried, at a time, on any number of processors. */
    private static final int BATCH = 4;

    /** How many runs lie between two reports of progress. */
    private static final int TOLD = 20;

    private static final long MILLI = 1_000_000;
    /** What is left to answer when something has gone wrong. */
    private static final long AFTER_NANOS = 100 * MILLI;

    private final long seed;
    private final Simulation.Options options;
    private final int runsMax;
    private final Consumer<String> progress;
    private int runs;
    private Simulation.Scheduled best;
    private Finding.@Nullable By by;

    /**
     * The shortest schedule that was found. Immutable.
     *
     * @param before what struck at first
     * @param runs that it took
     * @param isLeast no run with less failed; false if the number of runs was too small to know
     */
    record Result(Simulation.Scheduled run, Schedule before, int runs, boolean isLeast) {
        boolean isWrong() {
            return !run.report().isRight();
        }
    }

    /** @param progress is told of each shorter schedule, and now and then that there is none */
    Shrink(long seed, Simulation.Options options, int runsMax, Consumer<String> progress) {
        this.seed = seed;
        this.options = options;
        this.runsMax = runsMax;
        this.progress = progress;
        this.best = Simulation.schedule(seed, options);
        this.runs = 1;
    }

    /** A seed that is right stays as it is. */
    Result run() {
        Schedule before = best.schedule();
        if (best.report().isRight()) {
            return new Result(best, before, runs, true);
        }
        by = best.report().violations().get(0).by();
        progress.accept(text());
        if (!isOneWrong(List.of(before))) { // Two events were due at one moment, and their order is now another.
            progress.accept("a list of these faults does not repeat the run, so nothing can be left out");
            return new Result(best, before, runs, false);
        }
        oneKind(before);
        endsSooner();
        Schedule last;
        do {
            last = best.schedule();
            least(Schedule::kinds, Schedule::withKinds);
            least(Schedule::faults, Schedule::withFaults);
            least(schedule -> List.copyOf(schedule.clients()), Schedule::withClients);
            if (best.schedule().isTableChurned()) {
                fails(best.schedule().withoutTableChurn());
            }
        } while (!best.schedule().equals(last) && runs < runsMax);
        return new Result(best, before, runs, runs < runsMax);
    }

    /** Often one kind is enough, and then most of the work is done. */
    private void oneKind(Schedule all) {
        for (FaultKind kind : all.kinds()) {
            if (runs < runsMax && fails(all.withKinds(List.of(kind)))) {
                return;
            }
        }
    }

    /** Ends the faults as soon as it has gone wrong. */
    private void endsSooner() {
        Schedule now = best.schedule();
        Schedule shorter = now.until(best.wrongNanos() + AFTER_NANOS);
        if (!shorter.equals(now)) {
            isOneWrong(List.of(shorter)); // Until then, it is the same run.
        }
    }

    /**
     * Leaves out what can be left out, from the end on: the later a fault, the less of the run its absence changes. More at a time after a
     * success, less after a failure.
     */
    private <T> void least(Function<Schedule, List<T>> of, BiFunction<Schedule, List<T>, Schedule> with) {
        int to = of.apply(best.schedule()).size();
        int size = to;
        while (to > 0 && runs < runsMax) {
            size = Math.min(size, to);
            Schedule shorter = with.apply(best.schedule(), without(of.apply(best.schedule()), to - size, to));
            if (fails(shorter)) {
                endsSooner();
                to = Math.min(to - size, of.apply(best.schedule()).size());
                size *= 2;
            } else if (size > 1) {
                size /= 2;
            } else {
                to--;
            }
        }
    }

    private static <T> List<T> without(List<T> all, int from, int to) {
        return IntStream.range(0, all.size())
                .filter(i -> i < from || i >= to)
                .mapToObj(all::get)
                .toList();
    }

    /**
     * Runs it, and runs it with other delays of messages: without a fault, all messages that follow are others, and what went wrong may
     * need one that is late. If one of these runs fails, the first that does is the best from now on.
     */
    private boolean fails(Schedule candidate) {
        List<Schedule> candidates = new ArrayList<>(List.of(candidate));
        while (candidates.size() < BATCH) {
            candidates.add(candidate.withLuck(runs + candidates.size()));
        }
        return isOneWrong(candidates);
    }

    private boolean isOneWrong(List<Schedule> candidates) {
        if (candidates.get(0).clients().isEmpty()) {
            return false; // Nobody would create the tables that are looked for at the end.
        }
        runs += candidates.size();
        Optional<Simulation.Scheduled> wrong = candidates.parallelStream()
                .map(each -> Simulation.schedule(seed, options.with(each)))
                .filter(run -> !run.report().isRight()
                        && run.report().violations().get(0).by() == by)
                .findFirst();
        wrong.ifPresent(run -> {
            best = run;
            progress.accept(text());
        });
        if (wrong.isEmpty() && runs / TOLD > (runs - candidates.size()) / TOLD) {
            progress.accept("run " + runs + ": nothing shorter since");
        }
        return wrong.isPresent();
    }

    private String text() {
        Schedule now = best.schedule();
        return String.format(
                Locale.ROOT,
                "run %d: faults: %d, until %.1f s, clients: %d",
                runs,
                now.faults().size(),
                now.untilNanos() / 1e9,
                now.clients().size());
    }
}
