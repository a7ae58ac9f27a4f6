package cleave.chaos.fault;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cleave trial roll}: a rolling restart, or an upgrade, of a local cluster under load, with figures. */
@Command(
        name = "roll",
        mixinStandardHelpOptions = true,
        header = "restarts or upgrades every process of a cluster under load; measures and checks what clients see",
        description = {
            "Starts 3 masters, 3 servers, 2 front ends and a DFS node as processes of this machine. Clients write, read"
                    + " back, and retry like SDKs by default; they reach the front ends that are ready, as through a load"
                    + " balancer. Then each process in turn gets SIGTERM, ends, and is started again: DFS node, servers, front"
                    + " ends, masters, the leading one last.",
            "With --from, the processes are those of another build at first, and of this one afterwards.",
            "Prints for each role how many operations failed, how many acknowledged writes were lost, and how long the slowest"
                    + " operation took, and draws when each range took writes. Exits with status 1 if one failed or was lost."
        })
public final class RollCommand extends TrialRun {
    private static final int RANGES = 6;
    private static final Duration BEFORE = Duration.ofSeconds(5);

    @Option(
            names = "--from",
            paramLabel = "DIR",
            description = "folder of the sources of another version, built, that is upgraded to this one")
    private @Nullable Path from;

    @Option(names = "--clients", paramLabel = "N", description = "clients (default: 4)")
    private int clients = 4;

    @Option(
            names = "--pause",
            paramLabel = "MILLIS",
            description = "of each client after a write or a read (default: 10)")
    private int pauseMillis = 10;

    @Option(names = "--rounds", paramLabel = "N", description = "restarts of every process (default: 1)")
    private int rounds = 1;

    @Override
    List<Report> reports(Path folder) throws IOException {
        try (FaultCluster faults = FaultCluster.started(Roll.plan(folder, from), RANGES);
                Roll roll = new Roll(faults, from != null, clients, Duration.ofMillis(pauseMillis), run::progress)) {
            record.begin(faults.cluster());
            LockSupport.parkNanos(BEFORE.toNanos());
            for (int round = 0; round < rounds; round++) {
                roll.all();
            }
            return List.of(roll.end());
        }
    }
}
