package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.ConnectionFile;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.Tables;
import cleave.deploy.admin.AdminClient;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say whose tables, and where. Confined to the command's thread. */
final class AccountOption {
    @Option(
            names = "--connection-file",
            paramLabel = "FILE",
            description = "a file with a connection string as for the SDKs")
    private @Nullable Path connectionFile;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "the folder of a standalone or cluster on this machine (default: ./cleave-data)")
    private Path dir = Deployment.DEFAULT_FOLDER;

    Tables tables() {
        if (connectionFile != null) {
            return new Tables(ConnectionFile.account(connectionFile));
        }
        Deployment found = Deployment.load(dir);
        return new Tables(found.tables());
    }

    /**
     * The place that a report names: the cluster, as the masters in the folder know it. The Table protocol does not reveal it;
     * with a connection string, or if no master answers, it is the account's address.
     */
    String place(Tables acted) {
        String cluster = connectionFile == null ? cluster() : "";
        return "# " + (cluster.isEmpty() ? "account at " + acted.url() : "cluster " + cluster);
    }

    /** The cluster's id; empty if no master answers. That is no failure, because the command has done its work. */
    private String cluster() {
        try {
            Deployment found = Deployment.load(dir);
            try (AdminClient masters = AdminClient.of(found.masters(), found.tls())) {
                return masters.meetCluster();
            }
        } catch (CommandFailure silent) {
            return "";
        }
    }
}
