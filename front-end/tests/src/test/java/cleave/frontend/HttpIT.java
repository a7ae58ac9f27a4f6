package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.RawClient.Answer;
import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.core.SignedHeaders;
import cleave.runtime.loop.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP as the real server speaks it, over sockets: what it understands, what it refuses, and how it ends. */
class HttpIT extends OnSockets {
    @BeforeEach
    void createTable() throws IOException {
        createOrders();
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
    void aConnectionOfTheGreatestAgeClosesWithItsAnswer() throws IOException {
        restart("front-end.connection-age", "1s");
        try (RawClient client = connect()) {
            Await.until("its last answer", () -> {
                RawClient.Answer answer = client.ask("GET", "/Tables", "");
                assertThat(answer.status()).isEqualTo(200);
                return answer.header("Connection").equals("close");
            });
            assertThat(client.endsWithoutAWord()).isTrue();
        }
        assertThat(TestServers.ended(registry, "age")).isEqualTo(1);
        assertServes();
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
        server = start();
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
