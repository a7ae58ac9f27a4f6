package cleave.chaos.sim;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.cluster.HandoffShares;
import cleave.chaos.sim.faults.FaultKind;
import cleave.chaos.sim.film.Film;
import cleave.chaos.sim.film.FilmPage;
import cleave.deploy.CommandFailure;
import cleave.deploy.role.Logs;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

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

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Option(names = "--seed", paramLabel = "S", description = "the first seed (default: 1)")
    private long seed = 1;

    @Option(names = "--seeds", paramLabel = "N", description = "number of seeds, one after the other (default: 1)")
    private int seeds = 1;

    @Option(names = "--minutes", paramLabel = "M", description = "run seeds for this long, instead of a number of them")
    private double minutes;

    @Option(names = "--trace", description = "print every event")
    private boolean trace;

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
            paramLabel = "KIND,KIND,...",
            converter = Kinds.class,
            completionCandidates = Kinds.class,
            description =
                    "inject only these faults, in every seed: none, or some of ${COMPLETION-CANDIDATES}"
                            + " (default: the seed chooses; with DFS_CRASH, DFS_PAUSE and the like every seed runs on a DFS node)")
    private @Nullable SortedSet<FaultKind> faults;

    /** Converts names to kinds, and lists all names. */
    static final class Kinds implements ITypeConverter<SortedSet<FaultKind>>, Iterable<String> {
        @Override
        public SortedSet<FaultKind> convert(String text) {
            try {
                return FaultKind.parse(text);
            } catch (IllegalArgumentException wrong) {
                throw new TypeConversionException(wrong.getMessage());
            }
        }

        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(FaultKind.values()).map(FaultKind::name).iterator();
        }
    }

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            description = "run a scripted scenario and narrate it, message by message; 'list' lists them all")
    private @Nullable String scenario;

    @Option(
            names = "--bugs",
            description = "plant the bug, or every bug in turn, and report how soon it is found, and by which check")
    private boolean bugs;

    @Option(
            names = "--film",
            paramLabel = "FILE",
            description =
                    "write a page that plays the seed or the scenario, with a planted bug beside the right run; any browser shows it")
    private @Nullable Path film;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (!bugName.equals(Bug.NONE.name())
                && Bug.ALL.stream().noneMatch(each -> each.name().equals(bugName))) {
            return list(out, "bug", bugName, Bug.ALL, Bug::name, SimulateCommand::text);
        }
        Bug bug = Bug.valueOf(bugName);
        if (bugs || bug != Bug.NONE) {
            Logs.nothing();
        } else {
            Logs.onlyErrors();
        }
        if (film != null) {
            if (trace || bugs || seeds > 1 || minutes > 0) {
                throw CommandFailure.usage(
                        "--film shows one seed (--seed) or one scenario (--scenario), so it takes no --trace, --bugs,"
                                + " --seeds and --minutes");
            }
            return film(out, film, bug);
        }
        if (scenario != null) {
            return narrate(out, scenario, bug);
        }
        if (bugs) {
            Consumer<String> printing = line -> {
                out.println(line);
                out.flush();
            };
            return new BugHunt(bug == Bug.NONE ? Bug.ALL : List.of(bug), seed, seeds, printing).run() ? 0 : 1;
        }
        Consumer<String> tracing = trace ? out::println : null;
        return run(out, new Simulation.Options(bug, faults), tracing) ? 0 : 1;
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

    private int film(PrintWriter out, Path file, Bug bug) {
        List<Bug> runs = bug == Bug.NONE ? List.of(bug) : List.of(Bug.NONE, bug);
        Scenario story = scenario == null ? null : Scenario.of(scenario);
        if (scenario != null && story == null) {
            return list(out, "scenario", scenario, Scenario.ALL, Scenario::id, Scenario::title);
        }
        List<Film> films = new ArrayList<>();
        boolean isRight = true;
        for (Bug planted : runs) {
            if (story != null) {
                Scenario.Filmed filmed = story.film(seed, planted);
                films.add(filmed.film());
                isRight = filmed.report().isRight();
                if (!isRight) {
                    filmed.report().told().forEach(out::println);
                }
            } else {
                Simulation.Filmed filmed = Simulation.film(seed, new Simulation.Options(planted, faults));
                films.add(filmed.film());
                isRight = filmed.report().isRight();
                out.println(filmed.report());
            }
        }
        String title = story == null ? "Cleave, simulated: seed " + seed : "Cleave, simulated: " + story.title();
        String about = bug == Bug.NONE ? "" : "With a planted bug: " + bug.text();
        try {
            FilmPage.write(file, title, about, films);
        } catch (IOException failed) {
            throw CommandFailure.failed("the film cannot be written to " + file + ": " + failed);
        }
        out.println("The film is in " + file);
        out.flush();
        return isRight ? 0 : 1;
    }

    private int narrate(PrintWriter out, String name, Bug bug) {
        Scenario story = Scenario.of(name);
        if (story == null) {
            return list(out, "scenario", name, Scenario.ALL, Scenario::id, Scenario::title);
        }
        Scenario.Report report = story.play(seed, bug);
        report.told().forEach(out::println);
        out.flush();
        return report.isRight() ? 0 : 1;
    }

    private boolean run(PrintWriter out, Simulation.Options options, @Nullable Consumer<String> tracing) {
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
        for (long each = seed; minutes > 0 ? System.nanoTime() < until : run < seeds; each++) {
            Simulation.Report report = Simulation.run(each, options, tracing);
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
