package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.runtime.tls.TestAuthority;
import cleave.runtime.tls.TestAuthority.Issued;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients without a signature before a front end with a small heap: it stays up, and serves others meanwhile. The front end is a
 * process of its own, which ends at its first OutOfMemoryError.
 */
@Timeout(300)
class SmallHeapIT {
    private static final String HEAP = "-Xmx64m";
    private static final int STREAMS_MAX = 100;

    @TempDir
    static Path scratch;

    private static Issued issued;
    private static Path certificate;

    private final List<AutoCloseable> attackers = new ArrayList<>();
    private Process process;
    private BufferedReader told;
    private Path log;
    private int port;
    private int tlsPort;

    @BeforeAll
    static void issue() {
        issued = new TestAuthority(scratch).issue("front-end");
        certificate = TestAuthority.write(scratch.resolve("tls"), issued);
    }

    @BeforeEach
    void start() throws IOException {
        start(List.of(), List.of());
    }

    private void start(List<String> more) throws IOException {
        start(List.of(), more);
    }

    /** @param shell what the process is started by */
    private void start(List<String> shell, List<String> more) throws IOException {
        List<String> command = new ArrayList<>(shell);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                SmallHeapServer.class.getName(),
                certificate.toString(),
                "front-end.bytes-in-flight=8MiB",
                "front-end.requests-in-flight=64"));
        command.addAll(more);
        log = Files.createTempFile(scratch, "server", ".log");
        process = new ProcessBuilder(command)
                .redirectError(new File(log.toString()))
                .start();
        told = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String[] ports = answer("ports ").split(" ");
        port = Integer.parseInt(ports[0]);
        tlsPort = Integer.parseInt(ports[1]);
        assertServes();
    }

    /** The rest of the next line that begins so; the log goes the same way. */
    private String answer(String beginning) throws IOException {
        String line = told.readLine();
        while (line != null && !line.startsWith(beginning)) {
            line = told.readLine();
        }
        assertThat(line).as(() -> read(log)).isNotNull();
        return String.valueOf(line).substring(beginning.length());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException gone) {
            return gone.toString();
        }
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable attacker : attackers) {
            try {
                attacker.close();
            } catch (IOException closedBefore) {
                // By the server.
            }
        }
        process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }

    /** A client that keeps to the rules is served on a connection of its own. */
    private void assertServes() throws IOException {
        assertThat(process.isAlive()).as(() -> read(log)).isTrue();
        try (RawClient client = new RawClient(port)) {
            assertThat(client.ask("GET", "/Tables", "").status()).isEqualTo(200);
            assertThat(client.ask(
                                    "POST",
                                    "/Tables",
                                    "{\"TableName\":\"T" + Long.toString(System.nanoTime(), 36) + "\"}")
                            .status())
                    .isEqualTo(201);
        }
    }

    private double metric(String nameAndLabels) throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        for (String sample : answer("metrics ").split(" ")) {
            if (sample.startsWith(nameAndLabels + "=")) {
                return Double.parseDouble(sample.substring(sample.indexOf('=') + 1));
            }
        }
        return 0;
    }

    private double closed(String reason) throws IOException {
        return metric("cleave_front_end_connections_closed_total[" + reason + "]");
    }

    private RawHttp2 http2(Map<Integer, Integer> settings) throws IOException {
        RawHttp2 client = RawHttp2.open(TestAuthority.believing(issued), tlsPort, settings);
        attackers.add(client);
        return client;
    }

    private RawHttp2 http2() throws IOException {
        return http2(Map.of());
    }

    /** Sends what the server may well not take any more. */
    private static void rudely(RawHttp2 client, byte[] frames) {
        try {
            client.send(frames);
        } catch (IOException closed) {
            // So it defends itself.
        }
    }

    private static int stream(int n) {
        return 2 * n + 1;
    }

    /** Heads without an end of the stream, on all streams of many connections. */
    private void floodWithHeads(int connections, byte[] block) throws IOException {
        for (int i = 0; i < connections; i++) {
            RawHttp2 client = http2();
            for (int n = 0; n < STREAMS_MAX; n++) {
                rudely(client, RawHttp2.head(stream(n), block, false));
            }
            if (i % 5 == 4) {
                assertServes();
            }
        }
        assertServes();
    }

    @Test
    void largeHeadsWithoutASignatureAreNotKept() throws IOException {
        floodWithHeads(30, RawHttp2.block("POST", "/devstoreaccount1/Orders", 1, 60_000));
    }

    @Test
    @Tag("nightly")
    void headsOfManySmallFieldsAreNotKept() throws IOException {
        floodWithHeads(20, RawHttp2.block("POST", "/devstoreaccount1/Orders", 1_500, 0));
    }

    @Test
    @Tag("nightly")
    void headsOfPreflightsAreNotKept() throws IOException {
        floodWithHeads(30, RawHttp2.block("OPTIONS", "/devstoreaccount1/Orders", 1, 60_000));
    }

    @Test
    @Tag("nightly")
    void aClientThatReadsNothingCannotPileUpAnswers() throws IOException {
        byte[] block = RawHttp2.block("HEAD", "/devstoreaccount1/Orders", 0, 0);
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            RawHttp2 client = http2();
            Thread writer = new Thread(() -> {
                for (int batch = 0; batch < 600; batch++) {
                    ByteArrayOutputStream frames = new ByteArrayOutputStream();
                    for (int n = 0; n < 100; n++) {
                        frames.writeBytes(RawHttp2.head(stream(batch * 100 + n), block, true));
                    }
                    rudely(client, frames.toByteArray());
                }
            });
            writer.setDaemon(true);
            writer.start();
            writers.add(writer);
        }
        for (int i = 0; i < 20; i++) {
            assertServes();
        }
        awaitEnds(writers, TimeUnit.SECONDS.toNanos(3));
        assertServes();
    }

    /** Waits until all have ended, or for that long altogether: the server may leave some blocked for good. */
    private static void awaitEnds(List<Thread> writers, long nanos) {
        long end = System.nanoTime() + nanos;
        try {
            for (Thread writer : writers) {
                writer.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
            }
        } catch (InterruptedException hurried) {
            throw new AssertionError(hurried);
        }
    }

    @Test
    @Tag("nightly")
    void aClientThatOpensNoWindowKeepsNothing() throws IOException {
        byte[] block = RawHttp2.block("POST", "/devstoreaccount1/Orders", 1, 50_000);
        for (int i = 0; i < 30; i++) {
            RawHttp2 client = http2(Map.of(RawHttp2.INITIAL_WINDOW_SIZE, 0));
            for (int n = 0; n < STREAMS_MAX; n++) {
                rudely(client, RawHttp2.head(stream(n), block, true));
            }
        }
        assertServes();
    }

    @Test
    @Tag("nightly")
    void headersThatNeverEndAreNotKept() throws IOException {
        byte[] piece = new byte[16_000];
        for (int i = 0; i < 400; i++) {
            RawHttp2 client;
            try {
                client = http2();
            } catch (IOException full) {
                continue;
            }
            rudely(client, RawHttp2.frame(RawHttp2.HEADERS, 0, 1, piece));
            for (int n = 0; n < 4; n++) {
                rudely(client, RawHttp2.frame(RawHttp2.CONTINUATION, 0, 1, piece));
            }
        }
        assertServes();
    }

    @Test
    void headsOfHttp1ThatNeverEndAreNotKept() throws IOException {
        byte[] tiny = ("GET /devstoreaccount1/Tables HTTP/1.1\r\n" + "a:\r\n".repeat(15_000))
                .getBytes(StandardCharsets.US_ASCII);
        byte[] large = ("GET /devstoreaccount1/Tables HTTP/1.1\r\n" + ("a:" + "v".repeat(290) + "\r\n").repeat(200))
                .getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 200; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            attackers.add(socket);
            try {
                socket.getOutputStream().write(i % 2 == 0 ? tiny : large);
            } catch (IOException closed) {
                // So it defends itself.
            }
        }
        assertServes();
        assertThat(closed("unsigned-bytes")).isPositive();
    }

    @Test
    @Tag("nightly")
    void refusedHeadsOfHttp1AreNotKeptUntilTheirBodiesEnd() throws IOException {
        byte[] head = ("POST /devstoreaccount1/Orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\nx: "
                        + "v".repeat(60_000) + "\r\n\r\n{")
                .getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 200; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            attackers.add(socket);
            try {
                socket.getOutputStream().write(head);
            } catch (IOException closed) {
                // So it defends itself.
            }
        }
        assertServes();
    }

    @Test
    @Tag("nightly")
    void pingsAndSettingsWhoseAnswersNobodyReadsAreNotKept() throws IOException {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int i = 0; i < 2_000; i++) {
            frames.writeBytes(RawHttp2.frame(RawHttp2.PING, 0, 0, new byte[8]));
            frames.writeBytes(RawHttp2.settings(Map.of()));
        }
        for (int i = 0; i < 20; i++) {
            RawHttp2 client = http2();
            Thread writer = new Thread(() -> {
                for (int n = 0; n < 50; n++) {
                    rudely(client, frames.toByteArray());
                }
            });
            writer.setDaemon(true);
            writer.start();
        }
        for (int i = 0; i < 20; i++) {
            assertServes();
        }
    }

    @Test
    void moreConnectionsThanTheProcessMayHaveFilesKeepNobodyOut() throws IOException {
        process.destroyForcibly();
        start(List.of("sh", "-c", "ulimit -n 400 && exec \"$@\"", "sh"), List.of());
        for (int i = 0; i < 600; i++) {
            attackers.add(new RawClient(port).send("GET / HTTP/1.1\r\n"));
        }

        boolean isServed = false;
        for (int i = 0; i < 10_000 && !isServed; i++) { // Until those before it in the backlog are accepted.
            try (RawClient client = new RawClient(port)) {
                isServed = client.ask("GET", "/Tables", "").status() == 200;
            } catch (IOException closed) {
                assertThat(process.isAlive()).as(() -> read(log)).isTrue();
            }
        }
        assertThat(isServed).isTrue();
        assertThat(metric("cleave_front_end_connections[]")).isLessThan(400 - 200);
    }

    @Test
    void connectionsThatNeverFinishTlsAreCountedAndClosed() throws IOException {
        process.destroyForcibly();
        start(List.of("front-end.idle-timeout=3s"));
        List<RawClient> mute = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            mute.add(new RawClient(tlsPort));
        }
        attackers.addAll(mute);
        RawHttp2 silent = RawHttp2.silent(TestAuthority.believing(issued), tlsPort);
        attackers.add(silent);

        assertThat(metric("cleave_front_end_connections[]")).isEqualTo(6);
        assertThat(silent.isClosed()).isTrue();
        for (RawClient one : mute) {
            assertThat(one.endsWithoutAWord()).isTrue();
        }
        assertThat(closed("handshake")).as(() -> read(log)).isGreaterThanOrEqualTo(5);
        assertServes();
    }

    @Test
    void aRefusalWithoutABodyIsToldAtOnceAndItsStreamEnds() throws IOException {
        RawHttp2 client = http2();
        client.send(RawHttp2.head(1, RawHttp2.block("POST", "/devstoreaccount1/Orders", 0, 0), false));

        assertThat(client.readUntil(RawHttp2.HEADERS, 1).stream()).isEqualTo(1);
        assertThat(client.readUntil(RawHttp2.RST_STREAM, 1).payload()).isEqualTo(RawHttp2.fourBytes(0));
        assertServes();
    }
}
