package cleave.chaos.sim;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.cluster.HandoffShares;
import cleave.chaos.sim.faults.FaultKind;
import cleave.chaos.sim.film.Film;
import cleave.deploy.CommandFailure;
import cleave.deploy.role.Logs;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code cleave simulate}: whole clusters in one thread, on a virtual clock, under injected faults. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        header = "runs whole clusters on a virtual clock under injected faults, and checks what clients see",
        description = {
            "Each seed is a cluster of 3 masters, 4 partition servers and 2 front ends with 8 clients, in one thread, made of the"
                    + " production code. Crashes, pauses, partitions, slow connections, lost leaders, jumping clocks and appends of"
                    + " unknown outcome strike for about a minute of virtual time; then everything is repaired, and every key must"
                    + " be served again. Prints what happened and, for a seed with a violation, the command that replays it, event"
                    + " by event. Exits with status 1 if any seed has one."
        })
public final class SimulateCommand implements Callable<Integer> {
    private static final long NANOS_PER_MINUTE = 60_000_000_000L;
    /** Names no scenario, but all. */
    private static final String ALL = "all";

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Option(names = "--seed", paramLabel = "S", description = "the first seed (default: 1)")
    private long seed = 1;

    @Option(names = "--seeds", paramLabel = "N", description = "number of seeds, one after the other (default: 1)")
    private int seeds = 1;

    @Option(names = "--minutes", paramLabel = "M", description = "run seeds for this long, instead of a number of them")
    private double minutes;

    @Option(
            names = "--bug",
            paramLabel = "BUG",
            completionCandidates = Bugs.class,
            description = "plant a bug, to see that it is found; 'list' lists them all")
    private String bugName = Bug.NONE.name();

