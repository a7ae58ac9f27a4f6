package cleave.chaos.ycsb;

import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.JsonText;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.RetryingClient;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

/**
 * Operations of YCSB as requests of the Table protocol, each sent once, on one connection. Confined to its thread. The first failure of
 * each kind in the process is reported on stderr, since YCSB only counts them.
 */
final class TableSession implements Closeable {
    /** The service's bound on a page. */
    private static final int PAGE_MAX = 1000;

    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    private final Settings settings;
    private final Requests requests;
    private final RetryingClient client;

    TableSession(Settings settings) {
        this.settings = settings;
        this.requests = new Requests(settings.endpoint());
        this.client = new RetryingClient(requests, settings.patience());
    }

    /** The table cannot be used. */
    static final class Unusable extends Exception {
        Unusable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Creates the table unless it exists. With a signature that does not permit this, it is taken to exist. */
    void createTable() throws Unusable {
        try {
            client.ensureTable(settings.table());
        } catch (IOException failed) {
            throw new Unusable(settings.endpoint() + " cannot be used: " + failed.getMessage(), failed);
        }
    }

    /** @param fields null: all */
    Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> record) {
        return outcome("read", key, () -> {
            Answer answer = client.exchange(to -> get(table, key, fields));
            if (answer.isSuccess()) {
                Fields.read(JsonText.object(answer.body()), fields, record);
            }
            return answer;
        });
    }

    private Request get(String table, String key, @Nullable Set<String> fields) {
        String address = requests.address(table, partition(key), row(key));
        return requests.sign(Request.json("GET", fields == null ? address : address + "?" + select(fields)));
    }

    private static String select(Set<String> fields) {
        return Requests.option("$select", String.join(",", new TreeSet<>(fields)));
    }

    /** @param fields null: all */
    @SuppressWarnings("NonApiType") // YCSB's interface has it so.
    Status scan(
            String table,
            String from,
            int count,
            @Nullable Set<String> fields,
            List<HashMap<String, ByteIterator>> records) {
        return outcome("scan", from, () -> {
            Continuation next = null;
            Answer answer;
            do {
                answer = client.page(table, page(from, count - records.size(), fields), next);
                if (!answer.isSuccess()) {
                    return answer;
                }
                for (Map<String, @Nullable Object> entity : JsonText.entities(answer.body())) {
                    HashMap<String, ByteIterator> record = new HashMap<>();
                    Fields.read(entity, fields, record);
                    records.add(record);
                }
                next = Continuation.of(answer);
            } while (next != null && records.size() < count);
            return answer;
        });
    }

    private List<String> page(String from, int count, @Nullable Set<String> fields) {
        List<String> options = new ArrayList<>();
        options.add(Requests.option("$filter", settings.partitions().filterFrom(from)));
        options.add(Requests.option("$top", Integer.toString(Math.min(count, PAGE_MAX))));
        if (fields != null) {
            options.add(select(fields));
        }
        return options;
    }

    /** Merges the fields into a record that exists. */
    Status update(String table, String key, Map<String, ByteIterator> values) {
        Request request = requests.merge(table, partition(key), row(key), "*", Fields.properties(values));
        return outcome("update", key, () -> client.exchange(to -> request));
    }

    Status insert(String table, String key, Map<String, ByteIterator> values) {
        Request request = switch (settings.insertion()) {
            case INSERT -> requests.insert(table, Fields.entity(partition(key), row(key), values));
            case UPSERT -> requests.put(table, partition(key), row(key), "", Fields.properties(values));
        };
        return outcome("insert", key, () -> client.exchange(to -> request));
    }

    Status delete(String table, String key) {
        Request request = requests.delete(table, partition(key), row(key), "*");
        return outcome("delete", key, () -> client.exchange(to -> request));
    }

    private String partition(String key) {
        return settings.partitions().partitionKey(key);
    }

    private String row(String key) {
        return settings.partitions().rowKey(key);
    }

    /** Requests of one operation. */
    private interface Operation {
        /** Its last answer. */
        Answer answer() throws IOException;
    }

    private static Status outcome(String name, String key, Operation operation) {
        try {
            Answer answer = operation.answer();
            Status status = Outcomes.of(answer);
            if (!status.isOk()) {
                tell(name, key, status, answer.toString());
            }
            return status;
        } catch (SocketTimeoutException silent) {
            return tell(name, key, Outcomes.TIMEOUT, silent.toString());
        } catch (IOException broken) {
            return tell(name, key, Status.ERROR, broken.toString());
        }
    }

    private static Status tell(String operation, String key, Status status, String how) {
        if (TOLD.add(operation + " " + status.getName())) {
            System.err.println("cleave-ycsb: the first " + operation + " with " + status.getName() + " is that of "
                    + key + ": " + how);
        }
        return status;
    }

    @Override
    public void close() {
        client.close();
    }
}
