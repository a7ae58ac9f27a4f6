package cleave.chaos.conformance;

import static cleave.chaos.conformance.RawTable.json;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bad input costs the sender an error and nobody else anything (invariant I10). A client's mistake never gets a 5xx but the 501 of the
 * contract, and after each of these the service still serves. Mistakes that an exchange can express are among the golden exchanges; this is
 * what is no text, or no HTTP, or drawn by chance.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class HostileInputContract {
    private static final int FUZZED = 150;

    private final Endpoint endpoint;
    private RawTable table;

    HostileInputContract(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    @BeforeAll
    void createTable() throws IOException {
        table = RawTable.create(endpoint);
        assertThat(table.insert("p", "r").status()).isEqualTo(204);
    }

    @AfterEach
    void theServiceStillServes() throws IOException {
        assertThat(table.get("p", "r").status()).isEqualTo(200);
    }

    @Test
    void invalidUtf8IsRefused() throws IOException {
        byte[] body = json("p", "utf8", "\"A\":\"?\"").getBytes(StandardCharsets.UTF_8);
        body[body.length - 3] = (byte) 0xff;
        Request insert =
                table.requests().sign(Request.json("POST", table.path()).body("application/json", body));
        assertThat(table.exchange(insert).status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "GET\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n",
                "\u0000\u0001\u0002\r\n\r\n",
                "GET / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                "GET / HTTP/1.1\r\nHost\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
            })
    void whatIsNotHttpIsRefusedOrHungUpOn(String bytes) throws IOException {
        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(30))) {
            connection.send(bytes.getBytes(StandardCharsets.ISO_8859_1));
            assertThat(isRefusedOrClosed(connection)).isTrue();
        }
    }

    private static boolean isRefusedOrClosed(Connection connection) throws IOException {
        try {
            int status = connection.receive().status();
            return (status >= 400 && status < 500) || status == 501 || status == 505;
        } catch (SocketTimeoutException silent) {
            return false;
        } catch (IOException closed) {
            return true;
        }
    }

    @Test
    void damagedRequestsNeverHarmTheService() throws IOException {
        Random random = new Random(7);
        Requests requests = table.requests();
        byte[] batch = requests.transaction(List.of(requests.part("POST", table.path(), "", json("fuzz", "a"))))
                .body();
        byte[] entity = json("fuzz", "b", "\"A\":\"1\",\"A@odata.type\":\"Edm.Int64\",\"B\":[],\"C\":1.5")
                .getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < FUZZED; i++) {
            boolean isBatch = random.nextBoolean();
            byte[] damaged = damaged(isBatch ? batch : entity, random);
            Request request = isBatch
                    ? Request.json("POST", endpoint.prefix() + "/$batch")
                            .body("multipart/mixed; boundary=batch_c", damaged)
                    : Request.json("POST", table.path()).body("application/json", damaged);
            Answer answer = table.send(request);
            assertThat(answer.status())
                    .as("%s", new String(damaged, StandardCharsets.UTF_8))
                    .isLessThan(500);
        }
    }

    private static byte[] damaged(byte[] bytes, Random random) {
        byte[] damaged = bytes.clone();
        for (int i = 0; i <= random.nextInt(4); i++) {
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
        }
        return random.nextInt(3) == 0 ? Arrays.copyOf(damaged, random.nextInt(damaged.length)) : damaged;
    }
}
