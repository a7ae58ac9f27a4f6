package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.chaos.system.Folders;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Writes of one range that come while appends to its commit log are in progress share the next one. The cluster serves this test alone, so
 * the server gets no other requests: a front end of one loop reads once that the table exists, and does not forget it.
 */
class GroupCommitIT {
    private static final int WRITERS = 32;
    private static final int ROUNDS = 5;
    private static final int ATTEMPTS_MAX = 50;
    /**
     * The most appends in a round: the four that a range may send at once, one for all writes that wait behind them, and some for other
     * records.
     */
    private static final int APPENDS_MAX = 10;
    /** The DFS's clients give a connection up after 12 s of silence: the effects of a longer pause are not judged. */
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

    private static final Duration REQUEST = Duration.ofMinutes(2);
    private static final Patience PATIENCE = Patience.ofSeconds(120);
    private static final String TABLE = "Group";

    private final Cluster cluster = Cluster.planned(ClusterPlan.in(Folders.fresh("group-commit"))
            .set("front-end.loops", "1")
            .set("front-end.table-memory", "24h"));
    private final Endpoint endpoint = cluster.endpoints().get(0);
    private final Requests requests = new Requests(endpoint);

    @AfterEach
    void end() {
        cluster.close();
    }

    @Test
    void writesThatWaitForTheDfsShareItsAppends() throws IOException, InterruptedException {
        cluster.start(PATIENCE);
        assertThat(status(requests.createTable(TABLE))).isEqualTo(204);
        int attempts = 0;
        for (int rounds = 0; rounds < ROUNDS; attempts++) {
            assertThat(attempts).as("rounds begun").isLessThan(ATTEMPTS_MAX);
            awaitQuiet();
            double writesBefore = sum("cleave_server_writes_total");
            double appendsBefore = sum("cleave_server_appends_total");
            AtomicInteger written = new AtomicInteger();
            if (writeWhileTheDfsIsPaused("round-" + attempts, written)) {
                assertThat(written.get()).isEqualTo(WRITERS);
                assertThat(sum("cleave_server_writes_total") - writesBefore).isGreaterThanOrEqualTo(WRITERS);
                assertThat(sum("cleave_server_appends_total") - appendsBefore)
                        .isPositive()
                        .isLessThanOrEqualTo(APPENDS_MAX);
                rounds++;
            }
        }
    }

    /** Waits until writes succeed, and none is in progress. */
    private void awaitQuiet() {
        PATIENCE.until(
                "a write succeeds", () -> status(requests.put(TABLE, "one", "before", "", entity("before"))) == 204);
        PATIENCE.until("nothing is under way", () -> sum("cleave_server_requests_inside") == 0);
    }

    /** No append ends before all writes have come, however slow the clients are. False if the DFS was paused for too long. */
    private boolean writeWhileTheDfsIsPaused(String row, AtomicInteger written)
            throws IOException, InterruptedException {
        ChildProcess dfs = cluster.dfsNodes().get(0);
        List<Connection> connections = new ArrayList<>();
        List<Thread> writers = new ArrayList<>();
        try {
            for (int i = 0; i < WRITERS; i++) {
                Connection connection = Connection.open(endpoint, REQUEST);
                connections.add(connection);
                Request request = requests.insert(TABLE, entity(row + "-" + i));
                writers.add(new Thread(() -> write(connection, request, written), "writer-" + i));
            }
            long began = System.nanoTime();
            boolean haveCome;
            dfs.pause();
            try {
                writers.forEach(Thread::start);
                haveCome = Wait.until(
                        () -> sum("cleave_server_requests_inside") == WRITERS, PAUSE_MAX, Duration.ofMillis(20));
            } finally {
                dfs.resume();
            }
            boolean isShort = System.nanoTime() - began <= PAUSE_MAX.toNanos();
            for (Thread writer : writers) {
                writer.join();
            }
            return haveCome && isShort;
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }

    private static void write(Connection connection, Request request, AtomicInteger written) {
        try {
            if (connection.exchange(request).status() == 204) {
                written.incrementAndGet();
            }
        } catch (IOException broken) {
            // Counted as not written.
        }
    }

    private int status(Request request) throws IOException {
        try (Connection connection = Connection.open(endpoint, REQUEST)) {
            return connection.exchange(request).status();
        }
    }

    private static String entity(String row) {
        return "{\"PartitionKey\":\"one\",\"RowKey\":\"" + row + "\",\"Value\":1}";
    }

    private double sum(String metric) {
        double[] sum = new double[1];
        PATIENCE.until("the server's metrics are read", () -> {
            sum[0] = cluster.servers().get(0).admin().metrics().sum(metric);
            return true;
        });
        return sum[0];
    }
}
