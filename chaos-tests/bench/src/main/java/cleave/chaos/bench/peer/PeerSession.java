package cleave.chaos.bench.peer;

import cleave.chaos.load.run.Attempt;
import cleave.chaos.load.run.Target;
import cleave.chaos.load.workload.Action;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Operation;
import cleave.chaos.load.workload.Workload;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** A client of a peer, which carries out the operations of YCSB. Confined to its thread. */
abstract class PeerSession implements Target.Session {
    private static final Set<Action> KNOWN =
            EnumSet.of(Action.GET, Action.INSERT, Action.MERGE, Action.READ_MODIFY_WRITE, Action.PAGE);

    /** IllegalArgumentException if a workload has other operations than those of YCSB. */
    static void requireKnown(Workload workload) {
        List<String> others = Arrays.stream(Action.values())
                .filter(action -> workload.mix().has(action) && !KNOWN.contains(action))
                .map(Action::id)
                .toList();
        if (!others.isEmpty()) {
            throw new IllegalArgumentException("peers do not carry out " + String.join(", ", others));
        }
    }

    abstract Attempt get(EntityKey key) throws Exception;

    /** Reads some rows of a partition, from this one on. */
    abstract Attempt page(EntityKey from) throws Exception;

    abstract Attempt insert(Operation operation) throws Exception;

    abstract Attempt merge(Operation operation) throws Exception;

    /** True if a failure is that of an answer that did not come in time. */
    abstract boolean isTimeOut(Exception failure);

    /** Ends the connection, if there is one; the next operation has another. */
    abstract void disconnect();

    @Override
    public final Attempt attempt(Operation operation) {
        try {
            return sent(operation);
        } catch (Exception failure) {
            // Whatever it is, the statement may have been sent, and so may have taken effect.
            disconnect();
            Attempt.Status status = isTimeOut(failure) ? Attempt.Status.TIMED_OUT : Attempt.Status.BROKEN;
            return new Attempt(status, 0, failure.toString());
        }
    }

    private Attempt sent(Operation operation) throws Exception {
        return switch (operation.action()) {
            case GET -> get(operation.key());
            case PAGE -> page(operation.key());
            case INSERT -> insert(operation);
            case MERGE -> merge(operation);
            case READ_MODIFY_WRITE -> {
                Attempt read = get(operation.key());
                Attempt changed = read.status() == Attempt.Status.DONE ? merge(operation) : read;
                yield changed.status() == Attempt.Status.DONE ? Attempt.done(1) : changed;
            }
            case REPLACE, DELETE, PARTITION_SCAN, TABLE_SCAN, TRANSACTION ->
                throw new AssertionError("no session was opened for " + operation);
        };
    }

    @Override
    public final void close() {
        disconnect();
    }
}
