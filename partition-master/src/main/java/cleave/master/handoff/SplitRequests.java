package cleave.master.handoff;

import cleave.master.servers.LookedUp;
import cleave.master.servers.RangeCalls;
import cleave.master.state.Legal;
import cleave.master.state.MasterAnswer;
import cleave.model.Key;
import cleave.model.table.Registry;
import cleave.runtime.loop.EventLoop;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Turns an operator's request to split, by raw keys or by partitions of a table, into bounds. Confined to the master
 * loop.
 */
public final class SplitRequests {
    private static final int KEYS_MAX = 10_000;

    private final EventLoop loop;
    private final RangeCalls calls;
    private final long callNanos;

    public SplitRequests(EventLoop loop, RangeCalls calls, long callNanos) {
        this.loop = loop;
        this.calls = calls;
        this.callNanos = callNanos;
    }

    /** Passes the bounds on, or answers the caller what is wrong with the request. */
    public void bounds(
            AdminSplitRequest request, CompletableFuture<MasterAnswer> caller, Consumer<SortedSet<Key>> taker) {
        loop.assertInside();
        boolean byTable = !request.getTable().isEmpty() || !request.getAccount().isEmpty();
        if (byTable == (request.getKeysCount() > 0) || byTable != (request.getPartitionKeysCount() > 0)) {
            refuse(caller, ErrorCode.INVALID, "give either raw keys, or an account, a table and partition keys");
        } else if (request.getKeysCount() + request.getPartitionKeysCount() > KEYS_MAX) {
            refuse(caller, ErrorCode.INVALID, "at most " + KEYS_MAX + " keys at once");
        } else if (byTable) {
            lookUp(request, caller, taker);
        } else {
            check(request.getKeysList().stream().map(Key::fromWire).toList(), caller, taker);
        }
    }

    private void lookUp(
            AdminSplitRequest request, CompletableFuture<MasterAnswer> caller, Consumer<SortedSet<Key>> taker) {
        LookedUp.ask(calls, request.getAccount(), request.getTable(), loop.nanos() + callNanos)
                .thenAccept(found -> loop.submit(() -> {
                    Registry table = found.table();
                    if (table == null) {
                        refuse(caller, found.code(), found.problem());
                    } else if (table.deleting()) {
                        refuse(caller, ErrorCode.NOT_FOUND, found.what() + " is being deleted");
                    } else {
                        List<Key> bounds = new ArrayList<>();
                        request.getPartitionKeysList()
                                .forEach(partition -> bounds.add(Key.beforePartition(table.id(), partition)));
                        check(bounds, caller, taker);
                    }
                }));
    }

    private static void check(
            List<Key> wanted, CompletableFuture<MasterAnswer> caller, Consumer<SortedSet<Key>> taker) {
        for (Key key : wanted) {
            String problem =
                    key.equals(Key.MIN) ? "the beginning of the key space is always a bound" : Legal.boundProblem(key);
            if (problem != null) {
                refuse(caller, ErrorCode.INVALID, problem);
                return;
            }
        }
        taker.accept(new TreeSet<>(wanted));
    }

    private static void refuse(CompletableFuture<MasterAnswer> caller, ErrorCode code, String message) {
        caller.complete(MasterAnswer.failed(code, message));
    }
}
