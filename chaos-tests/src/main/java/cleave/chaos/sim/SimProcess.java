package cleave.chaos.sim;

/**
 * One life of one process: what runs in it stands still while it is paused, and vanishes when it is killed. Confined to the
 * simulation.
 */
final class SimProcess {
    private static final long PAUSE_STEP_NANOS = 50_000_000;

    private final World world;
    private final String node;
    private final NodeClock clock;
    private boolean dead;
    private long pausedUntil;

    SimProcess(World world, String node, NodeClock clock) {
        this.world = world;
        this.node = node;
        this.clock = clock;
    }

    World world() {
        return world;
    }

    String node() {
        return node;
    }

    NodeClock clock() {
        return clock;
    }

    boolean isDead() {
        return dead;
    }

    boolean isPaused() {
        return world.now() < pausedUntil;
    }

    void kill() {
        dead = true;
    }

    /** Nothing of it runs for so long. */
    void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, world.now() + nanos);
    }

    void resume() {
        pausedUntil = 0;
    }

    /** Runs an event in the process after a delay, outside of its loops. */
    void deliver(long delayNanos, Runnable event) {
        world.after(delayNanos, () -> run(event));
    }

    /** Runs an event in the process: now, or when it is no longer paused, or never. */
    void run(Runnable event) {
        if (dead) {
            return;
        }
        if (isPaused()) {
            world.after(Math.min(PAUSE_STEP_NANOS, pausedUntil - world.now()), () -> run(event));
            return;
        }
        try {
            event.run();
        } catch (RuntimeException | AssertionError fault) { // A bug by definition: expected failures are values.
            world.fault(this, fault);
        }
    }

    @Override
    public String toString() {
        return node;
    }
}
