package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.Deployment;
import cleave.model.ClusterId;
import cleave.runtime.rpc.Address;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of commands that talk to masters: which ones. Confined to the command's thread. */
public final class MastersOption {
    private static final String CLUSTER_VARIABLE = "CLEAVE_CLUSTER";

    @Option(
            names = "--masters",
            paramLabel = "ADDRESSES",
            split = ",",
            hideParamSyntax = true,
            description = "gRPC addresses of the masters: host:port[,host:port...]")
    private List<String> masters = List.of();

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "the folder of a standalone or cluster on this machine (default: ./cleave-data)")
    private @Nullable Path dir;

    @Option(
            names = "--tls",
            paramLabel = "DIR",
            description =
                    "the folder of certificates (tls.crt, tls.key, ca.crt) for mutual TLS with the masters; empty: in the clear")
    private @Nullable Path tls;

    @Option(
            names = "--cluster",
            paramLabel = "ID",
            description =
                    "the id of the cluster that is meant, as 'cleave admin leader' shows it: masters of another refuse the request"
                            + " (default: environment variable CLEAVE_CLUSTER; without either, whatever cluster the masters belong to)")
    private @Nullable String cluster;

    /** True if it says which masters, so that nothing else counts. */
    public boolean isGiven() {
        return !masters.isEmpty() || dir != null;
    }

    /** A client of the masters given, or of those that a folder tells; to be closed. */
    public AdminClient client() {
        return client(cluster());
    }

    /** A client that gives up soon, for one who asks again and again; to be closed. */
    public AdminClient watcher() {
        return limited(AdminClient.watcher(addresses(), certificates()), cluster());
    }

    /** A client with the rights of an administrator, from a folder of certificates; null: those given for all else. To be closed. */
    public AdminClient administrator(@Nullable Path certificates) {
        return limited(AdminClient.of(addresses(), certificates == null ? certificates() : certificates), cluster());
    }

    /** @param only the cluster that is meant; null: whichever it is */
    AdminClient client(@Nullable ClusterId only) {
        return limited(AdminClient.of(addresses(), certificates()), only);
    }

    private static AdminClient limited(AdminClient client, @Nullable ClusterId only) {
        if (only != null) {
            client.only(only);
        }
        return client;
    }

    /** The cluster that the caller means; null: whichever the masters belong to. */
    @Nullable
    ClusterId cluster() {
        return namesCluster() ? id("--cluster", cluster) : id(CLUSTER_VARIABLE, System.getenv(CLUSTER_VARIABLE));
    }

    /** True if an option names a cluster, whatever the environment says. */
    boolean namesCluster() {
        return cluster != null;
    }

    private static @Nullable ClusterId id(String source, @Nullable String text) {
        try {
            return text == null || text.isEmpty() ? null : new ClusterId(text);
        } catch (IllegalArgumentException malformed) {
            throw CommandFailure.usage(source + ": " + malformed.getMessage());
        }
    }

    /** The folder of the cluster, if it is given. */
    public @Nullable Path dir() {
        return dir;
    }

    /** The folder of an admin's certificate; null: everything is in the clear. */
    public @Nullable Path certificates() {
        if (tls != null) {
            return tls.toString().isEmpty() ? null : tls;
        }
        return masters.isEmpty() ? Deployment.load(folder()).tls() : null;
    }

    /** The addresses given, or those that a folder tells. */
    public List<String> addresses() {
        if (!masters.isEmpty()) {
            masters.forEach(MastersOption::check);
            return List.copyOf(masters);
        }
        Path folder = folder();
        List<String> found = new ArrayList<>(Deployment.load(folder).masters());
        if (found.isEmpty()) {
            throw CommandFailure.usage("the deployment in " + folder + " names no masters; give --masters");
        }
        return found;
    }

    /** The deployment that a folder tells of; null if none was named and the usual folder has none. */
    public @Nullable Deployment deployment() {
        return dir == null && !Deployment.isIn(Deployment.DEFAULT_FOLDER) ? null : Deployment.load(folder());
    }

    private Path folder() {
        if (dir != null) {
            return dir;
        }
        if (!Deployment.isIn(Deployment.DEFAULT_FOLDER)) {
            throw CommandFailure.usage(
                    "which masters? Give --masters ADDRESSES, or --dir DIR of a standalone or cluster"
                            + " (there is no running one in ./" + Deployment.DEFAULT_FOLDER + ")");
        }
        return Deployment.DEFAULT_FOLDER;
    }

    private static void check(String address) {
        try {
            Address.parse(address);
        } catch (IllegalArgumentException malformed) {
            throw CommandFailure.usage("--masters: " + malformed.getMessage());
        }
    }
}
