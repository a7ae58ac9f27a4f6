package cleave.master.loop;

import cleave.loop.EventLoop;
import cleave.master.policy.Backoff;
import cleave.master.policy.SplitPlanner;
import cleave.master.policy.SplitPlanner.Plan;
import cleave.master.settings.MasterTiming;
import cleave.master.state.Legal;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterState;
import cleave.model.Damaged;
import cleave.model.EntityCodec;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Registry;
import cleave.model.Row;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.Route;
import cleave.wire.SplitOrder;
import cleave.wire.SplitReply;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One operator's split: makes the given keys bounds of ranges. Confined to the master loop.
 *
 * <p>Works in rounds. Each looks at the map, asks the owners of the ranges that hold some of the keys inside to split them
 * there, and waits for all answers. It is done when the map shows every key as a bound, whatever became of single orders; so a
 * key that is a bound already is fine, and an order of unknown outcome is settled by the map.
 */
final class AdminSplit {
    private static final Logger LOG = LoggerFactory.getLogger(AdminSplit.class);
    private static final long MILLI = 1_000_000;
    private static final Backoff BACKOFF = new Backoff(50 * MILLI, 1_000 * MILLI);
    private static final int RANGES_AT_ONCE = 8;
    private static final int KEYS_MAX = 10_000;

    private final EventLoop loop;
    private final MasterTiming timing;
    private final Replication replication;
    private final RangeCalls calls;
    private final CompletableFuture<MasterAnswer> caller;
    private final long deadline;
    private final TreeSet<Key> keys = new TreeSet<>();
    private int fruitlessRounds;
    private int pending;
    private String lastTrouble = "no range with a living owner holds the keys";

    AdminSplit(
            EventLoop loop,
            MasterTiming timing,
            Replication replication,
            RangeCalls calls,
            CompletableFuture<MasterAnswer> caller) {
        this.loop = loop;
        this.timing = timing;
        this.replication = replication;
        this.calls = calls;
        this.caller = caller;
        deadline = loop.nanos() + timing.splitNanos();
    }

    void start(AdminSplitRequest request) {
        boolean byTable = !request.getTable().isEmpty() || !request.getAccount().isEmpty();
        if (byTable == (request.getKeysCount() > 0) || byTable != (request.getPartitionKeysCount() > 0)) {
            refuse(ErrorCode.INVALID, "give either raw keys, or an account, a table and partition keys");
        } else if (request.getKeysCount() + request.getPartitionKeysCount() > KEYS_MAX) {
            refuse(ErrorCode.INVALID, "at most " + KEYS_MAX + " keys at once");
        } else if (byTable) {
            lookUp(request);
        } else {
            List<Key> raw = new ArrayList<>();
            request.getKeysList().forEach(key -> raw.add(Key.fromWire(key)));
            begin(raw);
        }
    }

    private void lookUp(AdminSplitRequest request) {
        Key key = Registry.key(request.getAccount(), request.getTable());
        calls.read(key, Math.min(deadline, loop.nanos() + timing.callNanos()))
                .whenComplete((reply, failure) -> loop.submit(() -> lookedUp(request, reply, failure)));
    }

    private void lookedUp(AdminSplitRequest request, @Nullable ReadReply reply, @Nullable Throwable failure) {
        String table = "table " + request.getTable() + " of account " + request.getAccount();
        if (reply == null) {
            refuse(ErrorCode.UNAVAILABLE, "the registry cannot be read: " + failure);
            return;
        }
        ErrorCode code = reply.getStatus().getCode();
        if (code != ErrorCode.OK) {
            String message = code == ErrorCode.NOT_FOUND
                    ? "there is no " + table
                    : "the registry cannot be read: " + reply.getStatus().getMessage();
            refuse(code, message);
            return;
        }
        Registry registry = registry(reply);
        if (registry == null || registry.deleting()) {
            refuse(ErrorCode.NOT_FOUND, table + " is being deleted, or its entry is unreadable");
            return;
        }
        List<Key> bounds = new ArrayList<>();
        request.getPartitionKeysList().forEach(partition -> bounds.add(Key.beforePartition(registry.id(), partition)));
        begin(bounds);
    }

