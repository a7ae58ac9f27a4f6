package cleave.chaos.conformance;

import static cleave.chaos.conformance.RawTable.json;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Permitted uses of connections that no SDK makes, and that golden exchanges, of one request each, do not show. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConnectionsContract {
    private final Endpoint endpoint;
    private RawTable table;

    ConnectionsContract(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    @BeforeAll
    void createTable() throws IOException {
        table = RawTable.create(endpoint);
        assertThat(table.insert("p", "r").status()).isEqualTo(204);
    }

    @Test
    void requestsMayBePipelined() throws IOException {
        try (Connection connection = table.connect()) {
            for (int i = 0; i < 20; i++) {
                connection.send(table.requests().insert(table.name(), json("pipe", "r" + i)));
                connection.send(table.requests().get(table.name(), "pipe", "r" + i));
            }
            for (int i = 0; i < 20; i++) {
                assertThat(connection.receive().header("Location")).endsWith("RowKey='r" + i + "')");
                int status = connection.receive().status();
                assertThat(status).isIn(200, 404);
            }
        }
    }

    @Test
    void aConnectionOutlivesRefusals() throws IOException {
        try (Connection connection = table.connect()) {
            assertThat(connection
                            .exchange(table.requests().get(table.name(), "p", "no"))
                            .status())
                    .isEqualTo(404);
            assertThat(connection
                            .exchange(table.requests().insert(table.name(), "{nonsense"))
                            .status())
                    .isEqualTo(400);
            assertThat(connection
                            .exchange(Request.json("GET", table.path() + "()"))
                            .status())
                    .isIn(401, 403);
            assertThat(connection
                            .exchange(table.requests().get(table.name(), "p", "r"))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void bodiesMayComeInChunks() throws IOException {
        String json = json("chunked", "r", "\"A\":1");
        String chunked = Integer.toHexString(5) + "\r\n" + json.substring(0, 5) + "\r\n"
                + Integer.toHexString(json.length() - 5) + "\r\n" + json.substring(5) + "\r\n0\r\n\r\n";
        Request insert = Request.json("POST", table.path())
                .with("Transfer-Encoding", "chunked")
                .body(chunked);
        assertThat(table.send(insert).status()).isEqualTo(201);
        assertThat(table.get("chunked", "r").status()).isEqualTo(200);
    }

    @Test
    void aSlowRequestIsServed() throws IOException {
        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(30))) {
            byte[] bytes =
                    table.requests().get(table.name(), "p", "r").toBytes(endpoint.host() + ":" + endpoint.port());
            for (byte one : bytes) {
                connection.send(new byte[] {one});
            }
            assertThat(connection.receive().status()).isEqualTo(200);
        }
    }
}
