package cleave.chaos.sim.world;

import java.util.ArrayDeque;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a call in one direction: they arrive in order, those sent at one moment together, and wait while the
 * connection is blocked.
 */
final class RpcDirection {
    private final World world;
    private final Random random;
    private final String from;
    private final SimProcess to;
    private final RpcCall<?, ?> call;
    private final ArrayDeque<Item> onTheirWay = new ArrayDeque<>(4);
    private long sentNanos;
    private boolean planned;
    private boolean closed;
    private long stalledUntil;
    /** The script has been shown the first message. */
    private boolean shown;

    /** A message or a control signal; a script may hold back messages. */
    private record Item(long sentNanos, @Nullable Supplier<Message> message, Runnable arrival, Runnable copy) {}

    RpcDirection(Rpc rpc, String from, SimProcess to, RpcCall<?, ?> call) {
        this.world = rpc.world;
        this.random = rpc.random;
        this.from = from;
        this.to = to;
        this.call = call;
    }

    /** Begins, ends or cancels. */
    void send(Runnable arrival) {
        send(new Item(world.now(), null, arrival, () -> {}));
    }

    /** @param copy delivers it again */
    void send(Supplier<Message> message, Runnable arrival, Runnable copy) {
        send(new Item(world.now(), message, arrival, copy));
    }

    private void send(Item item) {
        if (!closed) {
            onTheirWay.add(item);
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
        if (closed || to.isDead()) {
            onTheirWay.clear();
        } else if (world.now() < stalledUntil) {
            plan(stalledUntil - world.now());
        } else if (!world.network().isBlocked(from, to.node())) {
            if (world.network().isLost()) {
                world.count("connections that broke in a storm");
                call.breakOff();
            } else {
                to.run(this::handOver);
            }
        } else if (world.now() - sentNanos > Network.SILENCE_NANOS_MAX) {
            call.breakOff();
        } else {
            plan(20_000_000L + random.nextInt(200_000_000));
        }
    }

    private void handOver() {
        Item first = onTheirWay.peek();
        for (Item next = first; next != null && next.sentNanos() == first.sentNanos(); next = onTheirWay.peek()) {
            if (world.isScripted() && next.message() != null && !shown) {
                shown = true;
                // Later messages wait while this one is held.
                world.show(next.sentNanos(), next.message().get(), this::arrive, next.copy());
                return;
            }
            if (next.message() != null) {
                world.arrived(next.sentNanos(), next.message());
            }
            shown = false;
            onTheirWay.remove();
            next.arrival().run();
        }
        planned = false;
        if (!onTheirWay.isEmpty()) {
            sentNanos = world.now();
            plan(20_000L + random.nextInt(50_000));
        }
    }

    /** Delays all messages by this time, without any error. */
    void stall(long nanos) {
        stalledUntil = Math.max(stalledUntil, world.now() + nanos);
    }

    void close() {
        closed = true;
        for (Item item : onTheirWay) {
            if (item.message() != null) {
                world.lost(item.sentNanos(), item.message());
            }
        }
        onTheirWay.clear();
    }
}
