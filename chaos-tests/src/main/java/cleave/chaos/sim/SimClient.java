package cleave.chaos.sim;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Request;
import cleave.chaos.client.Requests;
import cleave.chaos.fault.Bodies;
import cleave.chaos.fault.Interpretation;
import cleave.chaos.history.Operation;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One client: does one thing after another on a few entities, never repeats a write, and writes down what came of each. Confined
 * to the simulation.
 */
final class SimClient {
    private static final long PATIENCE_NANOS = 12_000_000_000L;
    private static final Pattern PART_ETAG = Pattern.compile("ETag: (\\S.*)");

    private final World world;
    private final Http http;
    private final Workload workload;
    private final SimProcess process;
    private final List<String> frontEnds;
    private final Random random;
    private final int number;
    private final int thinkNanosMax;
    private final TreeMap<String, String> etags = new TreeMap<>();
    private final TreeMap<Integer, Integer> pairGenerations = new TreeMap<>();
    private boolean stopped;
    private boolean idle = true;

    SimClient(World world, Http http, Workload workload, SimProcess process, List<String> frontEnds, int number) {
        this.world = world;
        this.http = http;
        this.workload = workload;
        this.process = process;
        this.frontEnds = frontEnds;
        this.number = number;
        this.random = world.newRandom();
        this.thinkNanosMax = 150_000_000 + random.nextInt(400_000_000);
    }

    void start() {
        idle = false;
        pause();
    }

    /** Ends after what is under way. */
    void stop() {
        stopped = true;
    }

    int number() {
        return number;
    }

    boolean isIdle() {
        return idle;
    }

    private void pause() {
        world.after(random.nextInt(thinkNanosMax), this::next);
    }

    private void next() {
        if (stopped) {
            idle = true;
        } else if (!workload.tableExists()) {
            createTable();
        } else {
            int dice = random.nextInt(100);
            if (dice < 84) {
                operate(workload.randomKey(random), workload.randomKind(random), result -> pause());
            } else if (dice < 93) {
                transact(random.nextInt(Workload.PAIRS), this::pause);
            } else {
                new SimScan(world, workload, random, number, this::send).begin(this::pause);
            }
        }
    }

    private void createTable() {
        send(workload.requests().createTable(Workload.TABLE), (answer, sent) -> {
            if (answer != null && (answer.isSuccess() || answer.status() == 409)) {
                workload.tableExistsNow();
            }
            pause();
        });
    }

    /** Sends a request to one of the front ends. */
    void send(Request request, Http.Ending ending) {
        String frontEnd = frontEnds.get(random.nextInt(frontEnds.size()));
        http.exchange(process, frontEnd, request, PATIENCE_NANOS, ending);
    }

    /** Does one operation on one entity. */
    void operate(String key, OperationKind kind, Consumer<Result> then) {
        Map<String, String> properties = properties(kind);
        String ifMatch = condition(key, kind);
        long invoked = world.now();
        send(request(key, kind, properties, ifMatch), (answer, sent) -> {
            Result result = answer == null ? silence(sent) : Interpretation.of(kind, answer);
            finished(key, kind, properties, ifMatch, invoked, result);
            then.accept(result);
        });
    }

    private static Result silence(boolean sent) {
        return Result.of(sent ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED, "no answer");
    }

    private void finished(
            String key,
            OperationKind kind,
            Map<String, String> properties,
            String ifMatch,
            long invoked,
            Result result) {
        if (!result.etag().isEmpty()) {
            etags.put(key, result.etag());
        }
        Operation operation = new Operation(number, key, kind, properties, ifMatch, invoked, world.now(), result);
        world.trace().note(world.now(), process.node(), "had", digest(operation), operation::toString);
        workload.record(operation);
    }

    private static int digest(Operation operation) {
        Result result = operation.result();
        return Objects.hash(
                operation.key(), operation.kind().name(), result.outcome().name(), result.etag());
    }

