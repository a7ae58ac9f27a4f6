package cleave.chaos.lab;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.JsonText;
import cleave.chaos.client.Request;
import cleave.chaos.client.Requests;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The client of a lab: one connection, no retries, and every request counted. Confined to one thread. Methods that return an {@link Answer}
 * leave the judgement to the lab; the others fail with an IOException that names the request and the answer, unless it is a success.
 */
public final class LabClient implements Closeable {
    /** Of an entity group transaction. */
    public static final int TRANSACTION_MAX = 100;

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Pattern EXPLAINED = Pattern.compile("\\b(ranges|examined|returned)=(\\d+)");
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3})");

    private final Requests requests;
    private final Connection connection;
    private LabCost cost = LabCost.NONE;

    private LabClient(Requests requests) throws IOException {
        this.requests = requests;
        this.connection = Connection.open(requests.endpoint(), PATIENCE);
    }

    public static LabClient open(Endpoint endpoint) throws IOException {
        return new LabClient(new Requests(endpoint));
    }

    /**
     * Without the account's key.
     *
     * @param sas a shared access signature, {@code name=value} joined by {@code &}, which every request bears
     */
    public static LabClient open(Endpoint endpoint, String sas) throws IOException {
        UnaryOperator<Request> bearing = request -> new Request(
                request.method(),
                request.target() + (request.target().contains("?") ? "&" : "?") + sas,
                request.headers(),
                request.body());
        return new LabClient(new Requests(endpoint, bearing));
    }

    /** What all requests until now cost. */
    public LabCost cost() {
        return cost;
    }

    public void createTable(String table) throws IOException {
        mustSucceed("create table " + table, exchange(requests.createTable(table)));
    }

    public void deleteTable(String table) throws IOException {
        mustSucceed("delete table " + table, exchange(requests.deleteTable(table)));
    }

    /** A point query; empty if there is no such entity. */
    public Optional<LabEntity> find(String table, String partition, String row) throws IOException {
        Answer answer = exchange(requests.get(table, partition, row));
        if (answer.status() == 404) {
            return Optional.empty();
        }
        mustSucceed("get " + partition + "/" + row, answer);
        return Optional.of(LabEntity.read(JsonText.object(answer.body()), answer.etag()));
    }

    /** A point query for what must be there. */
    public LabEntity get(String table, String partition, String row) throws IOException {
        return find(table, partition, row)
                .orElseThrow(() -> new IOException("no entity " + partition + "/" + row + " in " + table));
    }

    /** All pages of a query. An empty filter asks for the whole table. */
    public List<LabEntity> query(String table, String filter) throws IOException {
        return query(table, filter, "");
    }

    /** @param select names joined by commas; empty for all */
    public List<LabEntity> query(String table, String filter, String select) throws IOException {
        List<LabEntity> entities = new ArrayList<>();
        Answer page = page(table, options(filter, select), "");
        add(page, entities);
        while (!nextPage(page).isEmpty()) {
            page = page(table, options(filter, select), nextPage(page));
            add(page, entities);
        }
        return entities;
    }

    /** The first entities of a query, by {@code $top}: one page. */
    public List<LabEntity> top(String table, String filter, int count) throws IOException {
        List<String> options = new ArrayList<>(options(filter, ""));
        options.add(Requests.option("$top", Integer.toString(count)));
        List<LabEntity> entities = new ArrayList<>();
        add(page(table, options, ""), entities);
        return entities;
    }

    /**
     * A request as it is, for an answer that may be no success.
     *
     * @param address behind the account, encoded, such as {@code Employees()?$top=1}
     */
    public Answer ask(String address) throws IOException {
        return exchange(requests.sign(Request.json("GET", requests.endpoint().prefix() + "/" + address)));
    }

    private static List<String> options(String filter, String select) {
        List<String> options = new ArrayList<>();
        if (!filter.isEmpty()) {
            options.add(Requests.option("$filter", filter));
        }
        if (!select.isEmpty()) {
            options.add(Requests.option("$select", select));
        }
        return options;
    }

    private Answer page(String table, List<String> options, String next) throws IOException {
        List<String> all = new ArrayList<>(options);
        if (!next.isEmpty()) {
            all.addAll(Arrays.asList(next.split("&")));
        }
        Answer answer = exchange(requests.query(table, all));
        mustSucceed("query " + options, answer);
        return answer;
    }

    /** The options that ask for the next page; empty after the last. */
    private static String nextPage(Answer page) {
        List<String> options = new ArrayList<>();
        for (String key : List.of("NextPartitionKey", "NextRowKey")) {
            String value = page.header("x-ms-continuation-" + key);
            if (!value.isEmpty()) {
                options.add(Requests.option(key, value));
            }
        }
        return String.join("&", options);
    }

    private static void add(Answer page, List<LabEntity> entities) throws IOException {
        for (Map<String, Object> each : JsonText.entities(page.body())) {
            entities.add(LabEntity.read(each, ""));
        }
    }

    /** One change alone, whatever comes of it. */
    public Answer tryWrite(String table, LabWrite write) throws IOException {
        LabEntity entity = write.entity();
        String json = write.method().equals("DELETE") ? "" : entity.json();
        return exchange(
                switch (write.method()) {
                    case "POST" -> requests.insert(table, json);
                    case "PUT" -> requests.put(table, entity.partition(), entity.row(), write.ifMatch(), json);
                    case "PATCH" -> requests.merge(table, entity.partition(), entity.row(), write.ifMatch(), json);
                    case "DELETE" -> requests.delete(table, entity.partition(), entity.row(), write.ifMatch());
                    default -> throw new IllegalArgumentException(write.method());
                });
    }

    /** One change alone, which must succeed. */
    public void write(String table, LabWrite write) throws IOException {
        mustSucceed(described(table, write), tryWrite(table, write));
    }

    /** Deletes it if it is there: can be repeated without harm. */
    public void deleteIfExists(String table, LabEntity entity) throws IOException {
        Answer answer = tryWrite(table, LabWrite.delete(entity.at(entity.partition(), entity.row())));
        if (answer.status() != 404) {
            mustSucceed("delete " + entity.partition() + "/" + entity.row(), answer);
        }
    }

    /** An entity group transaction, whatever comes of it: the answer has the status of the first operation that failed, or of the last. */
    public Answer tryTransaction(String table, List<LabWrite> writes) throws IOException {
        List<Request> parts = new ArrayList<>();
        for (LabWrite write : writes) {
            LabEntity entity = write.entity();
            String target = write.method().equals("POST")
                    ? requests.endpoint().prefix() + "/" + table
                    : requests.address(table, entity.partition(), entity.row());
            Request part = requests.part(
                    write.method(), target, write.ifMatch(), write.method().equals("DELETE") ? "" : entity.json());
            parts.add(write.method().equals("POST") ? part.with("Prefer", "return-no-content") : part);
        }
        Answer answer = exchange(requests.transaction(parts));
        return new Answer(innerStatus(answer), answer.headers(), answer.body());
    }

    private static int innerStatus(Answer answer) {
        int status = answer.status();
        Matcher inner = STATUS.matcher(answer.text());
        while (answer.isSuccess() && inner.find()) {
            status = Integer.parseInt(inner.group(1));
        }
        return status;
    }

    /** An entity group transaction, which must succeed. */
    public void transaction(String table, List<LabWrite> writes) throws IOException {
        Answer answer = tryTransaction(table, writes);
        mustSucceed("transaction of " + writes.size() + ", " + described(table, writes.get(0)), answer);
    }

    /** Inserts entities by transactions that are as large as may be: one for each hundred neighbours of one partition. */
    public void load(String table, List<LabEntity> entities) throws IOException {
        for (List<LabEntity> batch : batches(entities)) {
            transaction(table, batch.stream().map(LabWrite::insert).toList());
        }
    }

    /** Cuts entities into transactions: neighbours of one partition, a hundred at most. */
    public static List<List<LabEntity>> batches(List<LabEntity> entities) {
        List<List<LabEntity>> batches = new ArrayList<>();
        List<LabEntity> batch = new ArrayList<>();
        for (LabEntity entity : entities) {
            boolean isFull = batch.size() == TRANSACTION_MAX;
            if (isFull || (!batch.isEmpty() && !batch.get(0).partition().equals(entity.partition()))) {
                batches.add(batch);
                batch = new ArrayList<>();
            }
            batch.add(entity);
        }
        if (!batch.isEmpty()) {
            batches.add(batch);
        }
        return batches;
    }

    private Answer exchange(Request request) throws IOException {
        Answer answer = Courtesy.exchange(connection, request.with("x-cleave-explain", "true"));
        Map<String, Long> explained = explained(answer.header("x-cleave-explain"));
        cost = cost.plus(new LabCost(
                1,
                explained.getOrDefault("examined", 0L),
                explained.getOrDefault("returned", 0L),
                explained.getOrDefault("ranges", 0L),
                request.body().length,
                answer.body().length));
        return answer;
    }

    private static Map<String, Long> explained(String header) {
        Map<String, Long> figures = new HashMap<>();
        Matcher figure = EXPLAINED.matcher(header);
        while (figure.find()) {
            figures.put(figure.group(1), Long.valueOf(figure.group(2)));
        }
        return figures;
    }

    private static String described(String table, LabWrite write) {
        return write.method() + " " + table + " " + write.entity().partition() + "/"
                + write.entity().row();
    }

    private static void mustSucceed(String what, Answer answer) throws IOException {
        if (!answer.isSuccess()) {
            throw new IOException(what.toLowerCase(Locale.ROOT) + " was answered with " + answer);
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
