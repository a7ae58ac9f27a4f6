package cleave.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RetryingClientIT {
    private static final int BROKEN = 0;

    /** Statuses to answer with; then 200. */
    private final Queue<Integer> script = new ArrayDeque<>();

    private final AtomicInteger requests = new AtomicInteger();
    private ServerSocket service;
    private Thread serving;

    @BeforeEach
    void start() throws IOException {
        service = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        serving = new Thread(this::serve, "scripted-service");
        serving.setDaemon(true);
        serving.start();
    }

    @AfterEach
    void stop() throws IOException {
        service.close();
    }

    private void serve() {
        while (!service.isClosed()) {
            try (Socket socket = service.accept()) {
                while (isAnswered(socket)) {}
            } catch (IOException closed) {
                // The client closed it, or the test has ended.
            }
        }
    }

    private boolean isAnswered(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        for (int last = 0; last != 0x0d0a0d0a; ) {
            int next = in.read();
            if (next < 0) {
                return false;
            }
            last = last << 8 | next;
        }
        requests.incrementAndGet();
        Integer status = script.poll();
        if (status != null && status == BROKEN) {
            return false;
        }
        String answer = "HTTP/1.1 " + (status == null ? 200 : status) + " -\r\nContent-Length: 0\r\n\r\n";
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
        return true;
    }

    private int status(Repeat repeated, int retries, Integer... answers) throws IOException {
        script.addAll(List.of(answers));
        RetryPolicy policy = RetryPolicy.fixed(retries, Duration.ofMillis(1));
        Requests to = new Requests(Endpoint.development(service.getLocalPort()));
        try (RetryingClient client = new RetryingClient(to, Duration.ofSeconds(60), policy, repeated)) {
            return client.exchange(requests -> requests.get("T", "p", "r")).status();
        }
    }

    @Test
    void aRequestIsRepeatedWhileTheServiceIsBusyAndThePolicyPermits() throws IOException {
        assertThat(status(Repeat.BUSY, 2, 503, 503)).isEqualTo(200);
        assertThat(requests).hasValue(3);
        assertThat(status(Repeat.BUSY, 1, 503, 503)).isEqualTo(503);
        assertThat(requests).hasValue(5);
    }

    @Test
    void whatMayHaveBeenExecutedIsRepeatedOnlyIfItMayBe() throws IOException {
        assertThat(status(Repeat.BUSY, 9, 500)).isEqualTo(500);
        assertThat(status(Repeat.TRANSIENT, 9, 500, 429, BROKEN, 504)).isEqualTo(200);
        assertThat(status(Repeat.TRANSIENT, 9, 501)).isEqualTo(501);
        assertThatThrownBy(() -> status(Repeat.BUSY, 9, BROKEN)).isInstanceOf(IOException.class);
    }

    /** A front end that restarts during a long import ends no command. */
    @Test
    void brokenConnectionsAreRepeatedAsLongAsThePolicyPermits() throws IOException {
        assertThat(status(Repeat.TRANSIENT, 6, BROKEN, BROKEN, BROKEN, BROKEN, BROKEN, BROKEN))
                .isEqualTo(200);
        assertThatThrownBy(() -> status(Repeat.TRANSIENT, 1, BROKEN, BROKEN)).isInstanceOf(IOException.class);
        assertThat(requests).hasValue(9);
    }

    @Test
    void ifNobodyListensNothingIsRepeated() throws Exception {
        service.close();
        serving.join(); // Until it no longer waits for a connection, the system takes one for it.

        assertThatThrownBy(() -> status(Repeat.TRANSIENT, 1_000)).isInstanceOf(ConnectException.class);
    }
}
