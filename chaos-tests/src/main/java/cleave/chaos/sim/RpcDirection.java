package cleave.chaos.sim;

import java.util.ArrayDeque;
import java.util.Random;

/**
 * The messages of a call that go one way: they arrive in order, wait while the way is blocked, and stand before a paused process. Confined
 * to the simulation.
 */
final class RpcDirection {
    private final World world;
    private final Random random;
    private final String from;
    private final SimProcess to;
    private final RpcCall<?, ?> call;
    private final ArrayDeque<Runnable> onTheirWay = new ArrayDeque<>();
    private long sentNanos;
    private boolean planned;
    private boolean closed;

    RpcDirection(Rpc rpc, String from, SimProcess to, RpcCall<?, ?> call) {
        this.world = rpc.world();
        this.random = rpc.random();
        this.from = from;
        this.to = to;
        this.call = call;
    }

    void send(Runnable arrival) {
        if (!closed) {
            onTheirWay.add(arrival);
            if (!planned) {
                sentNanos = world.now();
                plan(world.network().delay(from, to.node()));
            }
        }
    }

    private void plan(long delay) {
        planned = true;
        world.after(delay, this::arrive);
    }

    private void arrive() {
        planned = false;
        if (closed || to.isDead()) {
            onTheirWay.clear();
            return;
        }
        if (world.network().isBlocked(from, to.node())) {
            if (world.now() - sentNanos > Network.SILENCE_NANOS_MAX) {
                call.breakOff();
            } else {
                plan(20_000_000L + random.nextInt(200_000_000));
            }
            return;
        }
        if (to.isPaused()) {
            plan(20_000_000);
            return;
        }
        Runnable arrival = onTheirWay.remove();
        if (!onTheirWay.isEmpty()) {
            sentNanos = world.now();
            plan(20_000L + random.nextInt(50_000));
        }
        to.run(arrival);
    }

    void close() {
        closed = true;
        onTheirWay.clear();
    }
}
