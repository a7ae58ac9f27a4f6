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
class ClusterSmokeIT {
    @Nested
    class JavaTables extends JavaTablesContract {
        JavaTables(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class JavaEntities extends JavaEntitiesContract {
        JavaEntities(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class JavaQueries extends JavaQueriesContract {
        JavaQueries(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class JavaTransactions extends JavaTransactionsContract {
        JavaTransactions(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class Isolation extends IsolationContract {
        Isolation(Endpoint endpoint) {
            super(endpoint);
        }
    }

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
