package cleave.chaos.fault;

import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A trial that restarts each process of a cluster in turn by SIGTERM, in the order of an upgrade, under clients that behave like SDKs and
 * reach the front ends that are ready. Confined to its thread.
 */
final class Roll implements AutoCloseable {
    /** Processes leave as in production. */
    private static final Map<String, String> DRAINS =
            Map.of("front-end.drain-time", "2s", "server.drain-deadline", "60s");

    private final FaultCluster faults;
    private final Cluster cluster;
    private final boolean upgrades;
    private final ReadyFrontEnds frontEnds;
    private final Trial trial;

    /**
     * @param upgrades true if each process is started again from this build
     * @param clients their number
     * @param pause of a client between its operations
     */
    Roll(FaultCluster faults, boolean upgrades, int clients, Duration pause, Consumer<String> progress) {
        this.faults = faults;
        this.cluster = faults.cluster();
        this.upgrades = upgrades;
        this.frontEnds = new ReadyFrontEnds(cluster);
        RecordingClients load =
                RecordingClients.ofSdks(frontEnds, FaultCluster.TABLE, FaultCluster.PARTITIONS, clients, pause);
        trial = new Trial(load, faults.tableId(), () -> {}, progress);
        trial.begin();
    }

    /** @param from the folder of another build that the processes are started from; null for this build */
    static ClusterPlan plan(Path folder, @Nullable Path from) throws IOException {
        ClusterPlan plan = ClusterPlan.in(folder).masters(3).servers(3).frontEnds(2);
        if (from != null) {
            return plan.builtIn(from);
        }
        for (Map.Entry<String, String> drain : DRAINS.entrySet()) {
            plan = plan.set(drain.getKey(), drain.getValue());
        }
        return plan;
    }

    /** Each DFS node, server, front end and master once, the leading master last. */
    void all() {
        restart("DFS node", cluster.dfsNodes());
        restart("server", cluster.servers());
        restart("front end", cluster.frontEnds());
        int leader = cluster.leader();
        List<ChildProcess> masters = new ArrayList<>(cluster.masters());
        masters.sort(Comparator.comparing(master -> cluster.masters().indexOf(master) == leader));
        restart("master", masters.subList(0, masters.size() - 1));
        restart("leading master", masters.subList(masters.size() - 1, masters.size()));
    }

    /** Each is over when the process is ready again and every range is served. */
    void restart(String role, List<ChildProcess> processes) {
        for (ChildProcess process : processes) {
            trial.step(role + (upgrades ? " upgraded" : " restarted"), "", Drill.ALL, () -> {
                process.stop(FaultCluster.PATIENCE);
                if (upgrades) {
                    cluster.upgrade(process, DRAINS);
                }
                process.start();
                faults.awaitWhole();
                return System.nanoTime();
            });
        }
    }

    /** Ends the clients and checks their history. */
    Report end() {
        return trial.end();
    }

    @Override
    public void close() {
        frontEnds.close();
    }
}
