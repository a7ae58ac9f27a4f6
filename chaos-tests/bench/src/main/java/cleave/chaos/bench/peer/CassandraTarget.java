package cleave.chaos.bench.peer;

import cleave.chaos.bench.peer.CqlConnection.Consistency;
import cleave.chaos.bench.peer.CqlConnection.Prepared;
import cleave.chaos.load.run.Attempt;
import cleave.chaos.load.run.Target;
import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Operation;
import cleave.chaos.load.workload.Planner;
import cleave.chaos.load.workload.Workload;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cassandra on a port of this machine, used as strictly as a Table service is: an insert fails if the row is there, an update if it is not, and a
 * read sees all writes that were acknowledged before. So writes are lightweight transactions, and reads have the consistency SERIAL. A property is
 * a column. Thread-safe.
 */
record CassandraTarget(int port) implements Target {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Of entities of 1,200 bytes, half of what Cassandra accepts. */
    private static final int BATCH = 20;

    private static final int RETRIES = 20;

    private static final String KEYSPACE = "bench";
    private static final String COLUMNS = "pk, rk, write, count, share, active, day, text";
    private static final long DAY_MILLIS = Instant.parse("2024-05-01T08:00:00Z").toEpochMilli();

    @Override
    public String address() {
        return "cassandra://127.0.0.1:" + port;
    }

    @Override
    public Session open(String table, Workload workload, Duration patience) {
        PeerSession.requireKnown(workload);
        return new CassandraSession(table, workload, patience);
    }

    @Override
    public void fill(String table, Workload workload) throws IOException {
        try (CqlConnection connection = CqlConnection.open(port, PATIENCE)) {
            done(connection.query(
                    "CREATE KEYSPACE IF NOT EXISTS " + KEYSPACE
                            + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                    Consistency.ONE));
            done(connection.query(
                    "CREATE TABLE " + name(table) + " (pk text, rk text, write bigint, count int, share double,"
                            + " active boolean, day timestamp, text text, merged bigint, PRIMARY KEY (pk, rk))",
                    Consistency.ONE));
            Prepared insert = connection.prepare(insertion(table));
            List<List<ByteBuffer>> rows = new ArrayList<>();
            for (long item = 0; item < workload.shape().items(); item++) {
                rows.add(whole(Planner.loadedKey(workload, item), item, workload));
                if (rows.size() == BATCH || item == workload.shape().items() - 1) {
                    load(connection, insert, rows);
                    rows.clear();
                }
            }
        }
    }

    /** Again if it is not known whether they were written, for the same may be written twice. */
    private static void load(CqlConnection connection, Prepared insert, List<List<ByteBuffer>> rows)
            throws IOException {
        CqlAnswer answer = connection.batch(insert, rows, Consistency.ONE);
        for (int retries = 0; retries < RETRIES && (answer.isUnknown() || answer.isBusy()); retries++) {
            answer = connection.batch(insert, rows, Consistency.ONE);
        }
        done(answer);
    }

    private static void done(CqlAnswer answer) throws IOException {
        if (answer.isError()) {
            throw new IOException("Cassandra answered " + answer);
        }
    }

    @Override
    public long count(String table) throws IOException {
        try (CqlConnection connection = CqlConnection.open(port, PATIENCE)) {
            CqlAnswer answer = connection.query("SELECT count(*) FROM " + name(table), Consistency.ONE);
            done(answer);
            return answer.number();
        }
    }

    private static String name(String table) {
        return KEYSPACE + "." + table;
    }

    private static String insertion(String table) {
        return "INSERT INTO " + name(table) + " (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    }

    private static List<ByteBuffer> whole(EntityKey key, long write, Workload workload) {
        String text = Entities.text(Entities.whole(key, write, workload.shape().entityBytes()));
        return List.of(
                text(key.partition()),
                text(key.row()),
                number(write),
                ByteBuffer.allocate(Integer.BYTES).putInt(0, (int) (write % 1_000_000)),
                ByteBuffer.allocate(Double.BYTES).putDouble(0, 0.25),
                ByteBuffer.wrap(new byte[] {1}),
                number(DAY_MILLIS),
                text(text));
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static ByteBuffer number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, number);
    }

    /** One client. */
    private final class CassandraSession extends PeerSession {
        private final String table;
        private final Workload workload;
        private final Duration patience;
        private @Nullable Prepares open;

        private record Prepares(
                CqlConnection connection, Prepared get, Prepared insert, Prepared merge, Prepared page) {}

        CassandraSession(String table, Workload workload, Duration patience) {
            this.table = table;
            this.workload = workload;
            this.patience = patience;
        }

        private Prepares open() throws IOException {
            if (open == null) {
                CqlConnection connection = CqlConnection.open(port, patience);
                open = new Prepares(
                        connection,
                        connection.prepare(
                                "SELECT " + COLUMNS + ", merged FROM " + name(table) + " WHERE pk = ? AND rk = ?"),
                        connection.prepare(insertion(table) + " IF NOT EXISTS"),
                        connection.prepare(
                                "UPDATE " + name(table) + " SET merged = ? WHERE pk = ? AND rk = ? IF EXISTS"),
                        connection.prepare("SELECT " + COLUMNS + ", merged FROM " + name(table)
                                + " WHERE pk = ? AND rk >= ? LIMIT " + workload.pageRows()));
            }
            return open;
        }

        @Override
        Attempt get(EntityKey key) throws IOException {
            Prepares its = open();
            CqlAnswer answer = its.connection().execute(its.get(), keys(key), Consistency.SERIAL);
            return answer.isError() ? failed(answer) : answer.rows() == 0 ? Attempt.notFound() : Attempt.done(1);
        }

        @Override
        Attempt page(EntityKey from) throws IOException {
            Prepares its = open();
            CqlAnswer answer = its.connection().execute(its.page(), keys(from), Consistency.SERIAL);
            return answer.isError() ? failed(answer) : Attempt.done(answer.rows());
        }

        @Override
        Attempt insert(Operation operation) throws IOException {
            Prepares its = open();
            List<ByteBuffer> values = whole(operation.key(), operation.firstWrite(), workload);
            return written(its.connection().execute(its.insert(), values, Consistency.QUORUM), Attempt.exists());
        }

        @Override
        Attempt merge(Operation operation) throws IOException {
            Prepares its = open();
            List<ByteBuffer> values = new ArrayList<>();
            values.add(number(operation.firstWrite()));
            values.addAll(keys(operation.key()));
            return written(its.connection().execute(its.merge(), values, Consistency.QUORUM), Attempt.notFound());
        }

        private static List<ByteBuffer> keys(EntityKey key) {
            return List.of(text(key.partition()), text(key.row()));
        }

        private static Attempt written(CqlAnswer answer, Attempt otherwise) {
            return answer.isError() ? failed(answer) : answer.isApplied() ? Attempt.done(0) : otherwise;
        }

        private static Attempt failed(CqlAnswer answer) {
            Attempt.Status status = answer.isUnknown()
                    ? Attempt.Status.UNKNOWN
                    : answer.isBusy() ? Attempt.Status.BUSY : Attempt.Status.WRONG;
            return new Attempt(status, 0, answer.toString());
        }

        @Override
        boolean isTimeOut(Exception failure) {
            return failure instanceof SocketTimeoutException;
        }

        @Override
        void disconnect() {
            if (open != null) {
                open.connection().close();
                open = null;
            }
        }
    }
}
