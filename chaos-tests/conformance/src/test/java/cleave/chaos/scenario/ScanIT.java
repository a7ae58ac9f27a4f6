package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.board.scrape.Metrics;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.Patience;
import cleave.chaos.system.ClusterSystem;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Continuation;
import cleave.client.Endpoint;
import cleave.client.JsonText;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.wire.RangeRow;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries over a table of 8 ranges on 3 servers. */
@ExtendWith(ClusterSystem.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ScanIT {
    private static final int PARTITIONS = 16;
    private static final int ROWS = 150;
    private static final int BATCH = 75;
    private static final int RANGES = 8;
    private static final Patience PATIENCE = Patience.ofSeconds(60);

    private final Cluster cluster;
    private final Requests requests;
    private final String table = "S" + UUID.randomUUID().toString().replace("-", "");
    private final Connection connection;

    ScanIT(Cluster cluster) throws IOException {
        this.cluster = cluster;
        Endpoint endpoint = cluster.endpoints().get(0);
        requests = new Requests(endpoint);
        connection = Connection.open(endpoint, Duration.ofSeconds(60));
    }

    @BeforeAll
    void load() throws IOException {
        assertThat(connection.exchange(requests.createTable(table)).status()).isEqualTo(204);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int row = 0; row < ROWS; row += BATCH) {
                assertThat(connection
                                .exchange(requests.transaction(inserts(partition, row)))
                                .text())
                        .doesNotContain("HTTP/1.1 4", "HTTP/1.1 5");
            }
        }
        split(IntStream.range(1, RANGES).map(range -> range * PARTITIONS / RANGES));
        assertThat(owners()).hasSizeGreaterThanOrEqualTo(RANGES);
        assertThat(owners().stream().distinct()).hasSizeGreaterThan(1);
    }

    @AfterAll
    void disconnect() throws IOException {
        connection.close();
    }

    private List<Request> inserts(int partition, int firstRow) {
        List<Request> inserts = new ArrayList<>();
        for (int row = firstRow; row < firstRow + BATCH; row++) {
            inserts.add(requests.part(
                    "POST",
                    requests.endpoint().prefix() + "/" + table,
                    "",
                    "{\"PartitionKey\":\"" + partitionKey(partition) + "\",\"RowKey\":\"" + rowKey(row)
                            + "\",\"Number\":" + row + "}"));
        }
        return inserts;
    }

    private void split(IntStream partitions) {
        cluster.split(
                Endpoint.DEVELOPMENT_ACCOUNT,
                table,
                partitions.mapToObj(ScanIT::partitionKey).toList());
        cluster.awaitServed(PATIENCE);
    }

    private List<String> owners() {
        return cluster.admin().ranges().stream()
                .map(RangeRow::getOwner)
                .map(owner -> owner.getServer())
                .toList();
    }

    private static String partitionKey(int partition) {
        return String.format(Locale.ROOT, "p%02d", partition);
    }

    private static String rowKey(int row) {
        return String.format(Locale.ROOT, "r%03d", row);
    }

    private static List<String> allKeys() {
        List<String> keys = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int row = 0; row < ROWS; row++) {
                keys.add(partitionKey(partition) + "/" + rowKey(row));
            }
        }
        return keys;
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 333, 97})
    void aFullScanReturnsEveryEntityOnceInOrder(int top) throws IOException {
        assertThat(scan("$top=" + top)).isEqualTo(allKeys());
    }

    @Test
    void tokensOutliveASplit() throws IOException {
        List<String> keys = new ArrayList<>();
        List<String> token = page(keys, List.of(), "$top=500");
        split(IntStream.of(1, 3, 5, 7));
        while (!token.isEmpty()) {
            token = page(keys, token, "$top=500");
        }
        assertThat(keys).isEqualTo(allKeys());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PartitionKey eq 'p05' and RowKey eq 'r007'                                        | 1   | 1
            PartitionKey eq 'p05' and RowKey ge 'r010' and RowKey lt 'r030'                   | 20  | 20
            PartitionKey eq 'p05' and RowKey gt 'r010' and RowKey le 'r030' and Number eq 20  | 20  | 1
            PartitionKey eq 'p05'                                                             | 150 | 150
            PartitionKey ge 'p05' and PartitionKey lt 'p07'                                   | 300 | 300
            PartitionKey gt 'p05' and PartitionKey le 'p07' and Number lt 3                   | 300 | 6
            """)
    void queriesExamineOnlyKeysInTheirBounds(String filter, int examined, int returned) throws IOException {
        Metrics before = metrics();
        assertThat(scan(Requests.option("$filter", filter))).hasSize(returned);
        Metrics after = metrics();
        assertThat(delta(before, after, "entities_examined_total")).isBetween((double) returned, (double) examined);
        assertThat(delta(before, after, "entities_returned_total")).isEqualTo(returned);
        assertThat(delta(before, after, "entities_received_total")).isEqualTo(returned);
    }

    /** All keys that a query gives, following its tokens. */
    private List<String> scan(String... options) throws IOException {
        List<String> keys = new ArrayList<>();
        List<String> token = page(keys, List.of(), options);
        while (!token.isEmpty()) {
            token = page(keys, token, options);
        }
        return keys;
    }

    /** Adds the keys of one page, and gives the options that ask for the next; none after the last. */
    private List<String> page(List<String> keys, List<String> token, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(token);
        Answer answer = connection.exchange(requests.query(table, all));
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        for (Map<String, @Nullable Object> entity : JsonText.entities(answer.body())) {
            keys.add(entity.get("PartitionKey") + "/" + entity.get("RowKey"));
        }
        Continuation next = Continuation.of(answer);
        return next == null ? List.of() : next.options();
    }

    private Metrics metrics() throws IOException {
        return cluster.frontEnds().get(0).admin().metrics();
    }

    private static double delta(Metrics before, Metrics after, String name) {
        String whole = "cleave_front_end_" + name;
        return after.sum(whole) - before.sum(whole);
    }
}
