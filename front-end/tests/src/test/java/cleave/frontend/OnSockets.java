package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster;
import cleave.frontend.core.FakeMaster;
import cleave.frontend.core.SignedHeaders;
import cleave.runtime.loop.Await;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;

/** The real HTTP server before a fake cluster, asked over sockets. Confined to the test's thread. */
abstract class OnSockets {
    static final String ORDERS = "{\"TableName\":\"Orders\"}";
    static final String ENTITY = "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"N\":3}";
    static final String ADDRESS = "/Orders(PartitionKey='p',RowKey='r')";

    final FakeCluster cluster = new FakeCluster();
    final CollectorRegistry registry = new CollectorRegistry();
    private final FakeMaster master = new FakeMaster(cluster);
    FrontEndServer server;

    /** @param settings in pairs of name and value */
    OnSockets(String... settings) {
        server = start(settings);
    }

    final FrontEndServer start(String... settings) {
        Map<String, String> more = new TreeMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            more.put(settings[i], settings[i + 1]);
        }
        return TestServers.start(cluster, master, registry, more);
    }

    final void restart(String... settings) {
        server.close();
        server = start(settings);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    final RawClient connect() throws IOException {
        return new RawClient(server.port());
    }

    final void createOrders() throws IOException {
        try (RawClient client = connect()) {
            assertThat(client.ask("POST", "/Tables", ORDERS).status()).isEqualTo(201);
        }
    }

    final void assertServes() throws IOException {
        try (RawClient client = connect()) {
            assertThat(client.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    static SignedHeaders with(String name, String value) {
        return new SignedHeaders().with(name, value);
    }

    final void awaitInFlight(double requests) {
        await("cleave_front_end_requests_in_flight", requests);
    }

    /** Waits for a gauge. */
    final void await(String gauge, double value) {
        Await.until(gauge + " is " + value, () -> registry.getSampleValue(gauge) == value);
    }
}
