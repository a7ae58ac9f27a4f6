package cleave.master.handoff;

import cleave.master.servers.RangeCalls;
import cleave.master.state.Legal;
import cleave.master.state.MasterAnswer;
import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.runtime.loop.EventLoop;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns an operator's request to split, by raw keys or by partitions of a table, into bounds. Confined to the master
 * loop.
 */
public final class SplitRequests {
    private static final Logger LOG = LoggerFactory.getLogger(SplitRequests.class);
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
        calls.read(Registry.key(request.getAccount(), request.getTable()), loop.nanos() + callNanos)
                .whenComplete((reply, failure) -> loop.submit(() -> {
                    Registry table = table(request, caller, reply, failure);
                    if (table != null) {
                        List<Key> bounds = new ArrayList<>();
                        request.getPartitionKeysList()
                                .forEach(partition -> bounds.add(Key.beforePartition(table.id(), partition)));
                        check(bounds, caller, taker);
                    }
                }));
    }

    /** Null if there is no such table; then the caller is answered. */
    private static @Nullable Registry table(
            AdminSplitRequest request,
            CompletableFuture<MasterAnswer> caller,
            @Nullable ReadReply reply,
            @Nullable Throwable failure) {
        String table = "table " + request.getTable() + " of account " + request.getAccount();
        if (reply == null) {
            refuse(caller, ErrorCode.UNAVAILABLE, "the registry cannot be read: " + failure);
            return null;
        }
        ErrorCode code = reply.getStatus().getCode();
        if (code != ErrorCode.OK) {
            String message = code == ErrorCode.NOT_FOUND
                    ? "there is no " + table
                    : "the registry cannot be read: " + reply.getStatus().getMessage();
            refuse(caller, code, message);
            return null;
        }
        Registry registry = registry(reply);
        if (registry == null || registry.deleting()) {
            refuse(caller, ErrorCode.NOT_FOUND, table + " is being deleted, or its entry is unreadable");
            return null;
        }
        return registry;
    }

    /** Null if the bytes are not a registry entry. */
    private static @Nullable Registry registry(ReadReply reply) {
        try {
            return Registry.of(EntityCodec.decode(reply.getEntity().toByteArray()));
        } catch (Damaged damaged) {
            LOG.error("damaged entry of the registry", damaged);
            return null;
        }
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
