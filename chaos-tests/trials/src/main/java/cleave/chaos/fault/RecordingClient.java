package cleave.chaos.fault;

import cleave.chaos.fault.Sender.Sent;
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
import cleave.chaos.operation.EntityRequests;
import cleave.chaos.operation.Interpretation;
import cleave.chaos.operation.OperationMix;
import cleave.chaos.operation.Walk;
import cleave.chaos.operation.Writes;
import cleave.client.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * One client: performs one operation at a time on a few entities, and records the outcomes. Confined to its own thread while it runs.
 */
final class RecordingClient implements Runnable {
    private final int id;
    private final Supplier<List<EntityKey>> keys;
    private final OperationMix mix;
    private final Duration pause;
    private final Random random;
    private final History history = new History();
    private final Writes writes = new Writes(this::newValue);
    private final List<FailedRequest> failedRequests = new ArrayList<>();
    private final Sender sender;
    private int values;
    private int scans;
    private boolean readLast;
    private long periodNanos;
    private volatile boolean stopped;
    private volatile long lastDoneInvoked;

    /**
     * @param keys of the entities that it works on now; never none
     * @param pause between an answer and the next operation
     */
    RecordingClient(int id, Sender sender, Supplier<List<EntityKey>> keys, OperationMix mix, Duration pause) {
        this.id = id;
        this.keys = keys;
        this.mix = mix;
        this.pause = pause;
        this.random = new Random(id);
        this.sender = sender;
    }

    @Override
    public void run() {
        long due = System.nanoTime() + random.nextLong(1 + periodNanos);
        while (!stopped) {
            due = Math.max(due + periodNanos, System.nanoTime());
            next();
            LockSupport.parkNanos(Math.max(pause.toNanos(), due - System.nanoTime()));
        }
        sender.disconnect();
    }

    /** Sets the minimum time between the beginnings of two operations, in nanoseconds. Only before it runs. */
    void pace(long period) {
        periodNanos = period;
    }

    /** Ends it after the operation under way. */
    void stop() {
        stopped = true;
    }

    /** When it began the last write that succeeded; 0 if none has. */
    long lastDoneInvoked() {
        return lastDoneInvoked;
    }

    /** Its history; only after its thread has ended. */
    History history() {
        return history;
    }

    /** Its failed requests; only after its thread has ended. */
    List<FailedRequest> failedRequests() {
        return List.copyOf(failedRequests);
    }

    /** When each operation began that was sent more than once; only after its thread has ended. */
    List<Long> repeated() {
        return sender.repeated();
    }

    /** Reads each of its entities once. Only before its thread was started or after it has ended. */
    void readAll() {
        keys.get().forEach(key -> operate(key, OperationKind.GET));
        sender.disconnect();
    }

    private void next() {
        List<EntityKey> some = keys.get();
        EntityKey key = some.get(random.nextInt(some.size()));
        List<EntityKey> partition = some.stream()
                .filter(other -> other.partition().equals(key.partition()))
                .toList();
        int dice = random.nextInt(100);
        boolean mayRead = !(readLast && mix.equals(OperationMix.PROBE));
        if (dice < 12 && partition.size() > 1) {
            transact(partition);
        } else if (dice < 20 && partition.size() > 1) {
            walk(Walk.ofRows(scans++, partition.get(0), partition.get(partition.size() - 1)));
        } else if (dice < 23 && mayRead) {
            walk(Walk.ofEntity(scans++, key));
            readLast = true;
        } else {
            OperationKind kind = mayRead ? mix.pick(random) : OperationKind.INSERT_OR_REPLACE;
            operate(key, kind);
            readLast = !kind.isWrite();
        }
    }

    private String newValue() {
        return id + "." + values++;
    }

    private void operate(EntityKey key, OperationKind kind) {
        Write write = kind.isWrite() ? writes.next(key, kind, random) : null;
        long invoked = System.nanoTime();
        Sent sent = sender.send(to -> write == null ? EntityRequests.get(to, key) : EntityRequests.write(to, write));
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
        Sent sent = sender.send(to -> EntityRequests.transaction(to, parts));
        Call call = new Call(id, invoked, System.nanoTime());
        record(
                sent.answer() == null
                        ? Change.unanswered(call, parts, sent.failure(), sent.text())
                        : Interpretation.transaction(call, parts, sent.answer()));
    }

    /** Gives up at the first page that fails. */
    private void walk(Walk walk) {
        while (!walk.isAtEnd()) {
            long invoked = System.nanoTime();
            int top = random.nextBoolean() ? 0 : 1 + random.nextInt(4);
            Sent sent = sender.send(to -> walk.request(to, top));
            Answer answer = sent.answer();
            if (answer == null || answer.status() != 200) {
                Call call = new Call(id, invoked, System.nanoTime());
                failedRequests.add(
                        new FailedRequest(call, walk.position(), answer == null ? sent.text() : answer.toString()));
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
        switch (operation.outcome()) {
            case UNKNOWN, NOT_EXECUTED, WRONG -> failedRequests.add(FailedRequest.of(operation));
            case DONE, EXISTS, MISSING, CONDITION_FAILED -> {}
        }
        history.add(operation);
    }
}
