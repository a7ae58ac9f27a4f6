package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.chaos.system.Folders;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.SharedKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Two accounts of one front end and one server, each with one thread for the work in question. One account has {@value #CLIENTS} queries in
 * progress at any time. The other's wait is counted in answers to the first, not in seconds: if requests were served in the order of their
 * arrival, it would be about {@value #CLIENTS}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("nightly")
class NeighbourIT {
    private static final int CLIENTS = 32;
    /** Half of the count of an unfair server: the heavy account gets answers also while the light one's thread waits for a processor. */
    private static final int FAIR = CLIENTS / 2;

    private static final int ASKED = 15;
    private static final int PARTITIONS = 30;
    private static final int ROWS = 100;
    private static final Patience PATIENCE = Patience.ofSeconds(60);
    private static final String KEY = "bmVpZ2hib3Vy";
    private static final String TEXT = "text ".repeat(100);
    private static final List<String> JVM = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private final Standalone standalone;
    private final Requests heavy;
    private final Requests light;

    NeighbourIT() throws IOException {
        Path folder = Folders.fresh("neighbour");
        Path accounts = Files.writeString(folder.resolve("accounts"), "heavy=" + KEY + "\nlight=" + KEY + "\n");
        standalone = Standalone.planned(
                folder,
                JVM,
                Map.of("front-end.accounts", accounts.toString(), "front-end.loops", "1", "server.readers", "1"));
        heavy = requests("heavy");
        light = requests("light");
    }

    private Requests requests(String account) {
        Endpoint at = standalone.endpoint();
        return new Requests(at.as("/" + account, new SharedKey(account, KEY)));
    }

    @BeforeAll
    void load() throws IOException {
        standalone.start(PATIENCE);
        load(heavy, PARTITIONS);
        load(light, 1);
    }

    private static void load(Requests requests, int partitions) throws IOException {
        try (Connection connection = open(requests)) {
            assertThat(connection.exchange(requests.createTable("Items")).status())
                    .isEqualTo(204);
            for (int partition = 0; partition < partitions; partition++) {
                List<Request> inserts = new ArrayList<>();
                for (int row = 0; row < ROWS; row++) {
                    inserts.add(requests.part(
                            "PUT",
                            requests.address("Items", "p" + partition, "r" + row),
                            "",
                            "{\"Number\":" + row + ",\"Text\":\"" + TEXT + "\"}"));
                }
                assertThat(connection.exchange(requests.transaction(inserts)).status())
                        .isEqualTo(202);
            }
        }
    }

    private static Connection open(Requests requests) throws IOException {
        return Connection.open(requests.endpoint(), Duration.ofSeconds(60));
    }

    @AfterAll
    void end() {
        standalone.close();
    }

    /** Answers that the heavy account gets while the light one waits for one: the median. */
    private long answersMeanwhile(Request ofHeavy, Request ofLight) throws Exception {
        AtomicLong answers = new AtomicLong();
        AtomicBoolean stops = new AtomicBoolean();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Thread client = new Thread(() -> ask(ofHeavy, answers, stops), "heavy-" + i);
            clients.add(client);
            client.start();
        }
        long[] meanwhile = new long[ASKED];
        try (Connection connection = open(light)) {
            for (int i = 0; i < ASKED; i++) {
                long before = answers.get();
                PATIENCE.until("all of the heavy account's clients are busy", () -> answers.get() >= before + CLIENTS);
                long begun = answers.get();
                Answer answer = connection.exchange(ofLight);
                meanwhile[i] = answers.get() - begun;
                assertThat(answer.status()).isEqualTo(200);
            }
        } finally {
            stops.set(true);
            for (Thread client : clients) {
                client.join();
            }
        }
        Arrays.sort(meanwhile);
        return meanwhile[ASKED / 2];
    }

    private void ask(Request request, AtomicLong answers, AtomicBoolean stops) {
        try (Connection connection = open(heavy)) {
            while (!stops.get()) {
                if (connection.exchange(request).isSuccess()) {
                    answers.incrementAndGet();
                }
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private Request scan() {
        return heavy.query("Items", List.of(Requests.option("$filter", "Number lt 0")));
    }

    private Request page() {
        return heavy.query("Items", List.of());
    }

    @Test
    void aQueryDoesNotWaitBehindTheScansOfAnotherAccount() throws Exception {
        Request few = light.query("Items", List.of(Requests.option("$top", "5")));
        assertThat(answersMeanwhile(scan(), few)).isLessThanOrEqualTo(FAIR);
    }

    @Test
    void aPointReadDoesNotWaitBehindThePagesOfAnotherAccount() throws Exception {
        assertThat(answersMeanwhile(page(), light.get("Items", "p0", "r0"))).isLessThanOrEqualTo(FAIR);
    }

    @Test
    void aQueryDoesNotWaitBehindThePagesOfAnotherAccount() throws Exception {
        assertThat(answersMeanwhile(page(), light.query("Items", List.of()))).isLessThanOrEqualTo(FAIR);
    }
}
