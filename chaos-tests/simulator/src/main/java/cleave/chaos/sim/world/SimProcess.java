package cleave.chaos.sim.world;

import java.util.ArrayDeque;

/** One process from start to end: its events stop while it is paused and vanish when it is killed. */
public final class SimProcess {
    private final World world;
    private final String node;
    private final NodeClock clock;
    private SimVersion version = SimVersion.PRESENT;
    private boolean dead;
    private long pausedUntil;
    private final ArrayDeque<Runnable> held = new ArrayDeque<>();
    private boolean releasing;
    private long eventsLeft;
    private Runnable ending = () -> {};

    public SimProcess(World world, String node, NodeClock clock) {
        this.world = world;
        this.node = node;
        this.clock = clock;
    }

    /** On a machine whose clock is right. */
    public SimProcess(World world, String node) {
        this(world, node, new NodeClock(world.scheduler(), 0));
    }

    public World world() {
        return world;
    }

    public String node() {
        return node;
    }

    public NodeClock clock() {
        return clock;
    }

    /** The version of its program when it started. */
    public SimVersion version() {
        return version;
    }

    public void runs(SimVersion its) {
        version = its;
    }

    public boolean isDead() {
        return dead;
    }

    public boolean isPaused() {
        return world.now() < pausedUntil;
    }

    void kill() {
        dead = true;
    }

    /** Pauses it for this long. */
    public void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, world.now() + nanos);
        world.paused(this, pausedUntil);
    }

    public void resume() {
        if (isPaused()) {
            world.paused(this, world.now());
        }
        pausedUntil = 0;
        release();
    }

    /** Crashes it instead of the n-th event from now on, through the caller's action. */
    public void endsAfter(long events, Runnable how) {
        eventsLeft = events;
        ending = how;
    }

    /** Runs an event in the process after a delay, outside of its loops. */
    public void deliver(long delayNanos, Runnable event) {
        world.after(delayNanos, () -> run(event));
    }

    /** Runs an event in the process: now, in order after a pause, or never. */
    public void run(Runnable event) {
        if (dead) {
            return;
        }
        if (isPaused() || !held.isEmpty()) {
            held.add(event);
            releaseLater();
        } else {
            execute(event);
        }
    }

    private void releaseLater() {
        if (!releasing) {
            releasing = true;
            world.at(pausedUntil, () -> {
                releasing = false;
                release();
            });
        }
    }

    private void release() {
        while (!held.isEmpty() && !dead && !isPaused()) {
            execute(held.remove());
        }
        if (dead) {
            held.clear();
        } else if (!held.isEmpty()) {
            releaseLater();
        }
    }

    private void execute(Runnable event) {
        if (eventsLeft > 0 && --eventsLeft == 0) {
            ending.run();
            return;
        }
        try {
            event.run();
        } catch (RuntimeException | AssertionError fault) { // A bug, because expected failures are values.
            world.fault(this, fault);
        }
    }

    @Override
    public String toString() {
        return node;
    }
}
