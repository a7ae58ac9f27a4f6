package cleave.chaos.fault;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Request;
import cleave.chaos.client.Requests;
import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Get;
import cleave.chaos.history.History;
import cleave.chaos.history.Operation;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import cleave.chaos.history.Write;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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
    private final List<EntityKey> keys;
    private final OperationMix mix;
    private final Duration pause;
    private final Random random;
    private final History history = new History();
    private final Writes writes = new Writes(this::newValue);
    private int current;
    private int values;
    private int scans;
    private @Nullable Connection connection;
    private volatile boolean stopped;
    private volatile long lastDoneInvoked;

    /** @param pause between an answer and the next operation */
    RecordingClient(int id, List<Endpoint> frontEnds, List<EntityKey> keys, OperationMix mix, Duration pause) {
        this.id = id;
        this.frontEnds = frontEnds.stream().map(Requests::new).toList();
        this.keys = keys;
        this.mix = mix;
        this.pause = pause;
        this.random = new Random(id);
        this.current = id % frontEnds.size();
    }

    @Override
    public void run() {
        while (!stopped) {
            next();
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

    private void next() {
        EntityKey key = keys.get(random.nextInt(keys.size()));
        List<EntityKey> partition = keys.stream()
                .filter(other -> other.partition().equals(key.partition()))
                .toList();
        int dice = random.nextInt(100);
        if (dice < 12 && partition.size() > 1) {
            transact(partition);
        } else if (dice < 20 && partition.size() > 1) {
            walk(Walk.ofRows(scans++, partition.get(0), partition.get(partition.size() - 1)));
        } else if (dice < 23) {
            walk(Walk.ofEntity(scans++, key));
        } else {
            operate(key, mix.pick(random));
        }
    }

    private String newValue() {
        return id + "." + values++;
    }

    private void operate(EntityKey key, OperationKind kind) {
        Write write = kind.isWrite() ? writes.next(key, kind, random) : null;
        Requests to = frontEnds.get(current);
        long invoked = System.nanoTime();
        Sent sent = send(write == null ? Asking.get(to, key) : Asking.write(to, write));
        Result result =
                sent.answer() == null ? Result.of(sent.failure(), sent.text()) : Interpretation.of(kind, sent.answer());
        Call call = new Call(id, invoked, System.nanoTime());
        record(write == null ? new Get(call, key, result) : Change.of(call, write, result));
    }

    /** Writes some entities of a partition in one transaction. */
    private void transact(List<EntityKey> partition) {
        List<EntityKey> some = new ArrayList<>(partition);
        Collections.shuffle(some, random);
        List<Write> parts = some.subList(0, 1 + random.nextInt(some.size())).stream()
                .map(key -> writes.next(key, OperationMix.TRANSACTION.pick(random), random))
                .toList();
        long invoked = System.nanoTime();
        Sent sent = send(Asking.transaction(frontEnds.get(current), parts));
        Call call = new Call(id, invoked, System.nanoTime());
        record(
                sent.answer() == null
                        ? Change.unanswered(call, parts, sent.failure(), sent.text())
                        : Interpretation.transaction(call, parts, sent.answer()));
    }

    /** Gives up at the first page that it does not get. */
    private void walk(Walk walk) {
        while (!walk.isAtEnd()) {
            long invoked = System.nanoTime();
            Sent sent = send(walk.request(frontEnds.get(current), random.nextBoolean() ? 0 : 1 + random.nextInt(4)));
            Answer answer = sent.answer();
            if (answer == null || answer.status() != 200) {
                return;
            }
            try {
                record(walk.took(new Call(id, invoked, System.nanoTime()), answer));
            } catch (IOException malformed) {
                throw new UncheckedIOException(answer.toString(), malformed);
            }
        }
    }

    private void record(Operation operation) {
        writes.told(operation);
        if (operation instanceof Change && operation.outcome() == Outcome.DONE) {
            lastDoneInvoked = operation.call().invoked();
        }
        history.add(operation);
    }

    /** What became of a request: an answer, or why there is none. */
    private record Sent(@Nullable Answer answer, Outcome failure, String text) {}

    private Sent send(Request request) {
        Connection open = connected();
        if (open == null) {
            current = (current + 1) % frontEnds.size();
            return new Sent(null, Outcome.NOT_EXECUTED, "no connection");
        }
        try {
            Answer answer = open.exchange(request);
            if (answer.header("Connection").equalsIgnoreCase("close")) {
                disconnect();
            }
            return new Sent(answer, Outcome.DONE, "");
        } catch (IOException broken) {
            disconnect();
            current = (current + 1) % frontEnds.size();
            return new Sent(null, Outcome.UNKNOWN, broken.toString());
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
