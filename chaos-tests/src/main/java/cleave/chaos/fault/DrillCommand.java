package cleave.chaos.fault;

import cleave.chaos.command.RunOptions;
import cleave.chaos.history.HistoryVerdict;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave drill}: failures on a cluster of this machine, under work, with figures. */
@Command(
        name = "drill",
        mixinStandardHelpOptions = true,
        header = "kills and pauses processes under load; measures and checks what clients see",
        description = {
            "Starts 3 masters, 3 servers, 2 front ends and a DFS node as processes of this machine, splits a table into 24"
                    + " ranges, and runs clients that never retry on all of them. Then kills servers, pauses servers, kills"
                    + " the leading master, restarts the DFS node, and stops all masters for a while. Prints for how long"
                    + " each fault kept the slowest range from being written, and whether the answers are linearizable."
                    + " Exits with status 1 if not."
        })
public final class DrillCommand implements Callable<Integer> {
    @Mixin
    private final RunOptions run = new RunOptions();

    @Option(names = "--kills", paramLabel = "N", description = "server kills (default: 20)")
    private int kills = 20;

    @Option(names = "--pauses", paramLabel = "N", description = "server pauses (default: 5)")
    private int pauses = 5;

    @Option(names = "--leader-kills", paramLabel = "N", description = "kills of the leading master (default: 3)")
    private int leaderKills = 3;

    @Option(names = "--dfs-restarts", paramLabel = "N", description = "kills and starts of the DFS node (default: 3)")
    private int dfsRestarts = 3;

    @Option(
            names = "--without-masters",
            paramLabel = "SECONDS",
            description = "how long all masters are stopped (default: 30)")
    private int withoutMasters = 30;

    @Override
    public Integer call() throws IOException {
        Drill.Report report = new Drill(FaultCluster.plan(run.folder()), run::progress)
                .run(new Drill.Repetitions(
                        kills, pauses, leaderKills, dfsRestarts, Duration.ofSeconds(withoutMasters)));
        HistoryVerdict verdict = report.verdict();
        StringBuilder text = new StringBuilder(report.table());
        verdict.violations().forEach(each -> text.append(each).append('\n'));
        verdict.undecided()
                .forEach(name -> text.append("UNDECIDED: what was done with ")
                        .append(name)
                        .append('\n'));
        text.append(
                verdict.isRight()
                        ? "Every answer was right.\n"
                        : verdict.violations().isEmpty()
                                ? "No wrong answer was found.\n"
                                : "WRONG ANSWERS were given; see above.\n");
        run.print(text.toString());
        return verdict.isRight() ? 0 : 1;
    }
}
