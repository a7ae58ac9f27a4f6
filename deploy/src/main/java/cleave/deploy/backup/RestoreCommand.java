package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cleave restore}. */
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        header = "restore a backup into an empty cluster",
        customSynopsis = {"cleave restore FROM [--masters ADDRESSES --dfs URI [--tls DIR] | --dir DIR] [--number N]"},
        description = {
            "The cluster must have been founded, and never have had a table; any number of servers will do. It keeps its own id."
                    + " The backup is checked as it is copied, and becomes the cluster's content by one command at the end: until then"
                    + " the cluster is empty, and an interrupted restore is simply run again.",
            "",
            "With --tls, the certificate must be an admin's."
        },
        footer = {
            "EXAMPLE",
            "",
            "  cleave restore /backups/c --masters n1:10100 --dfs dfs:e1:10300 --tls /etc/cleave/admin"
        })
public final class RestoreCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Mixin
    private ClusterOption cluster = new ClusterOption();

    @Parameters(index = "0", paramLabel = "FROM", description = "the folder of the backups; or file:/some/folder")
    private String from = "";

    @Option(names = "--number", paramLabel = "N", description = "the backup (default: the newest)")
    private @Nullable Long number;

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
        try (BackupFolder folder = BackupFolder.toRead(BackupCommand.folder(from))) {
            BackupIndex index = folder.index(folder.choose(number));
            try (AdminClient masters = cluster.masters().client();
                    Dfs dfs = cluster.open()) {
                String id = masters.status().getCluster();
                ClusterOption.check(dfs, id);
                restore(new LiveCluster(masters), dfs, folder, index);
                spec.commandLine()
                        .getOut()
                        .println("Backup " + index.number() + " of cluster " + index.cluster()
                                + " is restored in cluster " + id + ": "
                                + index.parts().size() + " ranges, " + Bytes.text(index.bytes()) + ".");
            }
        }
        return ExitCode.OK;
    }

    private void restore(ClusterAccess access, Dfs dfs, BackupFolder folder, BackupIndex index) {
        try (Progress progress = new Progress(spec.commandLine().getErr())) {
            RestoreRun run = new RestoreRun(access, new DfsFiles(dfs, access), folder, index, progress);
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
