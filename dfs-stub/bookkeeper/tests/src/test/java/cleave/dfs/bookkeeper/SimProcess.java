package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.SimWorld.Bug;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.loop.EventLoop;
import io.prometheus.client.CollectorRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process with files on BookKeeper. It may sleep for long, in the middle of anything, and end. */
final class SimProcess implements EventLoop {
    static final BookKeeperUri URI = BookKeeperUri.parse("bookkeeper://zk:2181/cleave");
    static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final long TICK_NANOS = 100;

    private final SimWorld world;
    private final String name;
    private final BookKeeperDfs files;
    private long sleepsUntil;
    private long slept;
    private boolean isDead;

    SimProcess(SimWorld world, String name) {
        this.world = world;
        this.name = name;
        this.files = new BookKeeperDfs(
                this, new DfsMetrics(new CollectorRegistry()), BOUND_NANOS, Retention.STANDARD, () -> {});
    }

    void start() {
        Nodes nodes = world.zooKeeper().new Session(this);
        files.connected(Engine.of(nodes, new SimLedgers(world, this), URI, this, List.of()));
    }

    String name() {
        return name;
    }

    BookKeeperDfs files() {
        return files;
    }

    void sleep(long nanos) {
        sleepsUntil = world.time().nanos() + nanos;
        slept += world.bug() == Bug.CLOCKS_SLEEP ? nanos : 0;
    }

    boolean isAwake() {
        return world.time().nanos() >= sleepsUntil;
    }

    void die() {
        isDead = true;
    }

    boolean isDead() {
        return isDead;
    }

    @Override
    public void submit(Runnable event) {
        schedule(0, event);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable event) {
        return world.time().schedule(delayNanos, () -> run(event));
    }

    /** Events that come while it sleeps wait, in order. */
    private void run(Runnable event) {
        if (!isDead && isAwake()) {
            event.run();
        } else if (!isDead) {
            world.time().schedule(sleepsUntil - world.time().nanos(), () -> run(event));
        }
    }

    @Override
    public void assertInside() {}

    @Override
    public long nanos() {
        return world.time().nanos() - slept;
    }

    @Override
    public long ticks() {
        return world.time().ticks() - slept / TICK_NANOS;
    }
}
