package cleave.chaos.bench.empty;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.Patience;
import cleave.chaos.system.ClusterSystem;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.deploy.cluster.Jvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the empty chain carries the same bytes as a cluster. */
@ExtendWith(ClusterSystem.class)
@Tag("nightly")
class EmptyChainIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Jvm JVM = new Jvm(
            System.getProperty("java.class.path"),
            List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            false);
    private static final int ATTEMPTS_MAX = 20;
    /** Answers contain its name. */
    private static final String TABLE = "Empty12345678";

    private static Request insert(Requests requests, String table, EntityKey key) {
        return requests.insert(table, Entities.whole(key, 42, Payload.ENTITY_BYTES));
    }

    private static Request get(Requests requests, String table) {
        return requests.get(table, Payload.SAMPLE.partition(), Payload.SAMPLE.row());
    }

    private static Request merge(Requests requests, String table) {
        return requests.merge(table, Payload.SAMPLE.partition(), Payload.SAMPLE.row(), "*", Entities.merged(42));
    }

    @Test
    void itsAnswersAreAsLongAndItsFileGrowsByWhatIsWritten(Endpoint like, @TempDir Path dir) throws IOException {
        try (EmptyChain chain = EmptyChain.started(JVM, dir, like, Patience.ofSeconds(60));
                Connection real = Connection.open(like, PATIENCE);
                Connection empty = Connection.open(chain.endpoint(), PATIENCE)) {
            Requests toReal = new Requests(like);
            Requests toEmpty = new Requests(chain.endpoint());
            assertThat(real.exchange(toReal.createTable(TABLE)).status()).isEqualTo(204);

            isAlike(
                    real.exchange(insert(toReal, TABLE, Payload.SAMPLE)),
                    empty.exchange(insert(toEmpty, TABLE, Payload.SAMPLE)));
            assertThat(dir.resolve("journal")).hasSize(Payload.INSERTED.size());
            isAlike(real.exchange(get(toReal, TABLE)), empty.exchange(get(toEmpty, TABLE)));
            assertThat(dir.resolve("journal")).hasSize(Payload.INSERTED.size());
            isAlike(real.exchange(merge(toReal, TABLE)), empty.exchange(merge(toEmpty, TABLE)));
            assertThat(Files.size(dir.resolve("journal"))).isEqualTo(Payload.INSERTED.size() + Payload.MERGED.size());
        }
    }

    @Test
    void theEchoAnswersWhatIsSignedAndNothingElse(Endpoint like, @TempDir Path dir) throws IOException {
        try (SignedEcho echo = SignedEcho.started(JVM, dir, like, Patience.ofSeconds(300));
                Connection empty = Connection.open(echo.endpoint(), PATIENCE)) {
            Requests requests = new Requests(echo.endpoint());
            assertThat(empty.exchange(insert(requests, TABLE, Payload.SAMPLE)).status())
                    .isEqualTo(204);
            assertThat(empty.exchange(get(requests, TABLE)).body()).isNotEmpty();
            assertThat(empty.exchange(merge(requests, TABLE)).status()).isEqualTo(204);
            assertThat(empty.exchange(get(requests, TABLE).without("Authorization"))
                            .status())
                    .isEqualTo(403);
            assertThat(empty.exchange(get(requests, TABLE)
                                    .without("Authorization")
                                    .with("Authorization", "SharedKeyLite devstoreaccount1:bm8="))
                            .status())
                    .isEqualTo(403);
        }
    }

    private static void isAlike(Answer real, Answer empty) {
        assertThat(empty.status()).isEqualTo(real.status());
        assertThat(withoutFractions(empty)).hasSameSizeAs(withoutFractions(real));
        Set<String> headers = new TreeSet<>(real.headers().keySet());
        assertThat(new TreeSet<>(empty.headers().keySet())).isEqualTo(headers);
    }

    /** Removes fractions of seconds: a tenth of all times end in a zero, which is not written. */
    private static String withoutFractions(Answer answer) {
        return new String(answer.body(), StandardCharsets.UTF_8).replaceAll("\\.\\d{1,7}Z", "Z");
    }

    @Test
    void itsRecordsAreAsLongAsThoseOfACommitLog(Cluster cluster) throws IOException {
        Endpoint endpoint = cluster.endpoints().get(0);
        Requests requests = new Requests(endpoint);
        try (Connection connection = Connection.open(endpoint, PATIENCE)) {
            connection.exchange(requests.createTable("Records"));
            assertThat(appendedBy(cluster, connection, insert(requests, "Records", Payload.SAMPLE)))
                    .isEqualTo(Payload.INSERTED.size());
            assertThat(appendedBy(cluster, connection, merge(requests, "Records")))
                    .isEqualTo(Payload.MERGED.size());
        }
    }

    /** Bytes of the record of a write, measured while there is no other; -1 if there always was another. */
    private static double appendedBy(Cluster cluster, Connection connection, Request write) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            double appends = sum(cluster, "cleave_server_appends_total");
            double bytes = sum(cluster, "cleave_server_appended_bytes_total");
            assertThat(connection.exchange(write).status()).isIn(204, 409);
            if (sum(cluster, "cleave_server_appends_total") == appends + 1) {
                return sum(cluster, "cleave_server_appended_bytes_total") - bytes;
            }
        }
        return -1;
    }

    private static double sum(Cluster cluster, String metric) throws IOException {
        double sum = 0;
        for (ChildProcess server : cluster.servers()) {
            sum += server.admin().metrics().sum(metric);
        }
        return sum;
    }
}
