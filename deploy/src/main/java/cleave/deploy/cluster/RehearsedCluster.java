package cleave.deploy.cluster;

import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.TableAccount;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.ServedRanges;
import cleave.deploy.demo.Rehearsal;
import cleave.deploy.role.Roles;
import cleave.deploy.role.RunningRole;
import cleave.deploy.terminal.Wait;
import cleave.wire.StatusReply;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster whose roles are all in this process, but talk over its network as if they were not. It does once what processes do when they
 * start, when a hot range is split and when a server is lost, for the launcher's archive. Confined to one thread.
 */
public final class RehearsedCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RehearsedCluster.class);
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final int RANGES = 4;
    /** It keeps a few KiB, for some seconds: the disk of a small machine is good enough. */
    private static final List<String> SETTINGS = List.of("server.space-reserve=0");

    private final Layout layout;
    private final NodeSettings settings;
    private final Deployment deployment;
    private final Map<NodeId, RunningRole> roles = new LinkedHashMap<>();

    private RehearsedCluster(Path folder) {
        ClusterPlan plan = new ClusterPlan(folder, 3, 2, 1, DfsPlan.STUB, 0, null, null, true, false, SETTINGS);
        layout = plan.settle();
        settings = plan.settingsOf(layout);
        deployment = plan.deployment(layout).deployment();
    }

    /** Leaves its files in the folder. */
    public static void run(Path folder) {
        try (RehearsedCluster cluster = new RehearsedCluster(folder)) {
            cluster.rehearse();
        }
    }

    private void rehearse() {
        layout.nodes().forEach(this::start);
        Endpoint account = TableAccount.development(deployment.endpoints().get(0));
        try (AdminClient client = AdminClient.of(deployment.masters(), deployment.tls())) {
            client.found("", PATIENCE);
            await(
                    "all roles",
                    () -> roles.values().stream()
                            .allMatch(role -> role.readiness().ready()));
            Rehearsal.run(account);
            client.split(Rehearsal.split(account.credential().account(), RANGES));
            await("a range on each server", () -> owners(client.status()) == 2);
            Rehearsal.run(account);
            lose(layout.nodes(NodeId.Role.SERVER).get(0));
            await("the takeover", () -> owners(client.status()) == 1);
            Rehearsal.run(account);
        }
    }

    private void start(NodeId node) {
        RunningRole role = Roles.of(ClusterPlan.peerRole(node.role()), settings.of(node), new CollectorRegistry());
        roles.put(node, role);
        role.start();
    }

    /** Ends a role at once: it hands nothing over. */
    private void lose(NodeId node) {
        RunningRole lost = roles.remove(node);
        if (lost != null) {
            lost.close();
        }
    }

    /** The number of servers that own ranges; 0 while not all ranges are served. */
    private static long owners(StatusReply status) {
        return ServedRanges.of(status).isAll()
                ? status.getMap().getRowsList().stream()
                        .map(row -> row.getOwner())
                        .distinct()
                        .count()
                : 0;
    }

    private static void await(String what, BooleanSupplier isThere) {
        if (!Wait.until(isThere, PATIENCE, POLL)) {
            throw CommandFailure.failed("not there after " + PATIENCE.toSeconds() + " s: " + what);
        }
    }

    @Override
    public void close() {
        List<RunningRole> all = new ArrayList<>(roles.values());
        Collections.reverse(all);
        for (RunningRole each : all) {
            try {
                each.close();
            } catch (RuntimeException failed) {
                LOG.warn("a role of a rehearsal did not close name={}", each.name(), failed);
            }
        }
    }
}
