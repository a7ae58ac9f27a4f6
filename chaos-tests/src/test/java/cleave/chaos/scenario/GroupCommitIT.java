package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Requests;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.system.ClusterSystem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many writers of one range share the appends to its commit log. */
@ExtendWith(ClusterSystem.class)
class GroupCommitIT {
    private static final int WRITERS = 64;
    private static final int WRITES = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Cluster cluster;
    private final Endpoint endpoint;
    private final Requests requests;
    private final String table = "G" + UUID.randomUUID().toString().replace("-", "");
    private final AtomicInteger written = new AtomicInteger();

    GroupCommitIT(Cluster cluster) {
        this.cluster = cluster;
        endpoint = cluster.endpoints().get(0);
        requests = new Requests(endpoint);
    }

    @Test
    void appendsAreASmallFractionOfWrites() throws IOException, InterruptedException {
        try (Connection connection = Connection.open(endpoint, PATIENCE)) {
            assertThat(connection.exchange(requests.createTable(table)).status())
                    .isEqualTo(204);
        }
        double writesBefore = sum("cleave_server_writes_total");
        double appendsBefore = sum("cleave_server_appends_total");
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            writers.add(new Thread(() -> write(writer), "writer-" + i));
        }
        writers.forEach(Thread::start);
        for (Thread writer : writers) {
            writer.join();
        }
        assertThat(written.get()).isEqualTo(WRITERS * WRITES);
        double writes = sum("cleave_server_writes_total") - writesBefore;
        double appends = sum("cleave_server_appends_total") - appendsBefore;
        assertThat(writes).isGreaterThanOrEqualTo(WRITERS * WRITES);
        assertThat(appends).isPositive().isLessThan(writes / 3);
    }

    private void write(int writer) {
        try (Connection connection = Connection.open(endpoint, PATIENCE)) {
            for (int i = 0; i < WRITES; i++) {
                String json = "{\"PartitionKey\":\"one\",\"RowKey\":\"" + writer + "-" + i + "\",\"Value\":" + i + "}";
                if (connection.exchange(requests.insert(table, json)).status() == 204) {
                    written.incrementAndGet();
                }
            }
        } catch (IOException broken) {
            // Counted as not written.
        }
    }

    private double sum(String metric) throws IOException {
        double sum = 0;
        for (ChildProcess server : cluster.servers()) {
            sum += server.admin().metrics().sum(metric);
        }
        return sum;
    }
}