    /** Null if the bytes are no registry entry. */
    private static @Nullable Registry registry(ReadReply reply) {
        try {
            return Registry.of(EntityCodec.decode(reply.getEntity().toByteArray()));
        } catch (Damaged damaged) {
            LOG.error("damaged entry of the registry", damaged);
            return null;
        }
    }

    private void begin(List<Key> wanted) {
        for (Key key : wanted) {
            String flaw =
                    key.equals(Key.MIN) ? "the beginning of the key space is a bound always" : Legal.boundFlaw(key);
            if (flaw != null) {
                refuse(ErrorCode.INVALID, flaw);
                return;
            }
            keys.add(key);
        }
        LOG.info("split asked for keys={} first={} last={}", keys.size(), keys.first(), keys.last());
        round();
    }

    private void round() {
        MasterState state = replication.state();
        int before = keys.size();
        keys.removeIf(key -> isBound(state, key));
        fruitlessRounds = keys.size() < before ? 0 : fruitlessRounds + 1;
        if (keys.isEmpty()) {
            caller.complete(MasterAnswer.ok(state.mapVersion(), List.of()));
        } else if (replication.leaderTerm() == 0) {
            refuse(ErrorCode.NOT_LEADER, replication.leaderAddress());
        } else if (loop.nanos() >= deadline) {
            refuse(
                    ErrorCode.UNAVAILABLE,
                    keys.size() + " keys are no bounds yet, the first is " + keys.first() + ": " + lastTrouble);
        } else {
            order(state);
        }
    }

    private static boolean isBound(MasterState state, Key key) {
        Row row = state.rows().at(key);
        return row != null && row.range().start().equals(key);
    }

    private void order(MasterState state) {
        List<Plan> plans = SplitPlanner.plan(state, keys);
        pending = 1;
        for (Plan plan : plans.subList(0, Math.min(plans.size(), RANGES_AT_ONCE))) {
            String address = state.address(plan.row().owner());
            if (address == null) {
                lastTrouble = "range " + plan.row() + " has no living owner";
            } else {
                pending++;
                send(plan, address);
            }
        }
        answered();
    }

    private void send(Plan plan, String address) {
        SplitOrder.Builder order = SplitOrder.newBuilder()
                .setRoute(Route.newBuilder()
                        .setRange(plan.row().id())
                        .setEpoch(plan.row().epoch()))
                .setVersion(plan.row().version());
        plan.at().forEach(key -> order.addAt(key.toWire()));
        for (Incarnation owner : plan.owners()) {
            order.addOwners(owner.toWire());
        }
        LOG.info("split ordered range={} owner={} parts={}", plan.row(), address, plan.owners());
        long until = Math.min(deadline, loop.nanos() + timing.splitNanos() / 2);
        calls.split(address, order.build(), until)
                .whenComplete((reply, failure) -> loop.submit(() -> heard(plan, reply, failure)));
    }

    private void heard(Plan plan, @Nullable SplitReply reply, @Nullable Throwable failure) {
        if (reply == null) {
            lastTrouble = "range " + plan.row() + ": " + failure;
        } else if (reply.getStatus().getCode() != ErrorCode.OK) {
            lastTrouble = "range " + plan.row() + ": " + reply.getStatus().getCode() + " "
                    + reply.getStatus().getMessage();
        }
        answered();
    }

    private void answered() {
        pending--;
        if (pending == 0) {
            loop.schedule(BACKOFF.nanos(fruitlessRounds), this::round);
        }
    }

    private void refuse(ErrorCode code, String message) {
        caller.complete(MasterAnswer.failed(code, message));
    }
}
