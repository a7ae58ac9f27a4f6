package cleave.chaos.fault;

import cleave.chaos.command.RunOptions;
import cleave.deploy.cluster.DfsOption;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave drill}: faults on a local cluster under load, with figures. */
@Command(
        name = "drill",
        mixinStandardHelpOptions = true,
        header = "kills and pauses processes under load; measures and checks what clients see",
        description = {
            "Starts 3 masters, 3 servers, 2 front ends and a DFS node as processes of this machine, splits a table into 24"
                    + " ranges, and runs clients that never retry on all of them. Then kills servers, pauses servers, kills"
                    + " the leading master, restarts the DFS node, and stops all masters for a while. Prints for how long"
                    + " each fault kept the slowest range from being written, and whether the history is linearizable."
                    + " Exits with status 1 if not, or if a request failed that no fault excuses.",
            "",
            "With --dfs bookkeeper, in place of the restarts of the DFS node, it kills bookies, pauses bookies, destroys their"
                    + " disks one after the other, each after the copies of what was on the last one are complete, and kills"
                    + " the leading ZooKeeper server. None of this excuses a failed request."
        })
public final class DrillCommand implements Callable<Integer> {
    private static final int CLIENTS = 6;
    private static final int CHECKPOINTS = 5;

    @Mixin
    private final RunOptions run = new RunOptions();

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
            names = "--without-masters",
            paramLabel = "SECONDS",
            description = "how long all masters are stopped (default: 30)")
    private int withoutMasters = 30;

    @Override
    public Integer call() throws IOException {
        run.progress("starting the cluster and splitting its table");
        try (FaultCluster faults =
                FaultCluster.started(FaultCluster.plan(run.folder()).dfs(dfs.plan()))) {
            run.progress("waiting until each range has published " + CHECKPOINTS + " checkpoints");
            Workload warmUp = faults.workload(CLIENTS);
            warmUp.start();
            faults.awaitCheckpoints(CHECKPOINTS);
            warmUp.stop();
            boolean isOnBookKeeper = faults.cluster().bookKeeper().isPresent();
            return run(new Drill(faults, null, new Drill.Shape(0, 0, 0, 0), run::progress), isOnBookKeeper);
        }
    }

    private int run(Drill drill, boolean isOnBookKeeper) {
        drill.begin();
        repeat(kills, drill::killServer);
        repeat(pauses, drill::pauseServer);
        repeat(leaderKills, drill::killLeader);
        if (isOnBookKeeper) {
            repeat(bookieKills, drill::killBookie);
            repeat(bookiePauses, drill::pauseBookie);
            repeat(bookieWipes, drill::wipeBookie);
            repeat(zookeeperKills, drill::killZooKeeper);
        } else {
            repeat(dfsRestarts, drill::restartDfs);
        }
        drill.stopMasters(Duration.ofSeconds(withoutMasters));
        Drill.Report report = drill.end();
        run.print(DrillReport.of(report));
        return report.isRight() ? 0 : 1;
    }

    private static void repeat(int times, Runnable fault) {
        for (int i = 0; i < times; i++) {
            fault.run();
        }
    }
}
