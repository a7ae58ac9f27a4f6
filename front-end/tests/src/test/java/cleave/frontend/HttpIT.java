package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.RawClient.Answer;
import cleave.frontend.core.FakeCluster;
import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.core.FakeMaster;
import cleave.frontend.core.SignedHeaders;
import cleave.runtime.loop.Await;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The real HTTP server before a fake cluster, asked over sockets. */
class HttpIT {
    private static final String ORDERS = "{\"TableName\":\"Orders\"}";
    private static final String ENTITY = "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"N\":3}";
    private static final String ADDRESS = "/Orders(PartitionKey='p',RowKey='r')";

    private final FakeCluster cluster = new FakeCluster();
    private final FakeMaster master = new FakeMaster(cluster);
    private final CollectorRegistry registry = new CollectorRegistry();
    private FrontEndServer server = start(Map.of());

    private FrontEndServer start(Map<String, String> more) {
        return TestServers.start(cluster, master, registry, more);
    }

    private void restart(String... settings) {
        server.close();
        Map<String, String> more = new TreeMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            more.put(settings[i], settings[i + 1]);
        }
        server = start(more);
    }

    @BeforeEach
    void createTable() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            assertThat(client.ask("POST", "/Tables", ORDERS).status()).isEqualTo(201);
        }
    }

    @Test
    void aServerThatLeavesServesOnAndClosesEachConnectionWithItsAnswer() throws IOException {
        try (RawClient known = connect()) {
            assertThat(known.ask("GET", "/Tables", "").header("Connection")).isNotEqualToIgnoringCase("close");
            server.leave();
            for (RawClient.Answer answer = known.ask("GET", "/Tables", "");
                    !answer.header("Connection").equals("close");
                    answer = known.ask("GET", "/Tables", "")) {
                assertThat(answer.status()).isEqualTo(200); // Each loop learns of it in an event of its own.
            }
            assertThat(known.endsWithoutAWord()).isTrue();
        }
        Await.until("every loop closes", () -> {
            try (RawClient newcomer = connect()) {
                RawClient.Answer answer =
                        newcomer.ask("POST", "/Orders", ENTITY.replace("\"r\"", "\"" + System.nanoTime() + "\""));
                assertThat(answer.status()).isEqualTo(201);
                return answer.header("Connection").equals("close");
            }
        });
    }

    @Test
    void whatIsPipelinedBehindTheAnswerThatClosesIsNotExecuted() throws IOException {
        server.leave();
        String entity = ENTITY.replace("\"r\"", "\"behind\"");
        Await.until(
                "every loop closes",
                () -> { // Each learns of it in an event of its own.
                    try (RawClient client = connect()) {
                        client.send(RawClient.request("GET", "/Tables", ""));
                        return client.read().header("Connection").equals("close");
                    }
                });
        try (RawClient client = connect()) {
            client.send(RawClient.request("GET", "/Tables", "") + RawClient.request("POST", "/Orders", entity));
            assertThat(client.read().header("Connection")).isEqualTo("close");
            assertThat(client.endsWithoutAWord()).isTrue();
        }
        try (RawClient client = connect()) {
            assertThat(client.ask("POST", "/Orders", entity).status()).isEqualTo(201);
        }
        try (RawClient client = connect()) {
            assertThat(client.ask("POST", "/Orders", entity).status()).isEqualTo(409);
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private RawClient connect() throws IOException {
        return new RawClient(server.port());
    }

    private void assertServes() throws IOException {
        try (RawClient client = connect()) {
            assertThat(client.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    private static SignedHeaders with(String name, String value) {
        return new SignedHeaders().with(name, value);
    }

    @Test
    void theNativeTransportIsUsedWhereThereIsOne() {
        boolean linux = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");

        assertThat(server.isNative()).isEqualTo(linux);
    }

    @Test
    void pipelinedRequestsAreAnsweredInTheirOrder() throws IOException {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            String entity = "{\"PartitionKey\":\"p\",\"RowKey\":\"r" + i + "\",\"N\":" + i + "}";
            all.append(RawClient.request("POST", "/Orders", entity));
            all.append(RawClient.request("GET", "/Orders(PartitionKey='p',RowKey='r" + i + "')?$select=N", ""));
        }
        // The first request takes longest.
        cluster.failNext(Fault.BUSY, Fault.BUSY, Fault.BUSY, Fault.BUSY);

        try (RawClient client = connect()) {
            client.send(all.toString());

            for (int i = 0; i < 50; i++) {
                assertThat(client.read().status()).isEqualTo(201);
                assertThat(client.read().body()).isEqualTo("{\"N\":" + i + "}");
            }
        }
    }

    @Test
    void aRequestMayComeByteByByte() throws IOException {
        try (RawClient client = connect()) {
            for (byte one : RawClient.request("POST", "/Orders", ENTITY).getBytes(StandardCharsets.UTF_8)) {
                client.send(new byte[] {one});
            }

            assertThat(client.read().status()).isEqualTo(201);
        }
    }

    @Test
    void bodiesMayComeInChunks() throws IOException {
        String chunks = "5\r\n" + ENTITY.substring(0, 5) + "\r\n" + Integer.toHexString(ENTITY.length() - 5)
                + ";x=y\r\n" + ENTITY.substring(5) + "\r\n0\r\nTrailer: z\r\n\r\n";
        String head = RawClient.head("POST", "/Orders", with("Transfer-Encoding", "chunked"));

        try (RawClient client = connect()) {
            assertThat(client.send(head + "\r\n" + chunks).read().status()).isEqualTo(201);
            assertThat(client.ask("GET", ADDRESS, "").status()).isEqualTo(200);
        }
    }

    @Test
    void aHeadIsAGetWithoutItsBody() throws IOException {
        try (RawClient client = connect()) {
            client.ask("POST", "/Orders", ENTITY);
            Answer got = client.ask("GET", ADDRESS, "");

            Answer head = client.send(RawClient.request("HEAD", ADDRESS, "")).readHead();

            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Length")).isEqualTo(got.header("Content-Length"));
            assertThat(head.header("ETag")).isEqualTo(got.header("ETag"));
            assertThat(client.ask("GET", ADDRESS, "").status()).isEqualTo(200);
        }
    }

    @Test
    void aBodyOfFourMebibytesIsReadAndAByteMoreIsNot() throws IOException {
        String padding = " ".repeat((4 << 20) - ENTITY.length());
        try (RawClient client = connect()) {
            assertThat(client.ask("POST", "/Orders", ENTITY + padding).status()).isEqualTo(201);

            Answer refused = client.ask("POST", "/Orders", ENTITY + padding + " ");

            assertThat(refused.status()).isEqualTo(413);
            assertThat(refused.body()).contains("\"RequestBodyTooLarge\"");
            assertThat(refused.header("Connection")).isEqualTo("close");
            assertThat(client.endsWithoutAWord()).isTrue();
        }
    }

    @Test
    void anAnnouncedBodyThatIsTooLargeIsRefusedAtOnce() throws IOException {
        String head = RawClient.head("POST", "/Orders", with("Content-Length", "100000000000"));
        try (RawClient client = connect()) {
            assertThat(client.send(head + "\r\n").read().status()).isEqualTo(413);
        }
    }

    @Test
    void anEndlessBodyIsRefusedAndCutOff() throws IOException {
        String head = RawClient.head("POST", "/Orders", with("Transfer-Encoding", "chunked"));
        byte[] chunk = ("100000\r\n" + "x".repeat(1 << 20) + "\r\n").getBytes(StandardCharsets.UTF_8);
        try (RawClient client = connect()) {
            client.send(head + "\r\n");
            for (int i = 0; i < 5; i++) {
                client.send(chunk);
            }
            assertThat(client.read().status()).isEqualTo(413);
            try {
                while (true) {
                    client.send(chunk);
                }
            } catch (IOException cutOff) {
                assertThat(cutOff).isInstanceOf(java.net.SocketException.class);
            }
        }
        assertServes();
    }

    @Test
    void whoExpectsToContinueIsToldSo() throws IOException {
        String head = RawClient.head(
                "POST", "/Orders", with("Expect", "100-continue").with("Content-Length", "" + ENTITY.length()));
        try (RawClient client = connect()) {
            assertThat(client.send(head + "\r\n").read().status()).isEqualTo(100);
            assertThat(client.send(ENTITY).read().status()).isEqualTo(201);
        }
    }

    @Test
    void whoExpectsToContinueIsRefusedBeforeTheBody() throws IOException {
        SignedHeaders large = with("Expect", "100-continue").with("Content-Length", "5000000");
        SignedHeaders unsigned = with("Expect", "100-continue").with("Content-Length", "5");
        try (RawClient client = connect()) {
            assertThat(client.send(RawClient.head("POST", "/Orders", large) + "\r\n")
                            .read()
                            .status())
                    .isEqualTo(413);
            assertThat(client.endsWithoutAWord()).isTrue();
        }
        try (RawClient client = connect()) {
            String head = "POST /devstoreaccount1/Orders HTTP/1.1\r\nHost: h\r\n" + unsigned.lines() + "\r\n";
            assertThat(client.send(head).read().status()).isIn(401, 403);
            assertThat(client.endsWithoutAWord()).isTrue();
        }
    }

    @Test
    void aRefusedRequestWithABodyLeavesTheConnectionUsable() throws IOException {
        String unsigned = "POST /devstoreaccount1/Orders HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n";
        try (RawClient client = connect()) {
            assertThat(client.send(unsigned + "x".repeat(100_000)).read().status())
                    .isIn(401, 403);
            assertThat(client.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    @Test
    void aRefusedRequestIsAnsweredHoweverLargeItsBody() throws IOException {
        String head = "POST /devstoreaccount1/Orders HTTP/1.1\r\nHost: h\r\n";
        try (RawClient client = connect()) {
            client.send(head + "Content-Length: 100000000000\r\n\r\n");
            assertThat(client.read().status()).isIn(401, 403);
        }
        try (RawClient client = connect()) {
            client.send(head + "Transfer-Encoding: chunked\r\n\r\n500000\r\n" + "x".repeat(5 << 20) + "\r\n0\r\n\r\n");
            assertThat(client.read().status()).isIn(401, 403);
            assertThat(client.endsWithoutAWord()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GARBAGE\r\n\r\n",
                "GET\r\n\r\n",
                "GET / HTTP/1.1\r\nHost h\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: h\r\nBad Header: x\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: h\r\nX: a\u0000b\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -5\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: nonsense\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.0\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET http://[ HTTP/1.1\r\nHost: h\r\n\r\n",
                "CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET /\u00e4\u0001%zz HTTP/1.1\r\nHost: h\r\n\r\n"
            })
    void malformedRequestsAreTheClientsMistake(String request) throws IOException {
        try (RawClient client = connect()) {
            Answer answer = client.send(request).read();

            assertThat(answer.status()).isBetween(400, 499);
            assertThat(answer.header("x-ms-request-id")).isNotEmpty();
        }
        assertServes();
    }

    /** Only the status line of a version that this server speaks may be sent (RFC 9110, section 6.2). */
    @ParameterizedTest
    @CsvSource({
        "HTTP/9.9, 505",
        "HTTP/2.0, 505",
        "HTTP/0.9, 505",
        "HTTQ/1.1, 400",
        "http/1.1, 400",
        "HTTP/1.10, 400",
        "HTTP/11.1, 400",
        "HTTP/1, 400"
    })
    void otherVersionsAreRefusedInThisOne(String version, int status) throws IOException {
        try (RawClient client = connect()) {
            Answer answer =
                    client.send("GET / " + version + "\r\nHost: h\r\n\r\n").read();

            assertThat(answer.statusLine()).startsWith("HTTP/1.1 " + status + " ");
            assertThat(answer.header("x-ms-request-id")).isNotEmpty();
            assertThat(answer.header("Connection")).isEqualTo("close");
            client.drain();
        }
        assertServes();
    }

    /** RFC 9110, section 2.5: a minor version that is not known is the last one that is. */
    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1", "HTTP/1.2", "HTTP/1.9"})
    void laterMinorVersionsAreServedAsTheLastThatIsKnown(String version) throws IOException {
        try (RawClient client = connect()) {
            for (int i = 0; i < 2; i++) {
                String request = RawClient.request("GET", "/Tables", "");

                Answer answer =
                        client.send(request.replace("HTTP/1.1", version)).read();

                assertThat(answer.statusLine()).startsWith("HTTP/1.1 200 ");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"30000,0,403", "40000,0,414", "0,70000,431"})
    void requestLinesAndHeadersHaveLimits(int line, int header, int status) throws IOException {
        String request = "GET /devstoreaccount1/Orders?x=" + "y".repeat(line)
                + " HTTP/1.1\r\nHost: h\r\nAccept: application/json\r\n" + "Z: " + "z".repeat(header) + "\r\n\r\n";
        try (RawClient client = connect()) {
            Answer answer = client.send(request).read();

            assertThat(answer.status()).isIn(status, status == 403 ? 401 : status);
        }
    }

    @Test
    void aBrokenChunkCostsItsConnectionOnly() throws IOException {
        String head = RawClient.head("POST", "/Orders", with("Transfer-Encoding", "chunked"));
        try (RawClient client = connect()) {
            Answer answer = client.send(head + "\r\nnonsense\r\n\r\n").read();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.header("Connection")).isEqualTo("close");
            client.drain();
        }
        assertServes();
    }

    @Test
    void deepFiltersAreTheClientsMistake() throws IOException {
        try (RawClient client = connect()) {
            assertThat(client.ask("GET", "/Orders()?$filter=" + "(".repeat(20_000), "")
                            .status())
                    .isEqualTo(400);
            assertThat(client.ask("GET", "/Orders()?$filter=" + "not%20".repeat(3_000) + "A", "")
                            .status())
                    .isEqualTo(400);
        }
    }

    @Test
    void upgradesAreNotTaken() throws IOException {
        try (RawClient client = connect()) {
            SignedHeaders webSocket = with("Connection", "Upgrade")
                    .with("Upgrade", "websocket")
                    .with("Sec-WebSocket-Version", "13")
                    .with("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
            assertThat(client.send(RawClient.request("GET", "/Tables", webSocket, ""))
                            .read()
                            .status())
                    .isEqualTo(200);
        }
        try (RawClient client = connect()) {
            SignedHeaders h2c = with("Connection", "Upgrade, HTTP2-Settings")
                    .with("Upgrade", "h2c")
                    .with("HTTP2-Settings", "AAMAAABkAAQAAP__");
            assertThat(client.send(RawClient.request("GET", "/Tables", h2c, ""))
                            .read()
                            .status())
                    .isEqualTo(200);
        }
        try (RawClient client = connect()) {
            client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
            client.drain();
        }
        assertServes();
    }

    @Test
    void whoSendsNoWholeHeadIsCutOffEvenWhileDripping() throws IOException {
        restart("front-end.idle-timeout", "300ms");
        try (RawClient client = connect()) {
            assertThat(client.send("GET / HTTP/1.1\r\nHost:").endsWithoutAWord())
                    .isTrue();
        }
        try (RawClient client = connect()) {
            assertThat(client.ask("GET", "/Tables", "").status()).isEqualTo(200);
            try {
                while (true) {
                    client.send("x");
                    Thread.onSpinWait();
                }
            } catch (IOException cutOff) {
                assertThat(cutOff).isInstanceOf(java.net.SocketException.class);
            }
        }
        assertServes();
    }

    @Test
    void whoDripsAHeadIsCutOffLongBeforeWhoIsSilent() throws IOException {
        restart("front-end.head-timeout", "300ms");
        try (RawClient silent = connect();
                RawClient idle = connect()) {
            assertThat(idle.ask("GET", "/Tables", "").status()).isEqualTo(200);
            try (RawClient first = connect();
                    RawClient later = connect();
                    RawClient behind = connect()) {
                first.send("G");
                assertThat(later.ask("GET", "/Tables", "").status()).isEqualTo(200);
                later.send("GET / HTTP/1.1\r\nX: y\r\n");
                behind.send(RawClient.request("GET", "/Tables", "") + "GE");

                assertThat(first.endsWithoutAWord()).isTrue();
                assertThat(later.endsWithoutAWord()).isTrue();
                assertThat(behind.read().status()).isEqualTo(200);
                assertThat(behind.endsWithoutAWord()).isTrue();
            }
            assertThat(idle.ask("GET", "/Tables", "").status()).isEqualTo(200);
            assertThat(silent.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
        assertThat(TestServers.ended(registry, "slow-head")).isEqualTo(3);
    }

    @Test
    void whoSendsNoWholeBodyIsCutOff() throws IOException {
        restart("front-end.body-timeout", "300ms");
        try (RawClient client = connect()) {
            client.send(RawClient.head("POST", "/Orders", with("Content-Length", "100")) + "\r\n{");

            assertThat(client.endsWithoutAWord()).isTrue();
        }
        assertServes();
        assertThat(TestServers.ended(registry, "slow-body")).isEqualTo(1);
    }

    @Test
    void whoTakesNoAnswersIsCutOffAndHoldsFewOfThem() throws IOException {
        restart("front-end.answer-timeout", "500ms");
        String large = "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"A\":\"" + "x".repeat(30_000) + "\",\"B\":\""
                + "y".repeat(30_000) + "\"}";
        try (RawClient client = connect()) {
            assertThat(client.ask("POST", "/Orders", large).status()).isEqualTo(201);
            String get = RawClient.request("GET", ADDRESS, "");
            try {
                for (int i = 0; i < 1_000_000; i++) {
                    client.send(get);
                }
                throw new AssertionError("60 GB of answers were taken in");
            } catch (IOException cutOff) {
                assertThat(cutOff).isInstanceOf(java.net.SocketException.class);
            }
        }
        assertServes();
        assertThat(TestServers.ended(registry, "slow-reader")).isEqualTo(1);
    }

    @Test
    void tooManyRequestsInFlightAreServerBusyAndTheConnectionGoesOn() throws IOException {
        restart("front-end.loops", "1", "front-end.requests-in-flight", "1");
        assertServes();
        try (RawClient slow = connect();
                RawClient quick = connect()) {
            slow.send(RawClient.head("POST", "/Orders", with("Content-Length", "" + ENTITY.length())) + "\r\n{");
            awaitInFlight(1);

            Answer busy = quick.ask("GET", "/Tables", "");
            assertThat(busy.status()).isEqualTo(503);
            assertThat(busy.header("Retry-After")).isEqualTo("1");
            assertThat(slow.send(ENTITY.substring(1)).read().status()).isEqualTo(201);
            assertThat(quick.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    @Test
    void bodiesThatAreTooMuchTogetherAreServerBusyAndLeaveTheirRoomWhenTheyHavePassed() throws IOException {
        restart("front-end.loops", "1", "front-end.bytes-in-flight", "64KiB");
        assertServes();
        String large = ENTITY.replace("3}", "3,\"S\":\"" + "x".repeat(100_000) + "\"}");
        try (RawClient slow = connect();
                RawClient quick = connect()) {
            slow.send(RawClient.head("POST", "/Orders", with("Content-Length", "" + large.length())) + "\r\n"
                    + large.substring(0, 60_000));
            assertThat(quick.ask("GET", "/Tables", "").status()).isIn(200, 503);
            Answer busy = slow.send(large.substring(60_000)).read();
            assertThat(busy.status()).isEqualTo(503);
            assertThat(busy.header("Retry-After")).isEqualTo("1");
            assertThat(slow.ask("GET", "/Tables", "").status()).isEqualTo(200);
            assertThat(quick.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    @Test
    void whoWasToldToContinueAndFindsNoRoomIsAnsweredAfterTheBody() throws IOException {
        restart("front-end.loops", "1", "front-end.bytes-in-flight", "64KiB");
        assertServes();
        String large = ENTITY.replace("3}", "3,\"S\":\"" + "x".repeat(100_000) + "\"}");
        SignedHeaders more = with("Expect", "100-continue").with("Content-Length", "" + large.length());
        try (RawClient client = connect()) {
            assertThat(client.send(RawClient.head("POST", "/Orders", more) + "\r\n")
                            .read()
                            .status())
                    .isEqualTo(100);
            assertThat(client.send(large).read().status()).isEqualTo(503);
            assertThat(client.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    /** Nobody signs a preflight, so it must not take what those who sign are given. */
    @Test
    void preflightsTakeNeitherRoomNorAPlaceWhileTheirBodiesCome() throws IOException {
        restart("front-end.loops", "1", "front-end.bytes-in-flight", "1KiB", "front-end.requests-in-flight", "1");
        assertServes();
        String body = "x".repeat(5000);
        try (RawClient slow = connect();
                RawClient quick = connect()) {
            slow.send(
                    "OPTIONS /devstoreaccount1/Orders HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5000\r\n\r\n");
            assertThat(slow.read().status()).isEqualTo(100);
            slow.send(body.substring(1));

            for (int i = 0; i < 20; i++) { // What the slow one has sent may not have arrived before.
                assertThat(quick.ask("GET", "/Tables", "").status()).isEqualTo(200);
            }
            assertThat(slow.send("x").read().status()).isEqualTo(400);
            assertThat(slow.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    @Test
    void whoTakesNoAnswersLeavesTheirRoomWhenItIsCutOff() throws IOException {
        restart("front-end.answer-timeout", "500ms", "front-end.loops", "1", "front-end.bytes-in-flight", "64KiB");
        String large = "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"A\":\"" + "x".repeat(30_000) + "\"}";
        try (RawClient slow = connect()) {
            assertThat(slow.ask("POST", "/Orders", large).status()).isEqualTo(201);
            String get = RawClient.request("GET", ADDRESS, "");
            try {
                for (int i = 0; i < 1_000_000; i++) {
                    slow.send(get);
                }
                throw new AssertionError("30 GB of answers were taken in");
            } catch (IOException cutOff) {
                assertThat(cutOff).isInstanceOf(java.net.SocketException.class);
            }
        }
        assertServes();
    }

    @Test
    void aRequestIsInFlightUntilItEndsEvenWhenItsClientHasGone() throws IOException {
        restart("front-end.loops", "1", "front-end.requests-in-flight", "1");
        assertServes();
        cluster.failNext(Fault.SILENCE);
        try (RawClient gone = connect()) {
            gone.send(RawClient.request("POST", "/Orders", ENTITY));
            awaitInFlight(1);
        }
        await("cleave_front_end_connections", 0);

        try (RawClient next = connect()) {
            assertThat(next.ask("GET", "/Tables", "").status()).isEqualTo(503);
        }
    }

    private void awaitInFlight(double requests) {
        await("cleave_front_end_requests_in_flight", requests);
    }

    /** Waits for a gauge. */
    private void await(String gauge, double value) {
        Await.until(gauge + " is " + value, () -> registry.getSampleValue(gauge) == value);
    }

    @Test
    void aClientThatGoesAwayLeavesNothingBehind() throws IOException {
        try (RawClient client = connect()) {
            client.send(RawClient.head("POST", "/Orders", with("Content-Length", "100")) + "\r\n{");
            awaitInFlight(1);
        }
        awaitInFlight(0);
        cluster.failNext(Fault.SILENCE);
        try (RawClient client = connect()) {
            client.send(RawClient.request("POST", "/Orders?timeout=1", ENTITY));
            awaitInFlight(1);
        }
        awaitInFlight(0);
        assertServes();
    }

    @Test
    void connectionsHaveALimit() throws IOException {
        restart("front-end.loops", "1", "front-end.connections", "2");
        try (RawClient first = connect();
                RawClient second = connect()) {
            assertThat(first.ask("GET", "/Tables", "").status()).isEqualTo(200);
            assertThat(second.ask("GET", "/Tables", "").status()).isEqualTo(200);
            try (RawClient third = connect()) {
                assertThat(third.endsWithoutAWord()).isTrue();
            }
            assertThat(first.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    @Test
    void aNewcomerTakesThePlaceOfTheOldestThatHasNotSentAWholeHead() throws IOException {
        restart("front-end.loops", "1", "front-end.connections", "3");
        try (RawClient asked = connect()) {
            assertThat(asked.ask("GET", "/Tables", "").status()).isEqualTo(200);
            try (RawClient older = connect().send("GET / HTTP/1.1\r\n");
                    RawClient newer = connect()) {
                try (RawClient newcomer = connect()) {
                    assertThat(newcomer.ask("GET", "/Tables", "").status()).isEqualTo(200);
                    assertThat(older.endsWithoutAWord()).isTrue();
                    assertThat(newer.ask("GET", "/Tables", "").status()).isEqualTo(200);
                }
            }
            assertThat(asked.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    @Test
    void aCloseLetsRequestsInFlightComeToTheirEnd() throws Exception {
        try (RawClient idle = connect();
                RawClient busy = connect()) {
            assertThat(idle.ask("GET", "/Tables", "").status()).isEqualTo(200);
            busy.send(RawClient.head("POST", "/Orders", with("Content-Length", "" + ENTITY.length())) + "\r\n{");
            awaitInFlight(1);
            Thread closing = new Thread(server::close);
            closing.start();

            assertThat(idle.endsWithoutAWord()).isTrue();
            assertThat(busy.send(ENTITY.substring(1)).read().status()).isEqualTo(201);
            closing.join();
        }
        server = start(Map.of());
        try (RawClient client = connect()) {
            assertThat(client.ask("GET", ADDRESS, "").status()).isEqualTo(200);
        }
    }

    @Test
    void noiseNeverEndsTheProcess() throws IOException {
        long seed = Long.getLong("seed", 20260102L);
        Random random = new Random(seed);
        byte[] valid = RawClient.request("POST", "/Orders", ENTITY).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 300; i++) {
            byte[] noise = valid.clone();
            for (int flips = 1 + random.nextInt(8); flips > 0; flips--) {
                noise[random.nextInt(noise.length)] = (byte) random.nextInt(256);
            }
            try (RawClient client = connect()) {
                client.send(noise);
            }
        }
        assertServes();
        assertThat(registry.getSampleValue("cleave_front_end_faults_total"))
                .as("seed %s", seed)
                .isZero();
    }
}
