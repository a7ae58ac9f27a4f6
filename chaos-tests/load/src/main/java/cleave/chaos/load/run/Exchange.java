package cleave.chaos.load.run;

import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Operation;
import cleave.chaos.load.workload.Workload;
import cleave.client.Answer;
import cleave.client.Continuation;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Sends operations to a Table service, and waits for each answer. Confined to its client's thread. */
final class Exchange implements Target.Session {
    private static final byte[] ENTITY = {'"', 'R', 'o', 'w', 'K', 'e', 'y', '"', ':'};

    private final Requests requests;
    private final String table;
    private final Workload workload;
    private final Duration patience;
    private final Wire connection;

    /** What carries requests to the service, and their answers back. */
    interface Wire {
        Answer exchange(Request request) throws IOException;

        /** The client sends nothing more. */
        default void close() {}
    }

    Exchange(Requests requests, String table, Workload workload, Duration patience, Wire connection) {
        this.requests = requests;
        this.table = table;
        this.workload = workload;
        this.patience = patience;
        this.connection = connection;
    }

    /** All requests of the operation, until one of them fails. */
    @Override
    public Attempt attempt(Operation operation) {
        try {
            return sent(operation);
        } catch (SocketTimeoutException silent) {
            return new Attempt(Attempt.Status.TIMED_OUT, 0, "no answer within " + patience.toMillis() + " ms");
        } catch (IOException | RuntimeException broken) {
            // Whatever it is, the request may have been sent, and so may have taken effect.
            return new Attempt(Attempt.Status.BROKEN, 0, broken.toString());
        }
    }

    private Attempt sent(Operation operation) throws IOException {
        EntityKey key = operation.key();
        return switch (operation.action()) {
            case GET -> one(requests.get(table, key.partition(), key.row()));
            case INSERT -> one(requests.insert(table, whole(key, operation.firstWrite())));
            case MERGE -> one(merge(operation));
            case REPLACE ->
                one(requests.put(table, key.partition(), key.row(), "", whole(key, operation.firstWrite())));
            case DELETE -> one(requests.delete(table, key.partition(), key.row(), "*"));
            case READ_MODIFY_WRITE -> {
                Attempt read = one(requests.get(table, key.partition(), key.row()));
                Attempt changed = read.status() == Attempt.Status.DONE ? one(merge(operation)) : read;
                yield changed.status() == Attempt.Status.DONE ? Attempt.done(1) : changed;
            }
            case TRANSACTION -> transaction(operation);
            case PAGE ->
                query(
                        "PartitionKey eq '" + key.partition() + "' and RowKey ge '" + key.row() + "'",
                        workload.pageRows());
            case PARTITION_SCAN ->
                query(filtered("PartitionKey eq '" + key.partition() + "'"), workload.scanEntities());
            case TABLE_SCAN -> query(workload.scanFilter(), workload.scanEntities());
        };
    }

    private Request merge(Operation operation) {
        EntityKey key = operation.key();
        return requests.merge(table, key.partition(), key.row(), "*", Entities.merged(operation.firstWrite()));
    }

    private String whole(EntityKey key, long write) {
        return Entities.whole(key, write, workload.shape().entityBytes());
    }

    private String filtered(String bounds) {
        return workload.scanFilter().isEmpty() ? bounds : bounds + " and (" + workload.scanFilter() + ")";
    }

    private Attempt one(Request request) throws IOException {
        Answer answer = connection.exchange(request);
        return answer.isSuccess() ? Attempt.done(entities(answer)) : Attempt.of(answer);
    }

    private Attempt transaction(Operation operation) throws IOException {
        List<Request> parts = new ArrayList<>(operation.keys().size());
        long write = operation.firstWrite();
        for (EntityKey key : operation.keys()) {
            parts.add(requests.part("PUT", table, key.partition(), key.row(), "", whole(key, write++)));
        }
        return transaction(connection.exchange(requests.transaction(parts)));
    }

    /** The outcome of a transaction: the answer of an operation in it, if one failed. */
    static Attempt transaction(Answer answer) {
        return answer.isCommitted() ? Attempt.done(0) : Attempt.of(answer.inner());
    }

    /** @param entities after which it stops; 0: it goes to the end */
    private Attempt query(String filter, int entities) throws IOException {
        int read = 0;
        Continuation from = null;
        do {
            List<String> options = new ArrayList<>();
            if (!filter.isEmpty()) {
                options.add(Requests.option("$filter", filter));
            }
            if (entities > 0) {
                options.add(Requests.option("$top", Integer.toString(Math.min(1000, entities - read))));
            }
            Answer answer = connection.exchange(requests.query(table, options, from));
            if (!answer.isSuccess()) {
                return Attempt.of(answer);
            }
            read += entities(answer);
            from = Continuation.of(answer);
        } while (from != null && (entities == 0 || read < entities));
        return Attempt.done(read);
    }

    /** The number of entities in an answer. */
    private static int entities(Answer answer) {
        byte[] body = answer.body();
        int found = 0;
        for (int at = 0; at + ENTITY.length <= body.length; at++) {
            if (body[at] == ENTITY[0] && isEntityAt(body, at)) {
                found++;
                at += ENTITY.length - 1;
            }
        }
        return found;
    }

    private static boolean isEntityAt(byte[] body, int at) {
        for (int i = 1; i < ENTITY.length; i++) {
            if (body[at + i] != ENTITY[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        connection.close();
    }
}
