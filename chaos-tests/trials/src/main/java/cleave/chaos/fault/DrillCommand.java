package cleave.chaos.fault;

import cleave.chaos.process.ClusterPlan;
import cleave.deploy.CommandFailure;
import cleave.deploy.cluster.DfsKind;
import cleave.deploy.cluster.DfsOption;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave trial drill}: faults on a local cluster under load, with figures. */
@Command(
        name = "drill",
        mixinStandardHelpOptions = true,
        header = "kills and pauses processes under load; measures and checks what clients see",
        description = {
            "Starts 3 masters, 3 servers, 2 front ends and a DFS node as processes of this machine, splits a table into 24"
                    + " ranges, and runs clients that never retry on all of them. Then kills servers, pauses servers, kills"
                    + " the leading master, restarts the DFS node, and stops all masters for a while. Prints how long"
                    + " each fault kept the slowest range from taking writes, the longest wait of a client, the time from the"
                    + " return of what had failed to the recovery of everything, and whether the history is linearizable. Exits with status 1 if not, or if a request failed that no fault excuses."
                    + " Draws when each range took writes, with the faults.",
            "",
            "The ranges are small, and their logs roll constantly. With --size-mib they are as large as asked for, with the"
                    + " thresholds of production: it loads entities that never change before the faults, scans for each of them"
                    + " afterwards, and prints how much of the disks the processes use.",
            "",
            "With --dfs bookkeeper, in place of the restarts of the DFS node, it kills bookies, pauses bookies, destroys their"
                    + " disks one at a time, each once everything on the previous one is fully replicated again, kills and"
                    + " pauses the leading ZooKeeper server, and stops ZooKeeper for a while. None of this excuses a failed"
                    + " request, except ZooKeeper's absence for longer than its sessions (30 s). Bookies that end in between"
                    + " are started again."
        })
public final class DrillCommand extends TrialRun {
    private static final int CLIENTS = 6;
    private static final int CHECKPOINTS = 5;
    private static final Duration WARM_UP = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    /** The sessions of Cleave's processes with ZooKeeper last as long. */
    private static final Duration ZOOKEEPER_PAUSE = Duration.ofSeconds(10);

    @Mixin
    private final DfsOption dfs = new DfsOption();

    @Option(names = "--kills", paramLabel = "N", description = "server kills (default: 20)")
    private int kills = 20;

    @Option(names = "--pauses", paramLabel = "N", description = "server pauses (default: 5)")
    private int pauses = 5;

    @Option(names = "--leader-kills", paramLabel = "N", description = "kills of the leading master (default: 3)")
    private int leaderKills = 3;

    @Option(names = "--dfs-restarts", paramLabel = "N", description = "kills and starts of the DFS node (default: 3)")
    private int dfsRestarts = 3;

    @Option(names = "--bookie-kills", paramLabel = "N", description = "kills of bookies (default: 3)")
    private int bookieKills = 3;

    @Option(names = "--bookie-pauses", paramLabel = "N", description = "pauses of bookies, 5 s each (default: 3)")
    private int bookiePauses = 3;

    @Option(names = "--bookie-wipes", paramLabel = "N", description = "disks of bookies destroyed (default: 2)")
    private int bookieWipes = 2;

    @Option(
            names = "--zookeeper-kills",
            paramLabel = "N",
            description = "kills of the leading ZooKeeper server, 5 s each (default: 2)")
    private int zookeeperKills = 2;

    @Option(
            names = "--zookeeper-pauses",
            paramLabel = "N",
            description = "pauses of the leading ZooKeeper server, 10 s each (default: 2)")
    private int zookeeperPauses = 2;

    @Option(
            names = "--zookeeper-wipes",
            paramLabel = "N",
            description = "disks of the leading ZooKeeper server destroyed, with --zookeepers 3 or 5 (default: 0)")
    private int zookeeperWipes;

    @Option(
            names = "--without-zookeeper",
            paramLabel = "SECONDS,...",
            split = ",",
            hideParamSyntax = true,
            description = "how long all ZooKeeper servers are stopped, each time (default: 10,60)")
    private List<Integer> withoutZooKeeper = List.of(10, 60);

