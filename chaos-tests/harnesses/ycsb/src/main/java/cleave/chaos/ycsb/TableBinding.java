package cleave.chaos.ycsb;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * YCSB's binding for any endpoint of the Table service; {@link Settings} has its properties. YCSB makes one for each of its threads, and calls
 * {@link #init} before anything else. Confined to that thread.
 */
public final class TableBinding extends DB {
    private @Nullable TableSession session;

    @Override
    public void init() throws DBException {
        try {
            TableSession made = new TableSession(Settings.of(getProperties(), System.getenv()));
            made.createTable();
            session = made;
        } catch (IllegalArgumentException | TableSession.Unusable wrong) {
            throw new DBException(wrong.getMessage(), wrong);
        }
    }

    private TableSession session() {
        if (session == null) {
            throw new IllegalStateException("init() comes first");
        }
        return session;
    }

    @Override
    public void cleanup() {
        if (session != null) {
            session.close();
        }
    }

    @Override
    public Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        return session().read(table, key, fields, result);
    }

    @Override
    @SuppressWarnings({"JdkObsolete", "NonApiType"}) // YCSB's interface has it so.
    public Status scan(
            String table,
            String startkey,
            int recordcount,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        return session().scan(table, startkey, recordcount, fields, result);
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        return session().update(table, key, values);
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        return session().insert(table, key, values);
    }

    @Override
    public Status delete(String table, String key) {
        return session().delete(table, key);
    }
}
