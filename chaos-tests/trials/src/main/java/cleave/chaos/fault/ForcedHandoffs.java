package cleave.chaos.fault;

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
import java.util.stream.IntStream;
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
    private final List<Thread> threads = new ArrayList<>();
    private final ReentrantLock choosing = new ReentrantLock();
    private final List<KeyRange> busy = new ArrayList<>();
    private final Map<Long, KeyRange> intervals = new ConcurrentHashMap<>();
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
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
        for (int i = 0; i < operators; i++) {
            Random random = new Random(seed + i);
            threads.add(new Thread(() -> work(random), "operator-" + i));
        }
    }

    void start() {
        threads.forEach(Thread::start);
    }

    /** Returns when requests under way are answered. */
    void stop() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
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
        List<Integer> some = IntStream.range(0, FaultCluster.PARTITIONS)
                .filter(partition -> now.stream().anyMatch(interval -> interval.contains(boundOf(partition))))
                .boxed()
                .toList();
        return some.isEmpty()
                ? IntStream.range(0, FaultCluster.PARTITIONS).boxed().toList()
                : some;
    }

    private Key boundOf(int partition) {
        return Key.beforePartition(table, Workload.partitionKey(partition));
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
