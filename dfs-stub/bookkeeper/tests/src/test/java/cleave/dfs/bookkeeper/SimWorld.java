package cleave.dfs.bookkeeper;

import cleave.runtime.loop.ManualLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.zookeeper.Op;

/** Processes with files on BookKeeper, ZooKeeper and bookies, on one clock, with the faults that a seed chooses. */
final class SimWorld {
    /** A rule that is broken on purpose, to prove that this is found. */
    enum Bug {
        NONE,
        /** A ledger gets its name though a sweep has deleted it while its create was in doubt. */
        NAMED_THOUGH_SWEPT,
        /** The end of a ledger is taken from the last entry that readers know to be confirmed, and nobody is fenced. */
        END_WITHOUT_FENCE,
        /** A bookie that restarts has forgotten the fences of ledgers whose entries it had not synced. */
        FENCE_NOT_SYNCED,
        /** The clocks of a process that sleeps stand still, so it believes bookies that have forgotten a fence. */
        CLOCKS_SLEEP;

        List<Op> planted(List<Op> operations) {
            return this != NAMED_THOUGH_SWEPT
                    ? operations
                    : operations.stream()
                            .filter(each ->
                                    !(each instanceof Op.Check && each.getPath().startsWith(LEDGERS + "/")))
                            .toList();
        }
    }

    static final String LEDGERS = "/ledgers";

    private final ManualLoop time = new ManualLoop();
    private final Random random;
    private final Bug bug;
    private final SimZooKeeper zooKeeper = new SimZooKeeper(this);
    private final SimBookies bookies = new SimBookies(this);
    private final List<SimProcess> processes = new ArrayList<>();
    private double faults;
    private long zooKeeperAwayUntil;

    SimWorld(long seed, Bug bug) {
        this.random = new Random(seed);
        this.bug = bug;
    }

    ManualLoop time() {
        return time;
    }

    Random random() {
        return random;
    }

    Bug bug() {
        return bug;
    }

    SimZooKeeper zooKeeper() {
        return zooKeeper;
    }

    SimBookies bookies() {
        return bookies;
    }

    /** A new process; it knows nothing of what those before it did. */
    SimProcess start(String name) {
        SimProcess process = new SimProcess(this, name);
        processes.add(process);
        process.start();
        return process;
    }

    /** How many of the messages to ZooKeeper and the bookies meet a fault. */
    void faults(double share) {
        faults = share;
    }

    boolean happens(double share) {
        return random.nextDouble() < share;
    }

    boolean fails() {
        return happens(faults);
    }

    void zooKeeperIsAway(long nanos) {
        zooKeeperAwayUntil = time.nanos() + nanos;
    }

    boolean isZooKeeperAway() {
        return time.nanos() < zooKeeperAwayUntil;
    }

    Wire wire() {
        return new Wire();
    }

    /** Brings messages in order, each after a while. */
    final class Wire {
        private long last;

        void send(Runnable message) {
            last = Math.max(last, time.nanos() + 100_000 + random.nextInt(2_000_000));
            time.schedule(last - time.nanos(), message);
        }

        void send(SimProcess to, Runnable message) {
            send(() -> to.submit(message));
        }
    }
}
