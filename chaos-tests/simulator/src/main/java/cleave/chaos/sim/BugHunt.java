package cleave.chaos.sim;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.World;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Runs the same seeds with each planted bug, and reports how soon each is found, and by which check. Confined to its caller. */
final class BugHunt {
    private final List<Bug> bugs;
    private final long firstSeed;
    private final int seeds;
    private final Consumer<String> out;

    /** @param out receives progress and, at the end, the table */
    BugHunt(List<Bug> bugs, long firstSeed, int seeds, Consumer<String> out) {
        this.bugs = bugs;
        this.firstSeed = firstSeed;
        this.seeds = seeds;
        this.out = out;
    }

    /** The result for one bug. Immutable. */
    private record Row(Bug bug, int seeds, Map<Finding.By, Integer> by, int coresThrew) {
        int found() {
            return by.values().stream().mapToInt(Integer::intValue).sum();
        }

        String found(Finding.By who) {
            Integer times = by.get(who);
            return times == null ? "" : String.valueOf(times);
        }

        @Override
        public String toString() {
            String average = found() == 0 ? "never" : String.format(Locale.ROOT, "%.1f", (double) seeds / found());
            return String.format(
                    Locale.ROOT,
                    "| `%s` | %d of %d | %s | %s | %s | %s | %s | %s | %s | %s |",
                    bug,
                    found(),
                    seeds,
                    average,
                    found(Finding.By.HISTORY),
                    found(Finding.By.SCAN),
                    found(Finding.By.MAP),
                    found(Finding.By.TIMESTAMPS),
                    found(Finding.By.TABLE),
                    found(Finding.By.CONVERGENCE),
                    coresThrew == 0 ? "" : String.valueOf(coresThrew));
        }
    }

    /** True if every bug was found. */
    boolean run() {
        List<Row> rows = bugs.stream().map(this::hunt).toList();
        out.accept(
                "| planted bug | found in seeds | seeds to find it | history | scan | map | timestamps | table | convergence | a core threw |");
        out.accept("|---|---|---|---|---|---|---|---|---|---|");
        rows.forEach(row -> out.accept(row.toString()));
        return rows.stream().allMatch(row -> row.found() > 0);
    }

    private Row hunt(Bug bug) {
        AtomicInteger coresThrew = new AtomicInteger();
        Map<Finding.By, Integer> by = LongStream.range(firstSeed, firstSeed + seeds)
                .parallel()
                .mapToObj(seed -> Simulation.run(seed, bug, null))
                .peek(report -> coresThrew.addAndGet(report.counts().containsKey(World.CORES_THAT_THREW) ? 1 : 0))
                .filter(report -> !report.isRight())
                .collect(Collectors.toMap(
                        report -> report.violations().get(0).by(),
                        report -> 1,
                        Integer::sum,
                        () -> new EnumMap<>(Finding.By.class)));
        Row row = new Row(bug, seeds, by, coresThrew.get());
        out.accept(row.bug() + ": found in " + row.found() + " of " + seeds + " seeds, by " + by);
        return row;
    }
}
