package cleave.chaos.lab;

import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.Credential;
import cleave.client.Endpoint;
import cleave.client.Explain;
import cleave.client.JsonText;
import cleave.client.Repeat;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import cleave.client.RetryingClient;
import cleave.client.Sas;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client of a lab: one connection, and the cost of each request. It sends a request again only while the service answers 503, as every
 * client should: nothing was executed then, and on few cores a range that has just moved may be busy for seconds, which is not what a lab is
 * about. Confined to one thread. Methods that return an {@link Answer} leave the judgement to the lab; the others fail with an IOException that
 * names the request and the answer, unless it is a success.
 */
public final class LabClient implements Closeable {
    /** The most changes that an entity group transaction may have. */
    private static final int TRANSACTION_MAX = 100;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final RetryPolicy RETRIES = RetryPolicy.fixed(60, Duration.ofMillis(500));

    private final Requests requests;
    private final boolean needsCosts;
    private final RetryingClient client;
    /** The cost of each request. */
    private final List<Cost> costs = new ArrayList<>();

    private LabClient(Requests requests, boolean needsCosts, RetryPolicy retries) {
        this.requests = requests;
        this.needsCosts = needsCosts;
        this.client = new RetryingClient(requests, PATIENCE, retries, Repeat.BUSY);
    }

    public static LabClient open(Endpoint endpoint) {
        return new LabClient(new Requests(endpoint), true, RETRIES);
    }

    /** One like this that repeats nothing, not even after 503. */
    public LabClient once() {
        return new LabClient(requests, needsCosts, RetryPolicy.NONE);
    }

    /**
     * Without the account's key.
     *
     * @param sas a shared access signature, {@code name=value} joined by {@code &}, which every request bears
     */
    public static LabClient open(Endpoint endpoint, String sas) {
        Credential bearing = new Sas(endpoint.credential().account(), sas);
        return new LabClient(new Requests(endpoint, bearing::sign), false, RETRIES);
    }

    /** Requests whose cost is measured. */
    public interface Work {
        void run() throws IOException;
    }

    /** Sends requests by this client, and returns their cost. */
    public Cost measure(Work work) throws IOException {
        int before = costs.size();
        work.run();
        return costs.subList(before, costs.size()).stream().reduce(Cost.NONE, Cost::plus);
    }

    /** A new table for this run, whose name begins so; it is deleted after the run. */
    public String createTable(LabRun run, String prefix) throws IOException {
        String table = run.table(prefix);
        createTable(table);
        return table;
    }

    public void createTable(String table) throws IOException {
        RetryingClient.expect("create table " + table, exchange(requests.createTable(table)));
    }

    public void deleteTable(String table) throws IOException {
        RetryingClient.expect("delete table " + table, exchange(requests.deleteTable(table)));
    }

    /** A point query, whatever comes of it; the entity goes to {@code found} if there is one. */
    public Answer get(String table, String partition, String row, Consumer<LabEntity> found) throws IOException {
        Answer answer = exchange(requests.get(table, partition, row));
        if (answer.isSuccess()) {
            found.accept(LabEntity.read(JsonText.object(answer.body()), answer.etag()));
        }
        return answer;
    }

    /**
     * All pages of a query.
     *
     * @param filter empty for the whole table
     * @param options others, encoded, such as {@code $select=Email}
     */
    public QueryResult query(String table, String filter, String... options) throws IOException {
        QueryResult found = page(table, filter, null, options);
        while (found.next() != null) {
            found = found.plus(page(table, filter, found.next(), options));
        }
        return found;
    }

    /**
     * One page of a query.
     *
     * @param from the token of the page before; null for the first page
     */
    public QueryResult page(String table, String filter, @Nullable Continuation from, String... options)
            throws IOException {
        List<String> all = new ArrayList<>(List.of(options));
        if (!filter.isEmpty()) {
            all.add(Requests.option("$filter", filter));
        }
        return page(all, exchange(requests.query(table, all, from)));
    }

    private static QueryResult page(List<String> options, Answer answer) throws IOException {
        RetryingClient.expect("query " + options, answer);
        List<LabEntity> entities = new ArrayList<>();
        for (Map<String, @Nullable Object> each : JsonText.entities(answer.body())) {
            entities.add(LabEntity.read(each, ""));
        }
        return new QueryResult(entities, Cost.of(answer, 0), Continuation.of(answer));
    }

