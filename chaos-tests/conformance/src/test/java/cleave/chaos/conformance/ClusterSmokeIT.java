package cleave.chaos.conformance;

import cleave.chaos.process.Cluster;
import cleave.chaos.process.Patience;
import cleave.chaos.system.ClusterSystem;
import cleave.client.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks what separate processes could break: queries, filters and transactions over many ranges, and the first steps of a Java client. */
@ExtendWith(ClusterSystem.class)
class ClusterSmokeIT extends TableContracts {
    @Nested
    @Tag("nightly")
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
