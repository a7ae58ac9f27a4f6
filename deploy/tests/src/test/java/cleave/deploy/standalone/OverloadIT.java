package cleave.deploy.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Answer;
import cleave.deploy.RawTables;
import cleave.runtime.loop.Await;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All roles in one process, asked for more than they may or can do. */
class OverloadIT {
    private static final int CLIENTS = 64;
    private static final int REFUSALS = 200;
    private static final int REQUESTS_MAX = 2_000;
    private static final long ROOM = 64 << 10;

    @TempDir
    private Path dir;

    private final CollectorRegistry registry = new CollectorRegistry();

    private Standalone started(Map<String, String> settings) {
        return ReadyStandalone.start(dir, settings, registry);
    }

    private static void assertBusy(Answer answer, String message) {
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        assertThat(answer.text()).contains("ServerBusy", message);
    }

    @Test
    void aPartitionThatIsAskedForTooMuchIsThrottledAndOthersAreNot() throws Exception {
        try (Standalone standalone = started(Map.of("throttle.partition-entities-per-second", "1"))) {
            RawTables tables = new RawTables(standalone.account());
            assertThat(tables.createTable("notes")).isIn(201, 204);
            Answer answer = tables.get("notes", "hot", "r");
            for (int i = 0; i < REQUESTS_MAX && answer.status() != 503; i++) {
                answer = tables.get("notes", "hot", "r");
            }
            assertBusy(answer, "The server is currently unable to receive requests. Please retry your request.");
            for (int i = 0; i < 50; i++) {
                assertThat(tables.put("notes", "cold" + i, "r", "text")).isEqualTo(204);
            }
            assertThat(registry.getSampleValue(
                            "cleave_front_end_throttled_total", new String[] {"limit"}, new String[] {"partition"}))
                    .isEqualTo(registry.getSampleValue(
                            "cleave_server_refused_total", new String[] {"code"}, new String[] {"THROTTLED"}))
                    .isPositive();
            Await.until(
                    "when it is paid for, it may be asked again",
                    () -> tables.get("notes", "hot", "r").status() == 404);
        }
    }

    @Test
    void anAccountThatIsAskedForTooMuchIsThrottled() throws Exception {
        try (Standalone standalone = started(Map.of("throttle.account-entities-per-second", "1"))) {
            RawTables tables = new RawTables(standalone.account());
            Answer answer = tables.get("absent", "p", "r");
            for (int i = 0; i < REQUESTS_MAX && answer.status() != 503; i++) {
                answer = tables.get("absent", "p" + i, "r");
            }
            assertBusy(answer, "Operations per second is over the account limit.");
        }
    }

    /**
     * Clients in a closed loop, far more than the settings admit: requests that are not admitted are refused at once, the others are
     * answered, and afterwards all is as before.
     */
    @Test
    void aFloodIsAnsweredAndPassesBy() throws Exception {
        Map<String, String> tight = Map.of(
                "front-end.requests-in-flight", "8",
                "server.queue-requests", "4",
                "server.request-bytes", Long.toString(ROOM));
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try (Standalone standalone = started(tight)) {
            RawTables tables = new RawTables(standalone.account());
            assertThat(tables.createTable("notes")).isIn(201, 204);
            LongAccumulator mostHeld = new LongAccumulator(Math::max, 0);
            AtomicInteger refused = new AtomicInteger();
            AtomicInteger requests = new AtomicInteger();
            List<Future<List<String>>> ends = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                ends.add(clients.submit(flood(tables, i, requests, refused, mostHeld)));
            }
            List<String> written = new ArrayList<>();
            for (Future<List<String>> end : ends) {
                written.addAll(end.get());
            }

            assertThat(refused).hasValueGreaterThanOrEqualTo(1);
            assertThat(written).isNotEmpty();
            assertThat(mostHeld.get()).isLessThanOrEqualTo(ROOM + 8 * (16 << 10));
            for (String row : written) {
                assertThat(tables.get("notes", "p", row).status()).isEqualTo(200);
            }
            assertThat(tables.put("notes", "p", "after", "text")).isEqualTo(204);
            Await.until(
                    "nothing is left",
                    () -> held("cleave_server_request_bytes") == 0
                            && held("cleave_server_requests_inside") == 0
                            && held("cleave_front_end_requests_in_flight") == 0);
        } finally {
            clients.shutdownNow();
        }
    }

    /** Writes until all clients together were refused often, or have asked often; gives the rows that were written. */
    private Callable<List<String>> flood(
            RawTables tables, int client, AtomicInteger requests, AtomicInteger refused, LongAccumulator mostHeld) {
        return () -> {
            List<String> written = new ArrayList<>();
            for (int i = 0; refused.get() < REFUSALS && requests.incrementAndGet() <= REQUESTS_MAX; i++) {
                String row = client + "-" + i;
                int status = tables.put("notes", "p", row, "x".repeat(8 << 10));
                mostHeld.accumulate((long) held("cleave_server_request_bytes"));
                assertThat(status).isIn(204, 503);
                if (status == 204) {
                    written.add(row);
                } else {
                    refused.incrementAndGet();
                }
            }
            return written;
        };
    }

    private double held(String gauge) {
        return ReadyStandalone.sample(registry, gauge);
    }
}
