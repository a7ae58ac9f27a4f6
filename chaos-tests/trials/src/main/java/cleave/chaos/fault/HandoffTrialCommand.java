package cleave.chaos.fault;

import cleave.chaos.command.RangeOptions;
import cleave.deploy.cluster.DfsOption;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave trial handoffs}: splits, merges and moves on a local cluster under load, with figures. */
@Command(
        name = "handoffs",
        mixinStandardHelpOptions = true,
        header = "splits, merges and moves ranges under load; measures and checks what clients see",
        description = {
            "Starts 3 masters, 3 servers, 2 front ends and a DFS node as processes of this machine. Clients that never retry"
                    + " work on one table, scan it from end to end, and concentrate on the ranges that are about to change."
                    + " Meanwhile operators split, merge and move random ranges, each one handoff at a time. Then, if"
                    + " requested, the same continues while the leader or a server is killed, or all masters are down.",
            "Prints and draws how long clients waited around each handoff, how long its switch took, how all requests ended,"
                    + " and whether the history is linearizable. Exits with status 1 if not, or if a request failed that no fault excuses."
        })
public final class HandoffTrialCommand extends TrialRun {
    private static final int BETWEEN_FAULTS = 10;

    @Mixin
    private final DfsOption dfs = new DfsOption();

    @Mixin
    private final RangeOptions ranges = new RangeOptions();

    @Option(names = "--count", paramLabel = "N", description = "handoffs without faults (default: 1000)")
    private int count = 1_000;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description = "handoffs before those, which are not measured (default: 100)")
    private int warmUp = 100;

    @Option(names = "--operators", paramLabel = "N", description = "maximum concurrent handoffs (default: 2)")
    private int operators = 2;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "operations per second of all clients except the scans (default: 0, no limit)")
    private int rate = 0;

    @Option(names = "--leader-kills", paramLabel = "N", description = "kills of the leading master (default: 0)")
    private int leaderKills = 0;

    @Option(names = "--server-kills", paramLabel = "N", description = "kills of servers (default: 0)")
    private int serverKills = 0;

    @Option(
            names = "--without-masters",
            paramLabel = "SECONDS",
            description = "how long all masters are down (default: 0, never)")
    private int withoutMasters = 0;

    @Override
    List<Report> reports(Path folder) throws IOException {
        Drill.Shape shape = new Drill.Shape(operators, rate, ranges.rangeBytes(), ranges.seed());
        try (FaultCluster faults =
                Drill.started(Drill.plan(folder).dfs(dfs.plan()).atFullSpeed("512m"))) {
            record.begin(faults.cluster());
            run.progress("loading");
            StableRows stable = Drill.load(faults, shape, run::progress);
            return List.of(report(new Drill(faults, stable, shape, run::progress)));
        }
    }

    private Report report(Drill handoffs) {
        handoffs.begin();
        handoffs.awaitHandoffs(warmUp);
        handoffs.count();
        handoffs.awaitHandoffs(count);
        for (int i = 0; i < leaderKills; i++) {
            handoffs.killLeader();
            handoffs.awaitHandoffs(BETWEEN_FAULTS);
        }
        for (int i = 0; i < serverKills; i++) {
            handoffs.killServer();
            handoffs.awaitHandoffs(BETWEEN_FAULTS);
        }
        if (withoutMasters > 0) {
            handoffs.stopMasters(Duration.ofSeconds(withoutMasters));
            handoffs.awaitHandoffs(BETWEEN_FAULTS);
        }
        return handoffs.end();
    }
}
