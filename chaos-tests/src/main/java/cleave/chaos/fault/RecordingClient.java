package cleave.chaos.fault;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Request;
import cleave.chaos.client.Requests;
import cleave.chaos.history.History;
import cleave.chaos.history.Operation;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One client: does one operation after another on a few entities, never repeats one, and writes down what came of each.
 * Confined to its own thread while it runs.
 *
 * <p>When a connection breaks, the operation on it has an unknown outcome, and the client goes to the next front end.
 */
final class RecordingClient implements Runnable {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final int id;
    private final List<Requests> frontEnds;
    private final String table;
    private final List<String> keys;
    private final OperationMix mix;
    private final Duration pause;
    private final Random random;
    private final History history = new History();
    private final Map<String, String> etags = new HashMap<>();
    private int current;
    private int values;
    private @Nullable Connection connection;
    private volatile boolean stopped;
    private volatile long lastDoneInvoked;

    /**
     * @param keys {@code partition/row}
     * @param pause between an answer and the next operation
     */
    RecordingClient(
            int id, List<Endpoint> frontEnds, String table, List<String> keys, OperationMix mix, Duration pause) {
        this.id = id;
        this.frontEnds = frontEnds.stream().map(Requests::new).toList();
        this.table = table;
        this.keys = keys;
        this.mix = mix;
        this.pause = pause;
        this.random = new Random(id);
        this.current = id % frontEnds.size();
    }

    @Override
    public void run() {
        while (!stopped) {
            operate(keys.get(random.nextInt(keys.size())), mix.pick(random));
            LockSupport.parkNanos(pause.toNanos());
        }
        disconnect();
    }

    /** Ends after the operation under way. */
    void stop() {
        stopped = true;
    }

    /** When it began the last write that succeeded; 0 if none has. */
    long lastDoneInvoked() {
        return lastDoneInvoked;
    }

    /** What it saw; to be asked when its thread has ended. */
    History history() {
        return history;
    }

    /** Reads each of its entities once. Only before its thread was started or after it has ended. */
    void readAll() {
        keys.forEach(key -> operate(key, OperationKind.GET));
        disconnect();
    }

    private void operate(String key, OperationKind kind) {
        Map<String, String> properties = properties(kind);
        String ifMatch = condition(key, kind);
        Request request = request(key, kind, properties, ifMatch);
        long invoked = System.nanoTime();
        Result result = exchange(kind, request);
        long returned = System.nanoTime();
        if (!result.etag().isEmpty()) {
            etags.put(key, result.etag());
        }
        if (kind.isWrite() && result.outcome() == Outcome.DONE) {
            lastDoneInvoked = invoked;
        }
        history.add(new Operation(id, key, kind, properties, ifMatch, invoked, returned, result));
    }

    private Map<String, String> properties(OperationKind kind) {
        return switch (kind) {
            case GET, DELETE -> Map.of();
            case MERGE, INSERT_OR_MERGE -> Map.of(random.nextBoolean() ? "A" : "B", newValue());
            case INSERT, REPLACE, INSERT_OR_REPLACE -> Map.of("A", newValue());
        };
    }

    private String newValue() {
        return id + "." + values++;
    }

    private String condition(String key, OperationKind kind) {
        return switch (kind) {
            case REPLACE, MERGE, DELETE -> random.nextBoolean() ? etags.getOrDefault(key, "") : "";
            default -> "";
        };
    }

    private Request request(String key, OperationKind kind, Map<String, String> properties, String ifMatch) {
        Requests to = frontEnds.get(current);
        int slash = key.indexOf('/');
        String partitionKey = key.substring(0, slash);
        String rowKey = key.substring(slash + 1);
        String json = Bodies.of(partitionKey, rowKey, properties);
        String anyOr = ifMatch.isEmpty() ? "*" : ifMatch;
        return switch (kind) {
            case GET -> to.get(table, partitionKey, rowKey);
            case INSERT -> to.insert(table, json);
            case REPLACE -> to.put(table, partitionKey, rowKey, anyOr, json);
            case MERGE -> to.merge(table, partitionKey, rowKey, anyOr, json);
            case INSERT_OR_REPLACE -> to.put(table, partitionKey, rowKey, "", json);
            case INSERT_OR_MERGE -> to.merge(table, partitionKey, rowKey, "", json);
            case DELETE -> to.delete(table, partitionKey, rowKey, anyOr);
        };
    }

    private Result exchange(OperationKind kind, Request request) {
        Connection open = connected();
        if (open == null) {
            current = (current + 1) % frontEnds.size();
            return Result.of(Outcome.NOT_EXECUTED, "no connection");
        }
        try {
            Answer answer = open.exchange(request);
            if (answer.header("Connection").equalsIgnoreCase("close")) {
                disconnect();
            }
            return Interpretation.of(kind, answer);
        } catch (IOException broken) {
            disconnect();
            current = (current + 1) % frontEnds.size();
            return Result.of(Outcome.UNKNOWN, broken.toString());
        }
    }

    private @Nullable Connection connected() {
        if (connection == null) {
            try {
                connection = Connection.open(frontEnds.get(current).endpoint(), PATIENCE);
            } catch (IOException refused) {
                return null;
            }
        }
        return connection;
    }

    private void disconnect() {
        if (connection != null) {
            try {
                connection.close();
            } catch (IOException alreadyBroken) {
                // It is given up anyway.
            }
            connection = null;
        }
    }
}
