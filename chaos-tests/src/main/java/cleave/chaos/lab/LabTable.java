package cleave.chaos.lab;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.JsonText;
import cleave.chaos.client.Request;
import cleave.chaos.client.Requests;
import cleave.chaos.lab.Found.Token;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A table of a lab, asked over one connection, with the cost of each request. Confined to its thread. */
public final class LabTable implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Of an entity group transaction. */
    private static final int OPERATIONS_MAX = 100;

    private static final String NEXT_PARTITION = "NextPartitionKey";
    private static final String NEXT_ROW = "NextRowKey";
    private static final String CONTINUATION = "x-ms-continuation-";

    private final String name;
    private final Requests requests;
    private final Connection connection;

    private LabTable(Endpoint endpoint, String name) throws IOException {
        this.name = name;
        // Requests are signed as they are sent, with the header that asks for their cost.
        this.requests = Requests.unsigned(endpoint);
        this.connection = Connection.open(endpoint, PATIENCE);
    }

    /**
     * An entity to write. Immutable.
     *
     * @param properties texts, whole numbers up to 31 bits, or doubles
     */
    public record Entity(String partitionKey, String rowKey, Map<String, Object> properties) {
        public Entity {
            properties = new LinkedHashMap<>(properties);
        }

        private String json() {
            StringBuilder json =
                    new StringBuilder("{\"PartitionKey\":" + quoted(partitionKey) + ",\"RowKey\":" + quoted(rowKey));
            properties.forEach((property, value) -> json.append(',')
                    .append(quoted(property))
                    .append(':')
                    .append(value instanceof String text ? quoted(text) : value));
            return json.append('}').toString();
        }

        private static String quoted(String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }
    }

    /** A new table, whose name begins so; it is deleted after the run. */
    public static LabTable created(LabRun run, String prefix) throws IOException {
        LabTable table = at(run.endpoint(), run.table(prefix));
        try {
            table.need(table.requests.createTable(table.name), 204);
            return table;
        } catch (IOException failed) {
            table.close();
            throw failed;
        }
    }

    /** A table that exists, over a connection of its own. */
    public static LabTable at(Endpoint endpoint, String name) throws IOException {
        return new LabTable(endpoint, name);
    }

    public String name() {
        return name;
    }

    /** Makes requests, unsigned. */
    public Requests requests() {
        return requests;
    }

    /** Signs and sends a request, with the header that asks for its cost. */
    public Answer ask(Request request) throws IOException {
        return Courtesy.exchange(connection, requests.endpoint().credential().sign(request.with(Cost.HEADER, "true")));
    }

    private Answer need(Request request, int status) throws IOException {
        Answer answer = ask(request);
        if (answer.status() != status) {
            throw new IOException(request + " answered " + answer);
        }
        return answer;
    }

    /** Inserts one entity, and returns what that cost. */
    public Cost insert(Entity entity) throws IOException {
        return Cost.of(need(requests.insert(name, entity.json()), 204));
    }

    /** Writes entities, whose partitions follow each other, by entity group transactions of upserts; returns how many it took. */
    public int load(List<Entity> entities) throws IOException {
        int transactions = 0;
        int from = 0;
        for (int i = 1; i <= entities.size(); i++) {
            boolean ends = i == entities.size()
                    || i - from == OPERATIONS_MAX
                    || !entities.get(i).partitionKey().equals(entities.get(from).partitionKey());
            if (ends) {
                Answer answer = transaction(entities.subList(from, i));
                if (!isCommitted(answer)) {
                    throw new IOException("a transaction of " + (i - from) + " upserts answered " + answer);
                }
                transactions++;
                from = i;
            }
        }
        return transactions;
    }

    /** One entity group transaction of upserts, whatever its answer. */
    public Answer transaction(List<Entity> entities) throws IOException {
        List<Request> parts = new ArrayList<>();
        for (Entity each : entities) {
            parts.add(
                    requests.part("PUT", requests.address(name, each.partitionKey(), each.rowKey()), "", each.json()));
        }
        return ask(requests.transaction(parts));
    }

    /** True if all operations of a transaction were done. */
    public static boolean isCommitted(Answer answer) {
        return answer.status() == 202
                && !answer.text().contains("HTTP/1.1 4")
                && !answer.text().contains("HTTP/1.1 5");
    }

    /** Reads one entity, by its address; IOException if it is not there. */
    public Found point(String partitionKey, String rowKey) throws IOException {
        Answer answer = need(requests.get(name, partitionKey, rowKey), 200);
        return new Found(List.of(JsonText.object(answer.body())), 1, answer.body().length, Cost.of(answer), null);
    }

    /** Which range and server a key belongs to, whether an entity has it or not. */
    public Cost place(String partitionKey) throws IOException {
        return Cost.of(ask(requests.get(name, partitionKey, "")));
    }

    /**
     * All that a query finds, page by page.
     *
     * @param filter empty for none
     * @param options others, encoded, such as {@code $select=Email}
     */
    public Found query(String filter, String... options) throws IOException {
        Found found = page(filter, null, options);
        while (found.token() != null) {
            found = found.and(page(filter, found.token(), options));
        }
        return found;
    }

    /**
     * One page of a query.
     *
     * @param from the token of the page before; null for the first page
     */
    public Found page(String filter, @Nullable Token from, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of(options));
        if (!filter.isEmpty()) {
            all.add(Requests.option("$filter", filter));
        }
        if (from != null) {
            all.add(Requests.option(NEXT_PARTITION, from.partitionKey()));
            all.add(Requests.option(NEXT_ROW, from.rowKey()));
        }
        Answer answer = need(requests.query(name, all), 200);
        String partition = answer.header(CONTINUATION + NEXT_PARTITION);
        return new Found(
                JsonText.entities(answer.body()),
                1,
                answer.body().length,
                Cost.of(answer),
                partition.isEmpty() ? null : new Token(partition, answer.header(CONTINUATION + NEXT_ROW)));
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