    private Map<String, String> properties(OperationKind kind) {
        return switch (kind) {
            case GET, DELETE -> Map.of();
            case MERGE, INSERT_OR_MERGE -> Map.of(random.nextBoolean() ? "A" : "B", workload.newValue());
            case INSERT, REPLACE, INSERT_OR_REPLACE -> Map.of("A", workload.newValue());
        };
    }

    private String condition(String key, OperationKind kind) {
        return switch (kind) {
            case REPLACE, MERGE, DELETE -> random.nextBoolean() ? etags.getOrDefault(key, "") : "";
            default -> "";
        };
    }

    private Request request(String key, OperationKind kind, Map<String, String> properties, String ifMatch) {
        Requests to = workload.requests();
        String partition = partitionOf(key);
        String row = rowOf(key);
        String json = Bodies.of(partition, row, properties);
        String anyOr = ifMatch.isEmpty() ? "*" : ifMatch;
        return switch (kind) {
            case GET -> to.get(Workload.TABLE, partition, row);
            case INSERT -> to.insert(Workload.TABLE, json);
            case REPLACE -> to.put(Workload.TABLE, partition, row, anyOr, json);
            case MERGE -> to.merge(Workload.TABLE, partition, row, anyOr, json);
            case INSERT_OR_REPLACE -> to.put(Workload.TABLE, partition, row, "", json);
            case INSERT_OR_MERGE -> to.merge(Workload.TABLE, partition, row, "", json);
            case DELETE -> to.delete(Workload.TABLE, partition, row, anyOr);
        };
    }

    static String partitionOf(String key) {
        return key.substring(0, key.indexOf('/'));
    }

    static String rowOf(String key) {
        return key.substring(key.indexOf('/') + 1);
    }

    /** Writes both rows of a pair in one transaction. */
    void transact(int pairNumber, Runnable then) {
        List<String> pair = Workload.pair(pairNumber, pairGenerations.getOrDefault(pairNumber, 0));
        if (workload.unknownOf(pair.get(0)) >= 4) {
            pairGenerations.merge(pairNumber, 1, Integer::sum);
            then.run();
            return;
        }
        pair.forEach(workload::use);
        Map<String, String> properties = Map.of("A", workload.newValue());
        List<Request> parts = new ArrayList<>();
        for (String key : pair) {
            String address = workload.requests().address(Workload.TABLE, partitionOf(key), rowOf(key));
            parts.add(
                    workload.requests().part("PUT", address, "", Bodies.of(partitionOf(key), rowOf(key), properties)));
        }
        long invoked = world.now();
        send(workload.requests().transaction(parts), (answer, sent) -> {
            List<Result> results = results(answer, sent);
            for (int i = 0; i < pair.size(); i++) {
                finished(pair.get(i), OperationKind.INSERT_OR_REPLACE, properties, "", invoked, results.get(i));
            }
            then.run();
        });
    }

    private static List<Result> results(@Nullable Answer answer, boolean sent) {
        if (answer == null) {
            return List.of(silence(sent), silence(sent));
        }
        if (answer.status() != 202) {
            Result result = Interpretation.of(OperationKind.INSERT_OR_REPLACE, answer);
            return List.of(result, result);
        }
        List<Result> results = new ArrayList<>();
        Matcher etag = PART_ETAG.matcher(answer.text());
        while (etag.find()) {
            results.add(Result.written(etag.group(1).trim()));
        }
        if (results.size() == 2) {
            return results;
        }
        Result refused = ofRefusedPart(answer);
        return List.of(refused, refused);
    }

    private static Result ofRefusedPart(Answer answer) {
        String text = answer.text();
        if (text.contains("HTTP/1.1 503")) {
            return Result.of(Outcome.NOT_EXECUTED, "503");
        }
        return Result.of(text.contains("HTTP/1.1 500") ? Outcome.UNKNOWN : Outcome.WRONG, text);
    }
}
