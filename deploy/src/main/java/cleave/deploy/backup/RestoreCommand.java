package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.TerminalCommand;
import cleave.dfs.DfsException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave restore}. */
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        header = "restore a backup into an empty cluster",
        customSynopsis = {"cleave restore FROM [--masters ADDRESSES --dfs URI [--tls DIR] | --dir DIR] [--number N]"},
        description = {
            "The cluster must have been founded and must never have had a table. It may have any number of servers, and keeps its own id."
                    + " The backup is checked as it is copied, and becomes the cluster's content by one command at the end: until then"
                    + " the cluster is empty, and an interrupted restore can be run again.",
            "",
            "With --tls, the certificate must be an admin's."
        },
        footer = {
            "EXAMPLE",
            "",
            "  cleave restore /backups/c --masters n1:10100 --dfs dfs:e1:10300 --tls /etc/cleave/admin"
        })
public final class RestoreCommand extends TerminalCommand implements Callable<Integer> {
    @Mixin
    private ClusterOption cluster = new ClusterOption();

    @Mixin
    private BackupOption backup = new BackupOption();

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            description = "how long to wait until all ranges are served (default: 600)")
    private int waitSeconds = 600;

    @Override
    public Integer call() {
        Logs.onlyErrors();
        if (waitSeconds < 0) {
            throw CommandFailure.usage("--wait is " + waitSeconds + " but must be 0 or more");
        }
        try (BackupFolder folder = backup.open()) {
            BackupIndex index = backup.index(folder);
            try (ClusterOption.Connected connected = cluster.connect()) {
                restore(connected, folder, index);
                say("Backup " + index.number() + " of cluster " + index.cluster()
                        + " is restored in cluster " + connected.id() + ": "
                        + index.parts().size() + " ranges, " + Bytes.text(index.bytes()) + ".");
            }
        }
        return ExitCode.OK;
    }

    private void restore(ClusterOption.Connected connected, BackupFolder folder, BackupIndex index) {
        try (Progress progress = progress()) {
            RestoreRun run = new RestoreRun(connected.access(), connected.files(), folder, index, progress);
            run.run();
            if (waitSeconds > 0) {
                run.awaitServed(Duration.ofSeconds(waitSeconds));
            }
        } catch (IOException failed) {
            throw BackupFolder.failure(folder.path(), failed);
        } catch (DfsException failed) {
            throw CommandFailure.failed(
                    "the DFS of the cluster: " + failed.getMessage() + ". Run the same command again; it does no harm");
        }
    }
}
