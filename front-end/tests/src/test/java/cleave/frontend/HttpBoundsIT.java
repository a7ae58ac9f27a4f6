package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.frontend.RawClient.Answer;
import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.core.SignedHeaders;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that are slow, greedy or gone: what they cost ends with them. */
class HttpBoundsIT extends OnSockets {
    @BeforeEach
    void createTable() throws IOException {
        createOrders();
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

    /** Its answers, of 30 kB and more each, are not taken in without end. */
    private static void askUntilCutOff(RawClient client) {
        String get = RawClient.request("GET", ADDRESS, "");
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1_000_000; i++) {
                        client.send(get);
                    }
                })
                .isInstanceOf(java.net.SocketException.class);
    }

    @Test
    void whoTakesNoAnswersIsCutOffAndHoldsFewOfThem() throws IOException {
        restart("front-end.answer-timeout", "500ms");
        String large = "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"A\":\"" + "x".repeat(30_000) + "\",\"B\":\""
                + "y".repeat(30_000) + "\"}";
        try (RawClient client = connect()) {
            assertThat(client.ask("POST", "/Orders", large).status()).isEqualTo(201);
            askUntilCutOff(client);
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
            askUntilCutOff(slow);
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
}
