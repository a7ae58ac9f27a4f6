package cleave.chaos.conformance;

import cleave.chaos.process.Cluster;
import cleave.chaos.process.Patience;
import cleave.chaos.system.ClusterSystem;
import cleave.client.Endpoint;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contracts of clients, against a cluster of separate processes; those of filters over many ranges. */
@ExtendWith(ClusterSystem.class)
class ClusterConformanceIT extends ClientContracts {
    ClusterConformanceIT() {
        super(Map.of());
    }

    @Nested
    class Filters extends FilterContract {
        private final Cluster cluster;

        Filters(Cluster cluster) {
            super(cluster.endpoints().get(0), 7);
            this.cluster = cluster;
        }

        @Override
        void split(String table, List<String> partitionKeys) {
            cluster.split(Endpoint.DEVELOPMENT_ACCOUNT, table, partitionKeys);
            cluster.awaitServed(Patience.ofSeconds(60));
        }
    }
}
