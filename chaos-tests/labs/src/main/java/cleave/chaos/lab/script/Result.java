package cleave.chaos.lab.script;

import cleave.chaos.lab.Cost;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.QueryResult;
import cleave.client.Answer;
import cleave.client.Continuation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The result of a request, or of several. Immutable.
 *
 * @param entities that were read or written
 * @param isPoint only one entity was asked for
 * @param status of HTTP
 * @param code of the error; empty if there is none
 * @param retryAfter seconds, as the service names them when it is busy; else 0
 */
record Result(
        Cost cost,
        List<LabEntity> entities,
        boolean isPoint,
        int status,
        String code,
        @Nullable Continuation next,
        double millis,
        long retryAfter) {
    private static final int FAILED = 400;
    private static final int OK = 200;
    private static final double NANOS_PER_MILLI = 1e6;

    Result {
        entities = List.copyOf(entities);
    }

    /** A query. */
    interface Finding {
        QueryResult find() throws IOException;
    }

    static Result of(Finding finding) throws IOException {
        long begun = System.nanoTime();
        QueryResult found = finding.find();
        return new Result(found.cost(), found.entities(), false, OK, "", found.next(), millisSince(begun), 0);
    }

    /** Work that ends with an answer, or with none if it must succeed. */
    interface Asking {
        @Nullable
        Answer ask() throws IOException;
    }

    /** Measures a client's work, and keeps its answer. */
    static Result of(LabClient client, List<LabEntity> entities, Asking asking) throws IOException {
        AtomicReference<@Nullable Answer> answered = new AtomicReference<>();
        long begun = System.nanoTime();
        Cost cost = client.measure(() -> answered.set(asking.ask()));
        double millis = millisSince(begun);
        Answer answer = answered.get();
        return answer == null
                ? new Result(cost, entities, false, OK, "", null, millis, 0)
                : new Result(
                        cost, entities, false, answer.status(), answer.errorCode(), null, millis, retryAfter(answer));
    }

    private static double millisSince(long begun) {
        return (System.nanoTime() - begun) / NANOS_PER_MILLI;
    }

    private static long retryAfter(Answer answer) {
        String seconds = answer.header("Retry-After");
        return seconds.isEmpty() ? 0 : Long.parseLong(seconds);
    }

    /** The same of a request for one entity. */
    Result point() {
        return new Result(cost, entities, true, status, code, next, millis, retryAfter);
    }

    boolean isSuccess() {
        return status < FAILED;
    }

    /** A field that a script reads: a count or a part of the answer by its lower-case name, or a property of all entities, or of the one. */
    Object field(String name) {
        return switch (name) {
            case "trips" -> cost.roundTrips();
            case "examined", "returned", "received", "calls" -> Values.component(cost, name);
            case "class" -> cost.queryClass();
            case "ranges" -> (long) cost.ranges().size();
            case "servers" -> (long) cost.servers().size();
            case "rangeIds" -> List.copyOf(cost.ranges());
            case "serverIds" -> List.copyOf(cost.servers());
            case "status" -> (long) status;
            case "code" -> code;
            case "millis" -> millis;
            case "retryAfter" -> retryAfter;
            case "ok" -> isSuccess();
            case "count" -> (long) entities.size();
            case "stored" -> entities.stream().mapToLong(LabEntity::storedBytes).sum();
            case "next" -> nextKeys();
            case "token" ->
                next == null ? "" : "NextPartitionKey=" + next.partition() + " and NextRowKey=" + next.row();
            default ->
                isPoint
                        ? Values.field(entity(), name)
                        : entities.stream()
                                .map(entity -> Values.field(entity, name))
                                .toList();
        };
    }

    LabEntity entity() {
        if (!isPoint || entities.isEmpty()) {
            throw new IllegalArgumentException("there is no such entity");
        }
        return entities.get(0);
    }

    /** The keys that the token names. */
    private Object nextKeys() {
        try {
            return next == null ? "" : next.partitionKey() + "/" + next.rowKey();
        } catch (IOException malformed) {
            throw new UncheckedIOException(malformed);
        }
    }
}
