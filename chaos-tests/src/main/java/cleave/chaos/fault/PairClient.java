package cleave.chaos.fault;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.JsonText;
import cleave.chaos.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes pairs of entities by transactions, always with the same value, and reads them by one query: they must never differ, nor
 * be older than what was acknowledged (invariants I3, I6). Confined to its own thread while it runs.
 */
final class PairClient implements Runnable {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final List<Requests> frontEnds;
    private final String table;
    private final String partitionKey;
    private final List<String> rows;
    private final Duration pause;
    private final List<String> violations = new ArrayList<>();
    private long value;
    private long acknowledged;
    private int done;
    private int current;
    private volatile boolean stopped;

    PairClient(List<Endpoint> frontEnds, String table, String partitionKey, String rowPrefix, Duration pause) {
        this.frontEnds = frontEnds.stream().map(Requests::new).toList();
        this.table = table;
        this.partitionKey = partitionKey;
        this.rows = List.of(rowPrefix + "x1", rowPrefix + "x2");
        this.pause = pause;
    }

    @Override
    public void run() {
        while (!stopped) {
            Requests to = frontEnds.get(current);
            try (Connection connection = Connection.open(to.endpoint(), PATIENCE)) {
                while (!stopped) {
                    write(to, connection);
                    read(to, connection);
                    LockSupport.parkNanos(pause.toNanos());
                }
            } catch (IOException broken) {
                current = (current + 1) % frontEnds.size();
                LockSupport.parkNanos(pause.toNanos());
            }
        }
    }

    private void write(Requests to, Connection connection) throws IOException {
        value++;
        Answer answer = connection.exchange(to.transaction(rows.stream()
                .map(row -> to.part("PUT", to.address(table, partitionKey, row), "", json(row)))
                .toList()));
        if (answer.status() == 202
                && !answer.text().contains("HTTP/1.1 4")
                && !answer.text().contains("HTTP/1.1 5")) {
            acknowledged = value;
            done++;
        }
    }

    private String json(String row) {
        return Bodies.of(partitionKey, row, Map.of("A", Long.toString(value)));
    }

    private void read(Requests to, Connection connection) throws IOException {
        String filter = "PartitionKey eq '" + partitionKey + "' and RowKey ge '" + rows.get(0) + "' and RowKey le '"
                + rows.get(1) + "'";
        Answer answer = connection.exchange(to.query(table, List.of(Requests.option("$filter", filter))));
        if (answer.status() != 200
                || !answer.header("x-ms-continuation-NextPartitionKey").isEmpty()) {
            return;
        }
        List<Long> values = new ArrayList<>();
        for (Map<String, @Nullable Object> entity : JsonText.entities(answer.body())) {
            values.add(Long.parseLong(String.valueOf(entity.get("A"))));
        }
        judge(values);
    }

    private void judge(List<Long> values) {
        boolean whole = values.isEmpty() || (values.size() == 2 && values.get(0).equals(values.get(1)));
        long seen = values.isEmpty() ? 0 : values.get(0);
        if (!whole || seen < acknowledged || seen > value) {
            violations.add("read " + values + " when " + acknowledged + " was acknowledged and " + value + " tried");
        }
    }

    void stop() {
        stopped = true;
    }

    List<String> violations() {
        return List.copyOf(violations);
    }

    int done() {
        return done;
    }
}
