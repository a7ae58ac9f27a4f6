package cleave.chaos.bench.peer;

import cleave.chaos.load.run.Attempt;
import cleave.chaos.load.run.Target;
import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Operation;
import cleave.chaos.load.workload.Planner;
import cleave.chaos.load.workload.Workload;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A database of PostgreSQL, in which an entity is a row of its PartitionKey, its RowKey and a JSON document, under a primary key of both. Each
 * operation is a transaction of one statement, which is durable before it is answered. Thread-safe.
 *
 * @param driver its JDBC driver
 * @param url such as {@code jdbc:postgresql://127.0.0.1:5432/postgres}
 * @param password of the user {@value #USER}
 */
record PostgresTarget(Driver driver, String url, String password) implements Target {
    static final String USER = "postgres";

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BATCH = 500;
    private static final String EXISTS = "23505";

    @Override
    public String address() {
        return url;
    }

    @Override
    public Session open(String table, Workload workload, Duration patience) {
        PeerSession.requireKnown(workload);
        return new PostgresSession(table, workload, patience);
    }

    /** A connection whose statements are prepared on the server when they are sent first. */
    Connection connect(Duration patience) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", USER);
        properties.setProperty("password", password);
        properties.setProperty("prepareThreshold", "1");
        properties.setProperty("tcpNoDelay", "true");
        properties.setProperty("socketTimeout", Long.toString(patience.toSeconds()));
        Connection connection = driver.connect(url, properties);
        if (connection == null) {
            throw new SQLException(driver + " does not know " + url);
        }
        return connection;
    }

    @Override
    public void fill(String table, Workload workload) throws IOException {
        try (Connection connection = connect(PATIENCE);
                Statement creation = connection.createStatement()) {
            creation.execute("CREATE TABLE " + table + " (pk text, rk text, entity jsonb, PRIMARY KEY (pk, rk))");
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(insertion(table))) {
                for (long item = 0; item < workload.shape().items(); item++) {
                    set(insert, Planner.loadedKey(workload, item), item, workload);
                    insert.addBatch();
                    if (item % BATCH == BATCH - 1) {
                        insert.executeBatch();
                    }
                }
                insert.executeBatch();
            }
            connection.commit();
            connection.setAutoCommit(true);
            creation.execute("ANALYZE " + table);
        } catch (SQLException failed) {
            throw new IOException(failed.getMessage(), failed);
        }
    }

    @Override
    public long count(String table) throws IOException {
        try (Connection connection = connect(PATIENCE);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + table)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException failed) {
            throw new IOException(failed.getMessage(), failed);
        }
    }

    private static String insertion(String table) {
        return "INSERT INTO " + table + " VALUES (?, ?, ?::jsonb)";
    }

    private static void set(PreparedStatement insert, EntityKey key, long write, Workload workload)
            throws SQLException {
        insert.setString(1, key.partition());
        insert.setString(2, key.row());
        insert.setString(3, Entities.whole(key, write, workload.shape().entityBytes()));
    }

    /** One client. */
    private final class PostgresSession extends PeerSession {
        private final String table;
        private final Workload workload;
        private final Duration patience;
        private @Nullable Prepares open;

        private record Prepares(
                Connection connection,
                PreparedStatement get,
                PreparedStatement insert,
                PreparedStatement merge,
                PreparedStatement page) {}

        PostgresSession(String table, Workload workload, Duration patience) {
            this.table = table;
            this.workload = workload;
            this.patience = patience;
        }

        private Prepares open() throws SQLException {
            if (open == null) {
                Connection connection = connect(patience);
                open = new Prepares(
                        connection,
                        connection.prepareStatement("SELECT rk, entity FROM " + table + " WHERE pk = ? AND rk = ?"),
                        connection.prepareStatement(insertion(table)),
                        connection.prepareStatement(
                                "UPDATE " + table + " SET entity = entity || ?::jsonb WHERE pk = ? AND rk = ?"),
                        connection.prepareStatement("SELECT rk, entity FROM " + table
                                + " WHERE pk = ? AND rk >= ? ORDER BY rk LIMIT " + workload.pageRows()));
            }
            return open;
        }

        @Override
        Attempt get(EntityKey key) throws SQLException {
            int read = read(open().get(), key);
            return read == 0 ? Attempt.notFound() : Attempt.done(read);
        }

        @Override
        Attempt page(EntityKey from) throws SQLException {
            return Attempt.done(read(open().page(), from));
        }

        private static int read(PreparedStatement select, EntityKey key) throws SQLException {
            select.setString(1, key.partition());
            select.setString(2, key.row());
            int read = 0;
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    read++;
                }
            }
            return read;
        }

        @Override
        Attempt insert(Operation operation) throws SQLException {
            PreparedStatement insert = open().insert();
            set(insert, operation.key(), operation.firstWrite(), workload);
            try {
                insert.executeUpdate();
                return Attempt.done(0);
            } catch (SQLException failed) {
                if (EXISTS.equals(failed.getSQLState())) {
                    return Attempt.exists();
                }
                throw failed;
            }
        }

        @Override
        Attempt merge(Operation operation) throws SQLException {
            PreparedStatement merge = open().merge();
            merge.setString(1, Entities.merged(operation.firstWrite()));
            merge.setString(2, operation.key().partition());
            merge.setString(3, operation.key().row());
            return merge.executeUpdate() == 0 ? Attempt.notFound() : Attempt.done(0);
        }

        @Override
        boolean isTimeOut(Exception failure) {
            return failure.getCause() instanceof SocketTimeoutException;
        }

        @Override
        void disconnect() {
            if (open != null) {
                try {
                    open.connection().close();
                } catch (SQLException gone) {
                    // It has no other connection to end.
                }
                open = null;
            }
        }
    }
}