    /** Which range and server a PartitionKey belongs to, whether an entity has it or not. */
    public Cost locate(String table, String partition) throws IOException {
        return measure(() -> exchange(requests.get(table, partition, "")));
    }

    /**
     * A request as it is, for an answer that may be no success.
     *
     * @param address behind the account, encoded, such as {@code Employees()?$top=1}
     */
    public Answer ask(String address) throws IOException {
        return exchange(requests.sign(Request.json("GET", requests.endpoint().prefix() + "/" + address)));
    }

    /** One change alone, whatever comes of it. */
    public Answer tryWrite(String table, LabWrite write) throws IOException {
        return exchange(request(table, write));
    }

    private Request request(String table, LabWrite write) {
        LabEntity entity = write.entity();
        String json = write.method().equals("DELETE") ? "" : entity.json();
        return switch (write.method()) {
            case "POST" -> requests.insert(table, json);
            case "PUT" -> requests.put(table, entity.partition(), entity.row(), write.ifMatch(), json);
            case "PATCH" -> requests.merge(table, entity.partition(), entity.row(), write.ifMatch(), json);
            case "DELETE" -> requests.delete(table, entity.partition(), entity.row(), write.ifMatch());
            default -> throw new IllegalArgumentException(write.method());
        };
    }

    /** An entity group transaction, whatever comes of it: the answer has the status of the first operation that failed, or of the last. */
    public Answer tryTransaction(String table, List<LabWrite> writes) throws IOException {
        List<Request> parts = new ArrayList<>();
        for (LabWrite write : writes) {
            LabEntity entity = write.entity();
            String json = write.method().equals("DELETE") ? "" : entity.json();
            parts.add(requests.part(write.method(), table, entity.partition(), entity.row(), write.ifMatch(), json));
        }
        return exchange(requests.transaction(parts)).inner();
    }

    /** An entity group transaction, which must succeed. */
    public void transaction(String table, List<LabWrite> writes) throws IOException {
        Answer answer = tryTransaction(table, writes);
        RetryingClient.expect("transaction of " + writes.size() + ", " + described(table, writes.get(0)), answer);
    }

    /** Inserts entities by transactions that are as large as may be. */
    public void load(String table, List<LabEntity> entities) throws IOException {
        batch(table, entities.stream().map(LabWrite::insert).toList());
    }

    /** Changes entities by transactions that are as large as may be. */
    public void batch(String table, List<LabWrite> writes) throws IOException {
        for (List<LabWrite> batch : batches(writes)) {
            transaction(table, batch);
        }
    }

    /** Cuts changes into transactions: of one partition, and a hundred at most. */
    static List<List<LabWrite>> batches(List<LabWrite> writes) {
        Map<String, List<LabWrite>> partitions = new TreeMap<>();
        writes.forEach(write -> partitions
                .computeIfAbsent(write.entity().partition(), any -> new ArrayList<>())
                .add(write));
        List<List<LabWrite>> batches = new ArrayList<>();
        for (List<LabWrite> all : partitions.values()) {
            for (int from = 0; from < all.size(); from += TRANSACTION_MAX) {
                batches.add(all.subList(from, Math.min(all.size(), from + TRANSACTION_MAX)));
            }
        }
        return batches;
    }

    /** A request that is repeated after 503 is a single round trip in its cost. */
    private Answer exchange(Request request) throws IOException {
        Request explained = request.with(Explain.HEADER, "true");
        Answer answer = client.begin(to -> explained).answer();
        if (needsCosts && answer.isSuccess() && answer.header(Explain.HEADER).isEmpty()) {
            throw new IOException("the service does not report what requests cost (no header " + Explain.HEADER
                    + "), and labs need that");
        }
        costs.add(Cost.of(answer, request.body().length));
        return answer;
    }

    private static String described(String table, LabWrite write) {
        return write.method() + " " + table + " " + write.entity().partition() + "/"
                + write.entity().row();
    }

    @Override
    public void close() {
        client.close();
    }
}
