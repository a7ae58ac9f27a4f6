package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.Deployment;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.MastersOption;
import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsException;
import cleave.dfs.DfsIdentityFile;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import cleave.wire.StatusReply;
import io.prometheus.client.CollectorRegistry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that select a cluster: its masters and its DFS. Confined to the command's thread. */
final class ClusterOption {
    @Mixin
    private MastersOption masters = new MastersOption();

    @Option(
            names = "--dfs",
            paramLabel = "URI",
            description =
                    "the cluster's DFS, as its servers' setting dfs names it: dfs:host:port (default: that of --dir)")
    private @Nullable String dfs;

    /**
     * A cluster whose masters and DFS belong together.
     *
     * @param id of the cluster
     * @param dfsId as {@link UsedDfs#idOf} answers it
     */
    record Connected(AdminClient masters, Dfs dfs, String id, String dfsId) implements AutoCloseable {
        ClusterAccess access() {
            return new LiveCluster(masters);
        }

        DfsFiles files() {
            return new DfsFiles(dfs, access());
        }

        @Override
        public void close() {
            dfs.close();
            masters.close();
        }
    }

    /**
     * Connects as an admin; the caller closes it. Ends the command if the cluster does not answer, or masters and DFS
     * do not belong together.
     */
    Connected connect() {
        AdminClient client = masters.client();
        try {
            return connect(client);
        } catch (RuntimeException refused) {
            client.close();
            throw refused;
        }
    }

    private Connected connect(AdminClient client) {
        Dfs opened = open();
        try {
            StatusReply status = client.status();
            String id = status.getCluster();
            return new Connected(client, opened, id, check(opened, id, status));
        } catch (RuntimeException refused) {
            opened.close();
            throw refused;
        }
    }

    /** The deployment of a folder on this machine; null if none is given and the usual folder has none. */
    @Nullable
    Deployment deployment() {
        return masters.deployment();
    }

    private Dfs open() {
        String uri = uri();
        if (uri.startsWith("file:")) {
            throw CommandFailure.usage("--dfs is '" + uri
                    + "' but must be dfs:host:port or bookkeeper://...: a folder is open to the process of"
                    + " its cluster only. To back up a standalone, stop it and copy its folder, or export its tables");
        }
        try {
            return DfsClients.open(
                    uri, AdminClient.transport(masters.certificates()), new DfsMetrics(new CollectorRegistry()));
        } catch (DfsException refused) {
            throw CommandFailure.usage("--dfs: " + refused.getMessage());
        }
    }

    private String uri() {
        if (dfs != null) {
            return dfs;
        }
        Deployment deployment = masters.deployment();
        if (deployment == null) {
            throw CommandFailure.usage(
                    "which DFS? Give --dfs dfs:host:port or bookkeeper://..., or --dir DIR of a cluster on this machine");
        }
        if (deployment.dfs() == null) {
            throw CommandFailure.usage(
                    "this deployment keeps its DFS within its own process, where no other can read it."
                            + " To back it up, stop it and copy its folder, or export its tables");
        }
        return deployment.dfs();
    }

    /** Ends the command unless the masters keep the files of this cluster in the DFS; answers its id. */
    private static String check(Dfs dfs, String cluster, StatusReply status) {
        Optional<ClusterIdentity> identity;
        Optional<DfsIdentity> which;
        try {
            identity = LiveCluster.join(ClusterFile.read(dfs));
            which = LiveCluster.join(DfsIdentityFile.read(dfs));
        } catch (DfsException silent) {
            throw CommandFailure.unreachable("the DFS does not answer, or refuses an admin: " + silent.getMessage());
        }
        if (identity.isEmpty() || !identity.get().cluster().text().equals(cluster)) {
            throw CommandFailure.usage("the masters are of cluster " + cluster + ", but the DFS keeps the files of "
                    + identity.map(each -> "cluster " + each.cluster().text()).orElse("no cluster")
                    + ": give the --dfs of this cluster");
        }
        return UsedDfs.idOf(status, which);
    }
}
