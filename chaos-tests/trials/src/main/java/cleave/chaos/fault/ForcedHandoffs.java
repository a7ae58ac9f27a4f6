package cleave.chaos.fault;

import cleave.chaos.load.run.Clients;
import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Operators that each request one handoff at a time, on ranges that no other operator uses. Thread-safe; each operator
 * has a thread.
 */
final class ForcedHandoffs {
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final AdminClient admin;
    private final long table;
    private final HandoffChoice choice;
    private final int operators;
    private final long seed;
    private final ReentrantLock choosing = new ReentrantLock();
    private final List<KeyRange> busy = new ArrayList<>();
    private final Map<Long, KeyRange> intervals = new ConcurrentHashMap<>();
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private @Nullable Clients threads;
    private volatile List<KeyRange> underWay = List.of();
    private volatile boolean stopped;

    /**
     * A request and its answer.
     *
     * @param from when it was requested, on the clients' clock
     */
    record Asked(ForcedHandoff handoff, long from, long until, Status answer) {}

    /** @param seed of all random choices */
    ForcedHandoffs(AdminClient admin, long table, HandoffChoice choice, int operators, long seed) {
        this.admin = admin;
        this.table = table;
        this.choice = choice;
        this.operators = operators;
        this.seed = seed;
    }

    void start() {
        threads = Clients.started(operators, "operator", number -> work(new Random(seed + number)));
    }

    /** Returns when requests under way are answered. */
    void stop() {
        stopped = true;
        if (threads != null) {
            threads.join();
        }
    }

    List<Asked> asked() {
        return List.copyOf(asked);
    }

    /** The intervals of requests without an answer. */
    List<KeyRange> underWay() {
        return underWay;
    }

    /** The partitions of the ranges under handoff now; all if there are none. */
    List<Integer> partitions() {
        List<KeyRange> now = underWay;
        List<Integer> some = Drill.ALL.stream()
                .filter(partition -> now.stream().anyMatch(interval -> interval.contains(boundOf(partition))))
                .toList();
        return some.isEmpty() ? Drill.ALL : some;
    }

    private Key boundOf(int partition) {
        return Key.beforePartition(table, RecordingClients.partitionKey(partition));
    }

    /** The interval that a range has or had; null if it was never seen here. */
    @Nullable
    KeyRange interval(long range) {
        return intervals.get(range);
    }

    private void work(Random random) {
        while (!stopped) {
            ForcedHandoff handoff = choose(random);
            if (handoff == null) {
                LockSupport.parkNanos(PAUSE.toNanos());
                continue;
            }
            long from = System.nanoTime();
            Status answer = handoff.asking().apply(admin);
            asked.add(new Asked(handoff, from, System.nanoTime(), answer));
            change(() -> busy.remove(handoff.interval()));
        }
    }

    private @Nullable ForcedHandoff choose(Random random) {
        choosing.lock();
        try {
            ForcedHandoff handoff = choice.next(rows(), busy, random);
            if (handoff != null) {
                change(() -> busy.add(handoff.interval()));
            }
            return handoff;
        } catch (CommandFailure noLeader) {
            return null;
        } finally {
            choosing.unlock();
        }
    }

    private List<Row> rows() {
        List<Row> rows = admin.ranges().stream().map(Row::fromWire).toList();
        rows.forEach(row -> intervals.put(row.id(), row.range()));
        return rows;
    }

    private void change(Runnable change) {
        choosing.lock();
        try {
            change.run();
            underWay = List.copyOf(busy);
        } finally {
            choosing.unlock();
        }
    }
}
