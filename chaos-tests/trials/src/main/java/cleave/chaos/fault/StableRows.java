package cleave.chaos.fault;

import cleave.chaos.history.EntityKey;
import cleave.chaos.operation.Bodies;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Entities that are written once, before all faults, and must appear in every later scan of the table. Immutable.
 *
 * @param partitions the number of partitions, named by {@link RecordingClients#partitionKey}
 * @param rows in each of them
 * @param bytes of each
 */
public record StableRows(String table, int partitions, int rows, int bytes) {
    /** RowKeys of workloads begin differently. */
    static final String ROW_PREFIX = "stable-";

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration TELL = Duration.ofSeconds(10);
    private static final int TRANSACTION_ROWS_MAX = 100;
    private static final int TRANSACTION_BYTES_MAX = 3 << 20;
    private static final int BYTES_MAX = 30_000;
    private static final int FEW = 20;

    /** Some small entities in each partition, or enough to make up a number of bytes. */
    public static StableRows ofBytes(String table, int partitions, long bytes) {
        return bytes == 0
                ? new StableRows(table, partitions, FEW, FEW)
                : new StableRows(table, partitions, (int) Math.max(1, bytes / partitions / BYTES_MAX), BYTES_MAX);
    }

    /** Text that hardly compresses. */
    private String payload(Random random) {
        return random.ints('0', 'z' + 1)
                .filter(Character::isLetterOrDigit)
                .limit(bytes)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    int count() {
        return partitions * rows;
    }

    long totalBytes() {
        return (long) count() * bytes;
    }

    static boolean holds(EntityKey key) {
        return key.row().startsWith(ROW_PREFIX);
    }

    /** Writes all of them; tells every ten seconds how many partitions are written. */
    public void load(Endpoint endpoint, Consumer<String> progress) throws IOException {
        Requests requests = new Requests(endpoint);
        int each = Math.max(1, Math.min(TRANSACTION_ROWS_MAX, TRANSACTION_BYTES_MAX / bytes));
        Random random = new Random(0);
        long told = System.nanoTime();
        try (Connection connection = Connection.open(endpoint, PATIENCE)) {
            for (int partition = 0; partition < partitions; partition++) {
                if (System.nanoTime() - told > TELL.toNanos()) {
                    told = System.nanoTime();
                    progress.accept("  " + partition + " of " + partitions + " partitions are loaded");
                }
                String partitionKey = RecordingClients.partitionKey(partition);
                for (int first = 0; first < rows; first += each) {
                    List<Request> parts = new ArrayList<>();
                    for (int row = first; row < Math.min(rows, first + each); row++) {
                        String rowKey = String.format(Locale.ROOT, "%s%06d", ROW_PREFIX, row);
                        String json = Bodies.of(partitionKey, rowKey, Map.of("Payload", payload(random)));
                        parts.add(requests.part("PUT", table, partitionKey, rowKey, "", json));
                    }
                    Answer answer = connection.exchange(requests.transaction(parts));
                    if (!answer.isCommitted()) {
                        throw new IOException("the stable rows cannot be loaded: " + answer);
                    }
                }
            }
        }
    }
}
