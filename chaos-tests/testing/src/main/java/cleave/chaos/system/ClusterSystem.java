package cleave.chaos.system;

import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import java.util.Map;

/**
 * A cluster of separate processes (1 master, 3 servers, 1 front end, 1 DFS node), and an endpoint of it. Tests that break something start a
 * cluster of their own.
 */
public final class ClusterSystem extends SharedSystem<ClusterSystem.Running> {
    public ClusterSystem() {
        super(
                Running.class,
                Map.of(
                        Cluster.class,
                        running -> running.cluster,
                        Endpoint.class,
                        running -> running.cluster.endpoints().get(0)));
    }

    static final class Running implements AutoCloseable {
        private final Cluster cluster = Cluster.started(
                ClusterPlan.in(Folders.fresh("cluster"))
                        .servers(3)
                        .set("front-end.table-memory", "1s")
                        .set(
                                "master.suspect",
                                "60s") // Nobody kills its servers, and a busy machine stops them for seconds.
                        .set("master.stream-grace", "60s"),
                Patience.ofSeconds(90));

        @Override
        public void close() {
            cluster.close();
        }
    }
}
