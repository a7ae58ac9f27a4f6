package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Requests;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.Patience;
import cleave.chaos.system.ClusterSystem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Writes of one range that come while appends to its commit log are under way share the next one. */
@ExtendWith(ClusterSystem.class)
class GroupCommitIT {
    private static final int WRITERS = 32;
    private static final int ROUNDS = 5;
    /** Of a round: the four that a range may have under way, one for all writes that wait behind them, and some for other records. */
    private static final int APPENDS_MAX = 10;

    private static final Duration REQUEST = Duration.ofSeconds(60);
    private static final Patience PATIENCE = Patience.ofSeconds(60);

    private final Cluster cluster;
    private final Endpoint endpoint;
    private final Requests requests;
    private final String table = "G" + UUID.randomUUID().toString().replace("-", "");
    private final List<Connection> connections = new ArrayList<>();
    private final AtomicInteger written = new AtomicInteger();

    GroupCommitIT(Cluster cluster) {
        this.cluster = cluster;
        endpoint = cluster.endpoints().get(0);
        requests = new Requests(endpoint);
    }

    @Test
    void writesThatWaitForTheDfsShareItsAppends() throws IOException, InterruptedException {
        try (Connection connection = Connection.open(endpoint, REQUEST)) {
            assertThat(connection.exchange(requests.createTable(table)).status())
                    .isEqualTo(204);
        }
        double writesBefore = sum("cleave_server_writes_total");
        double appendsBefore = sum("cleave_server_appends_total");
        try {
            for (int i = 0; i < WRITERS; i++) {
                connections.add(Connection.open(endpoint, REQUEST));
            }
            for (int round = 0; round < ROUNDS; round++) {
                writeWhileTheDfsIsPaused(round);
            }
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
        assertThat(written.get()).isEqualTo(WRITERS * ROUNDS);
        assertThat(sum("cleave_server_writes_total") - writesBefore).isGreaterThanOrEqualTo(WRITERS * ROUNDS);
        assertThat(sum("cleave_server_appends_total") - appendsBefore)
                .isPositive()
                .isLessThanOrEqualTo(APPENDS_MAX * ROUNDS);
    }

    /** No append ends before all writes have come, however slow the clients are. */
    private void writeWhileTheDfsIsPaused(int round) throws InterruptedException {
        ChildProcess dfs = cluster.dfsNodes().get(0);
        List<Thread> writers = new ArrayList<>();
        dfs.pause();
        try {
            for (int i = 0; i < WRITERS; i++) {
                Connection connection = connections.get(i);
                String row = round + "-" + i;
                writers.add(new Thread(() -> write(connection, row), "writer-" + i));
            }
            writers.forEach(Thread::start);
            PATIENCE.until("all writes have come", () -> sum("cleave_server_requests_inside") >= WRITERS);
        } finally {
            dfs.resume();
        }
        for (Thread writer : writers) {
            writer.join();
        }
    }

    private void write(Connection connection, String row) {
        try {
            String json = "{\"PartitionKey\":\"one\",\"RowKey\":\"" + row + "\",\"Value\":1}";
            if (connection.exchange(requests.insert(table, json)).status() == 204) {
                written.incrementAndGet();
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
