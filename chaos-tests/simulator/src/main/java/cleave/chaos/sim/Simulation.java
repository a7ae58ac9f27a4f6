package cleave.chaos.sim;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.cluster.FinalCheck;
import cleave.chaos.sim.cluster.SimClient;
import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.cluster.SimSettings;
import cleave.chaos.sim.cluster.SimWorkload;
import cleave.chaos.sim.cluster.TimestampCheck;
import cleave.chaos.sim.dfs.SimDfs;
import cleave.chaos.sim.dfs.SimDfsNode;
import cleave.chaos.sim.faults.Fault;
import cleave.chaos.sim.faults.FaultKind;
import cleave.chaos.sim.faults.Faults;
import cleave.chaos.sim.faults.TableChurn;
import cleave.chaos.sim.film.Film;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One seed: a cluster, its clients, the faults, and the final checks. Everything follows from the seed. Confined to its
 * caller.
 *
 * <p>It has two phases. Under faults, no answer may be wrong. Then everything is repaired, and the cluster must serve
 * every key again within a bound.
 */
public final class Simulation {
    private static final long SECOND = 1_000_000_000L;
    private static final int CLIENTS = 8;

    private final long seed;
    private final Options options;
    private final World world;
    private final SimCluster cluster;
    private final SimWorkload workload = SimWorkload.ofTwoTables();
    private final SimProcess operator;
    private final Faults faults;
    private final TableChurn churn;
    private final List<SimClient> clients = new ArrayList<>();
    /** Its faults only if they are not drawn. */
    private final Schedule schedule;

    /**
     * Parameters that do not depend on the seed. Immutable.
     *
     * @param bug planted in the cluster
     * @param faults the only kinds to inject; null lets the seed choose
     * @param schedule replaces what the seed, with the same kinds, would draw; null for nothing
     * @param file that has the schedule; empty if none has
     */
    public record Options(
            Bug bug,
            @Nullable Set<FaultKind> faults,
            @Nullable Schedule schedule,
            String file) {
        static final Options DEFAULT = new Options(Bug.NONE, null);

        public Options(Bug bug, @Nullable Set<FaultKind> faults) {
            this(bug, faults, null, "");
        }

        Options with(Schedule other) {
            return new Options(bug, faults, other, "");
        }

        Options with(Bug other) {
            return new Options(other, faults, schedule, file);
        }

        boolean needDfsNode() {
            return faults != null && faults.stream().anyMatch(FaultKind::needsDfsNode);
        }

        /** The options of the command that say the same. */
        @Override
        public String toString() {
            String struck = !file.isEmpty() ? file : faults == null ? "" : FaultKind.text(faults);
            return (struck.isEmpty() ? "" : " --faults " + struck) + (bug == Bug.NONE ? "" : " --bug " + bug);
        }
    }

    /** The result of a seed. Immutable. */
    public record Report(
            long seed,
            Options options,
            double virtualSeconds,
            long events,
            int operations,
            SortedMap<String, Integer> counts,
            long traceHash,
            List<Finding> violations) {
        public Report {
            violations = List.copyOf(violations);
        }

        public boolean isRight() {
            return violations.isEmpty();
        }

        @Override
        public String toString() {
            return "seed " + seed + (isRight() ? " is right" : " is WRONG") + ": "
                    + Math.round(virtualSeconds) + " virtual seconds, " + events + " events, " + operations
                    + " operations, trace " + Long.toHexString(traceHash)
                    + (isRight()
                            ? ""
                            : "\n" + violations.stream().map(Finding::toString).collect(Collectors.joining("\n"))
                                    + "\nreplay: cleave simulate --seed " + seed + options + " --trace"
                                    + (options.equals(Options.DEFAULT) ? "   or: -Dsim.seed=" + seed : ""));
        }
    }