    /** Lists all names. */
    static final class Bugs implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Bug.ALL.stream().map(Bug::name).iterator();
        }
    }

    @Option(
            names = "--faults",
            paramLabel = "KIND,KIND,...|FILE",
            converter = StruckBy.Converter.class,
            completionCandidates = StruckBy.Converter.class,
            description =
                    "inject only these faults, in every seed: none, or some of ${COMPLETION-CANDIDATES}"
                            + " (default: the seed chooses; with DFS_CRASH, DFS_PAUSE and the like every seed runs on a DFS node);"
                            + " or repeat the run whose list of faults is in a FILE that --shrink wrote, named with a dot or a slash")
    private @Nullable StruckBy faults;

    @Option(
            names = "--shrink",
            paramLabel = "FILE",
            description = "leave out as many faults of a seed with a violation as can be left out, and clients,"
                    + " and write the list of those that remain; with --bug alone, of the seed that shows it")
    private @Nullable Path shrink;

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            description =
                    "run a scripted scenario and narrate it, message by message; 'list' lists them all, 'all' films them")
    private @Nullable String scenario;

    @Option(
            names = "--bugs",
            description = "plant the bug, or every bug in turn, and report how soon it is found, and by which check")
    private boolean bugs;

    @Mixin
    private Outputs outputs = new Outputs();

    /** The run, or the first of those, that the options describe. */
    private record Chosen(long seed, Simulation.Options options) {}

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (!bugName.equals(Bug.NONE.name())
                && Bug.ALL.stream().noneMatch(each -> each.name().equals(bugName))) {
            return list(out, "bug", bugName, Bug.ALL, Bug::name, SimulateCommand::text);
        }
        Chosen chosen = chosen();
        Bug bug = chosen.options().bug();
        if (bugs || shrink != null || bug != Bug.NONE) {
            Logs.nothing();
        } else {
            Logs.onlyErrors();
        }
        if (shrink != null) {
            return shrink(out, shrink, chosen);
        }
        if (outputs.isAnyFile()) {
            return film(out, chosen);
        }
        if (scenario != null) {
            return narrate(out, scenario, bug);
        }
        if (bugs) {
            return new BugHunt(bug == Bug.NONE ? Bug.ALL : List.of(bug), seed, seeds, printing(out)).run() ? 0 : 1;
        }
        Consumer<String> tracing = outputs.isPrinted() ? out::println : null;
        return run(out, chosen, tracing) ? 0 : 1;
    }

    private static Consumer<String> printing(PrintWriter out) {
        return line -> {
            out.println(line);
            out.flush();
        };
    }

    private boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** Refuses what does not go together. */
    private Chosen chosen() {
        boolean isOneRun = !bugs && seeds == 1 && minutes == 0;
        if (outputs.isAnyFile() && (!isOneRun || outputs.isPrinted())) {
            throw CommandFailure.usage(
                    "--film, --trace FILE, --shiviz, --mermaid and --history write one seed (--seed) or one"
                            + " scenario (--scenario), so they take no --bugs, --seeds and --minutes, and no --trace without a file");
        }
        if (shrink != null && (!isOneRun || outputs.isPrinted() || scenario != null)) {
            throw CommandFailure.usage("--shrink takes one seed (--seed), or the one that shows a bug (--bug)");
        }
        Bug bug = Bug.valueOf(bugName);
        Path file = faults == null ? null : faults.file();
        if (file == null) {
            boolean isPinned = shrink != null && !isGiven("--seed") && bug.seed() > 0;
            return new Chosen(
                    isPinned ? bug.seed() : seed, new Simulation.Options(bug, faults == null ? null : faults.kinds()));
        }
        Schedule.Kept kept = StruckBy.read(file);
        if (!isOneRun || scenario != null || (isGiven("--seed") && seed != kept.seed())) {
            throw CommandFailure.usage(
                    file + " has the faults of seed " + kept.seed() + ", so it goes with no other seed");
        }
        Simulation.Options options = kept.options(file.toString());
        return new Chosen(kept.seed(), isGiven("--bug") ? options.with(bug) : options);
    }

    private int shrink(PrintWriter out, Path file, Chosen chosen) {
        Shrink.Result result = new Shrink(chosen.seed(), chosen.options(), Shrink.RUNS_MAX, printing(out)).run();
        if (!result.isWrong()) {
            out.println("seed " + chosen.seed() + " is right" + chosen.options() + ": there is nothing to shrink");
            out.flush();
            return 0;
        }
        Schedule least = result.run().schedule();
        out.printf(
                Locale.ROOT,
                "after %d runs, seed %d fails with %d of its %d faults%s:%n",
                result.runs(),
                chosen.seed(),
                least.faults().size(),
                result.before().faults().size(),
                result.isLeast() ? ", and with no fewer" : "");
        least.told().forEach(out::println);
        result.run().report().violations().forEach(out::println);
        SortedSet<FaultKind> kinds = chosen.options().faults() == null
                ? null
                : new TreeSet<>(chosen.options().faults());
        Schedule.Kept kept = new Schedule.Kept(chosen.seed(), chosen.options().bug(), kinds, least);
        try {
            kept.write(file);
        } catch (IOException failed) {
            throw CommandFailure.failed("the faults cannot be written to " + file + ": " + failed);
        }
        out.println("The faults are in " + file + "; to repeat it: cleave simulate --faults "
                + (StruckBy.isFile(file.toString()) ? "" : "./") + file);
        out.flush();
        if (outputs.isAnyFile()) {
            film(out, new Chosen(chosen.seed(), kept.options(file.toString())));
        }
        return 1;
    }

    /** Lists what there is, because it was asked for or because it was asked for in vain. */
    private static <T> int list(
            PrintWriter out,
            String kind,
            String asked,
            List<T> all,
            Function<T, String> name,
            Function<T, String> text) {
        boolean isWanted = asked.equals("list");
        out.println((isWanted ? "" : "There is no " + kind + " '" + asked + "'. ") + "The " + kind + "s are:");
        all.forEach(each -> out.printf(Locale.ROOT, "  %-38s %s%n", name.apply(each), text.apply(each)));
        out.flush();
        return isWanted ? 0 : 2;
    }

    private static String text(Bug planted) {
        return planted.text() + (planted.seed() > 0 ? " (seed " + planted.seed() + ")" : "");
    }

    private int film(PrintWriter out, Chosen chosen) {
        Bug bug = chosen.options().bug();
        if (scenario == null) {
            return film(out, chosen, bug);
        }
        if (scenario.equals(ALL)) {
            return filmAll(out, bug);
        }
        Scenario story = Scenario.of(scenario);
        if (story == null) {
            return list(out, "scenario", scenario, Scenario.ALL, Scenario::id, Scenario::title);
        }
        List<Scenario.Filmed> filmed = filmed(story, bug);
        Scenario.Report last = filmed.get(filmed.size() - 1).report();
        if (!last.isRight()) {
            last.told().forEach(out::println);
        }
        outputs.write(
                out,
                "Cleave, simulated: " + story.title(),
                about(bug),
                filmed.stream().map(Scenario.Filmed::film).toList());
        return last.isRight() ? 0 : 1;
    }

    private int film(PrintWriter out, Chosen chosen, Bug bug) {
        List<Film> films = new ArrayList<>();
        boolean isRight = true;
        for (Bug planted : besides(bug)) {
            Simulation.Filmed filmed =
                    Simulation.film(chosen.seed(), chosen.options().with(planted));
            films.add(filmed.film());
            isRight = filmed.report().isRight();
            out.println(filmed.report());
        }
        outputs.write(out, "Cleave, simulated: seed " + chosen.seed(), about(bug), films);
        return isRight ? 0 : 1;
    }

    /** The right run comes first. */
    private static List<Bug> besides(Bug bug) {
        return bug == Bug.NONE ? List.of(bug) : List.of(Bug.NONE, bug);
    }

    private static String about(Bug bug) {
        return bug == Bug.NONE ? "" : "With a planted bug: " + bug.text();
    }

    private List<Scenario.Filmed> filmed(Scenario story, Bug bug) {
        return besides(bug).stream().map(each -> story.film(seed, each)).toList();
    }

    /** Films every scenario, beside the first bug that it exposes. */
    private int filmAll(PrintWriter out, Bug bug) {
        if (bug != Bug.NONE) {
            throw CommandFailure.usage(
                    "--scenario all films each scenario with the bug that it exposes, so it takes no --bug");
        }
        Logs.nothing();
        Path folder = outputs.folder();
        boolean isRight = true;
        for (Scenario story : Scenario.ALL) {
            Bug exposed = story.bugs().isEmpty() ? Bug.NONE : story.bugs().get(0);
            List<Scenario.Filmed> filmed = filmed(story, exposed);
            isRight &= filmed.get(0).report().isRight();
            Outputs.page(
                    out,
                    folder.resolve(story.id() + ".html"),
                    "Cleave, simulated: " + story.title(),
                    about(exposed),
                    filmed.stream().map(Scenario.Filmed::film).toList());
        }
        return isRight ? 0 : 1;
    }

    private int narrate(PrintWriter out, String name, Bug bug) {
        if (name.equals(ALL)) {
            outputs.folder();
        }
        Scenario story = Scenario.of(name);
        if (story == null) {
            return list(out, "scenario", name, Scenario.ALL, Scenario::id, Scenario::title);
        }
        Scenario.Report report = story.play(seed, bug);
        report.told().forEach(out::println);
        out.flush();
        return report.isRight() ? 0 : 1;
    }

    private boolean run(PrintWriter out, Chosen chosen, @Nullable Consumer<String> tracing) {
        long began = System.nanoTime();
        long cpuBegan = cpuNanos();
        long until = began + (long) (minutes * NANOS_PER_MINUTE);
        TreeMap<String, Integer> counts = new TreeMap<>();
        List<Long> wrong = new ArrayList<>();
        double virtualSeconds = 0;
        long operations = 0;
        double leastSeconds = Double.MAX_VALUE;
        int fewestOperations = Integer.MAX_VALUE;
        int run = 0;
        for (long each = chosen.seed(); minutes > 0 ? System.nanoTime() < until : run < seeds; each++) {
            Simulation.Report report = Simulation.run(each, chosen.options(), tracing);
            run++;
            virtualSeconds += report.virtualSeconds();
            operations += report.operations();
            report.counts().forEach((kind, times) -> counts.merge(kind, times, Integer::sum));
            if (report.isRight()) {
                leastSeconds = Math.min(leastSeconds, report.virtualSeconds());
                fewestOperations = Math.min(fewestOperations, report.operations());
            } else {
                wrong.add(each);
            }
            out.println(report);
            out.flush();
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        double cpuSeconds = (cpuNanos() - cpuBegan) / 1e9;
        out.printf(
                Locale.ROOT,
                "%d seeds, %.0f virtual seconds, %d operations in %.1f s: %.0f virtual seconds a second, %.0f a second of CPU%n",
                run,
                virtualSeconds,
                operations,
                seconds,
                virtualSeconds / seconds,
                virtualSeconds / cpuSeconds);
        if (wrong.size() < run) {
            out.printf(
                    Locale.ROOT,
                    "every seed without a violation had at least %.0f virtual seconds and %d operations%n",
                    leastSeconds,
                    fewestOperations);
        }
        counts.forEach((kind, times) -> out.printf(Locale.ROOT, "  %8d %s%n", times, kind));
        HandoffShares.lines(counts).forEach(out::println);
        out.println(wrong.isEmpty() ? "Every answer was right." : "WRONG seeds: " + wrong);
        out.flush();
        return wrong.isEmpty();
    }

    /** CPU time of this process, including its compiler and garbage collector. */
    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
