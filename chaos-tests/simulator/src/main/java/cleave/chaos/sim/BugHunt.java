package cleave.chaos.sim;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.World;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Runs the same seeds with each planted bug, and reports how soon each is found, and by which check. Confined to its caller.
 *
 * @param out receives progress and, at the end, the table
 */
record BugHunt(List<Bug> bugs, long firstSeed, int seeds, Consumer<String> out) {
    /** All that observe from outside. */
    private static final Set<Finding.By> CHECKS = EnumSet.complementOf(EnumSet.of(Finding.By.CORE));

    /** The result for one bug. Immutable. */
    private record Row(Bug bug, int seeds, Map<Finding.By, Integer> by, int coresThrew) {
        int found() {
            return by.values().stream().mapToInt(Integer::intValue).sum();
        }

        private static String text(int times) {
            return times == 0 ? "" : String.valueOf(times);
        }

        private String found(Finding.By who) {
            return text(by.getOrDefault(who, 0));
        }

        @Override
        public String toString() {
            String average = found() == 0 ? "never" : String.format(Locale.ROOT, "%.1f", (double) seeds / found());
            return Stream.concat(
                            Stream.of("| `" + bug + "`", found() + " of " + seeds, average),
                            Stream.concat(CHECKS.stream().map(this::found), Stream.of(text(coresThrew) + " |")))
                    .collect(Collectors.joining(" | "));
        }
    }

    /** True if every bug was found. */
    boolean run() {
        List<Row> rows = bugs.stream().map(this::hunt).toList();
        String checks =
                CHECKS.stream().map(by -> by.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(" | "));
        out.accept("| planted bug | found in seeds | seeds to find it | " + checks + " | a core threw |");
        out.accept("|---".repeat(4 + CHECKS.size()) + "|");
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