    private Simulation(long seed, Options options, @Nullable Consumer<String> trace) {
        this.seed = seed;
        Schedule given = options.schedule();
        this.world = new World(seed, given == null ? 0 : given.luck(), trace);
        Random random = world.newRandom();
        this.options = options;
        SimMedium medium = random.nextInt(4) == 0 || options.needDfsNode()
                ? new SimDfsNode(world, options.bug())
                : new SimDfs(world, options.bug());
        this.cluster =
                new SimCluster(world, new SimCluster.Size(3, 4, 2), SimSettings.random(random), options.bug(), medium);
        if (options.bug() != Bug.NONE) {
            cluster.restartAfterFaults(); // The checks must find it from outside.
        }
        this.operator = new SimProcess(world, "operator");
        this.faults = new Faults(cluster, operator, options.faults(), given == null ? null : given.faults());
        workload.watch(new TimestampCheck(cluster)::look);
        List<String> frontEnds = cluster.frontEnds().stream().map(Node::name).toList();
        for (int i : clients()) {
            clients.add(new SimClient(cluster, workload, "c" + i, frontEnds, i));
        }
        this.churn = new TableChurn(clients.get(0));
        long drawnUntil = (50 + random.nextInt(16)) * SECOND;
        this.schedule = given != null ? given : new Schedule(0, new TreeSet<>(clients()), true, drawnUntil, List.of());
    }

    /** The numbers of all clients. */
    static List<Integer> clients() {
        return IntStream.rangeClosed(1, CLIENTS).boxed().toList();
    }

    /** Runs a seed. */
    public static Report run(long seed) {
        return run(seed, Options.DEFAULT, null);
    }

    /** @param trace receives the trace, line by line; null for nobody */
    public static Report run(long seed, Bug bug, @Nullable Consumer<String> trace) {
        return run(seed, new Options(bug, null), trace);
    }

    public static Report run(long seed, Options options, @Nullable Consumer<String> trace) {
        return new Simulation(seed, options, trace).run();
    }

    /** The same run, with its film. */
    public static Filmed film(long seed, Options options) {
        Simulation simulation = new Simulation(seed, options, null);
        Film film = new Film("seed " + seed + options, simulation.cluster, simulation.workload);
        simulation.world.film(film);
        return new Filmed(simulation.run(), film);
    }

    /** A run and its film. */
    public record Filmed(Report report, Film film) {}

    /** The same run, with the schedule that repeats it. */
    static Scheduled schedule(long seed, Options options) {
        Simulation simulation = new Simulation(seed, options, null);
        Report report = simulation.run();
        long wrongNanos = simulation.workload.named(report.violations()).stream()
                .mapToLong(operation -> operation.call().returned())
                .max()
                .orElse(simulation.world.now());
        List<Fault> struck = simulation.faults.struck();
        Schedule schedule = simulation.schedule;
        return new Scheduled(
                report, options.schedule() == null ? schedule.withFaults(struck) : schedule.retold(struck), wrongNanos);
    }

    /**
     * A run and what happened in it.
     *
     * @param wrongNanos the time by which it had gone wrong, if it did
     */
    record Scheduled(Report report, Schedule schedule, long wrongNanos) {}

    private Report run() {
        if (cluster.dfs() instanceof SimDfsNode stub) {
            stub.machine().start();
        }
        cluster.start();
        schedule.clients().forEach(number -> clients.get(number - 1).start());
        if (schedule.isTableChurned()) {
            churn.start();
        }
        world.runUntil(2 * SECOND, () -> false);
        faults.begin();
        world.runUntil(schedule.untilNanos(), () -> false);
        faults.end();
        world.runFor(10 * SECOND);
        clients.forEach(SimClient::stop);
        churn.stop();
        long bound = world.now() + FinalCheck.CONVERGENCE_NANOS_MAX;
        world.runUntil(bound, () -> churn.isIdle() && clients.stream().allMatch(SimClient::isIdle));
        new FinalCheck(cluster, clients.get(1), operator).pass(bound);
        return new Report(
                seed,
                options,
                world.now() / 1e9,
                world.scheduler().events(),
                workload.answered(),
                world.trace().counts(),
                world.trace().hash(),
                world.violations());
    }
}