    @Option(
            names = "--without-masters",
            paramLabel = "SECONDS",
            description = "how long all masters are stopped (default: 30)")
    private int withoutMasters = 30;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "operations per second of all clients (default: 0, no limit)")
    private int rate = 0;

    @Option(names = "--size-mib", paramLabel = "N", description = "approximate size of a range (default: 0, a few KiB)")
    private int sizeMib = 0;

    @Option(
            names = "--settle",
            paramLabel = "MINUTES",
            description =
                    "with --size-mib: how long the cluster is left alone after the faults, so that what nobody needs"
                            + " any more is compacted and swept, before the final scan and the look at the disks (default: 0)")
    private int settle = 0;

    @Override
    public Integer call() throws IOException {
        Integer zookeepers = dfs.plan().zookeepers();
        if (zookeeperWipes > 0 && (zookeepers == null || zookeepers == 1)) {
            throw CommandFailure.usage("with one ZooKeeper server there is no other copy of what it stores:"
                    + " --zookeeper-wipes needs --zookeepers 3 or 5");
        }
        if (sizeMib < 0) {
            throw CommandFailure.usage("a range cannot have " + sizeMib + " MiB: --size-mib needs 0 or more");
        }
        if (settle < 0 || (settle > 0 && sizeMib == 0)) {
            throw CommandFailure.usage("--settle needs 0 or more minutes, and ranges of a size: --size-mib");
        }
        return super.call();
    }

    @Override
    List<Report> reports(Path folder) throws IOException {
        try (FaultCluster faults = FaultCluster.started(plan(folder))) {
            record.begin(faults.cluster());
            @Nullable StableRows stable = sizeMib == 0 ? null : loaded(faults, folder);
            warmUp(faults);
            List<Report> reports = new ArrayList<>();
            for (Consumer<Drill> round : rounds(faults.cluster().bookKeeper().isPresent())) {
                reports.add(report(faults, null, round));
                run.progress(ReportText.steps(reports.subList(reports.size() - 1, reports.size())));
            }
            if (stable != null) {
                settle(folder);
                run.progress("scanning for " + stable.count() + " entities");
                reports.add(report(faults, stable, drill -> {}));
                run.print(DiskUse.of(folder).table(stable.totalBytes()));
            }
            return reports;
        }
    }

    private StableRows loaded(FaultCluster faults, Path folder) throws IOException {
        StableRows stable = StableRows.ofBytes(
                FaultCluster.TABLE, FaultCluster.PARTITIONS, FaultCluster.PARTITIONS * ((long) sizeMib << 20));
        run.progress("loading " + sizeMib + " MiB into each range");
        stable.load(faults.cluster().endpoints().get(0), run::progress);
        run.progress(DiskUse.of(folder).table(stable.totalBytes()));
        return stable;
    }

    private void settle(Path folder) throws IOException {
        for (int minute = 0; minute < settle; minute++) {
            run.progress(DiskUse.of(folder).sum() + " after " + minute + " of " + settle + " minutes without load");
            long until = System.nanoTime() + MINUTE.toNanos();
            for (long left = MINUTE.toNanos(); left > 0; left = until - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }

    private void warmUp(FaultCluster faults) {
        RecordingClients warmUp = faults.workload(CLIENTS);
        warmUp.start();
        if (sizeMib == 0) {
            run.progress("waiting until each range has published " + CHECKPOINTS + " checkpoints");
            faults.awaitCheckpoints(CHECKPOINTS);
        } else {
            run.progress("warming up for " + WARM_UP.toSeconds() + " s");
            warmUp.keepWriting(WARM_UP, FaultCluster.PATIENCE);
        }
        warmUp.stop();
    }

    private Report report(FaultCluster faults, @Nullable StableRows stable, Consumer<Drill> round) {
        Drill drill = new Drill(faults, stable, new Drill.Shape(0, rate, 0, 0), run::progress);
        drill.begin();
        round.accept(drill);
        return drill.end();
    }

    private ClusterPlan plan(Path folder) {
        if (sizeMib > 0) {
            return Drill.plan(folder).dfs(dfs.plan());
        }
        ClusterPlan plan = FaultCluster.plan(folder).dfs(dfs.plan());
        // There each roll of a log makes a ledger more, and autorecovery copies one after the other.
        return dfs.plan().orStub().kind() == DfsKind.BOOKKEEPER
                ? plan.set("server.checkpoint-log-bytes", "16KiB")
                : plan;
    }

    /** One for each kind of fault, with clients and a history of its own. */
    private List<Consumer<Drill>> rounds(boolean isOnBookKeeper) {
        List<Consumer<Drill>> rounds = new ArrayList<>();
        repeat(rounds, kills, Drill::killServer);
        repeat(rounds, pauses, Drill::pauseServer);
        repeat(rounds, leaderKills, Drill::killLeader);
        if (isOnBookKeeper) {
            repeat(rounds, bookieKills, Drill::killBookie);
            repeat(rounds, bookiePauses, Drill::pauseBookie);
            repeat(rounds, bookieWipes, Drill::wipeBookie);
            repeat(rounds, zookeeperKills, Drill::killZooKeeper);
            repeat(rounds, zookeeperPauses, drill -> drill.pauseZooKeeper(ZOOKEEPER_PAUSE));
            repeat(rounds, zookeeperWipes, Drill::wipeZooKeeper);
            withoutZooKeeper.stream()
                    .filter(seconds -> seconds > 0)
                    .forEach(seconds -> rounds.add(drill -> drill.withoutZooKeeper(Duration.ofSeconds(seconds))));
        } else {
            repeat(rounds, dfsRestarts, Drill::restartDfs);
        }
        if (withoutMasters > 0) {
            rounds.add(drill -> drill.stopMasters(Duration.ofSeconds(withoutMasters)));
        }
        return rounds;
    }

    private static void repeat(List<Consumer<Drill>> rounds, int times, Consumer<Drill> fault) {
        if (times > 0) {
            rounds.add(drill -> IntStream.range(0, times).forEach(time -> fault.accept(drill)));
        }
    }
}
