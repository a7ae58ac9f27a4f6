package cleave.chaos.sim.world;

import cleave.model.UnknownFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Time, network, trace and violations, which all nodes of a simulation share. */
public final class World {
    public static final String CORES_THAT_THREW = "cores that threw";

    private static final long MIX = 0x9E3779B97F4A7C15L;

    private final Scheduler scheduler = new Scheduler();
    private final Random random;
    private final Network network;
    private final Rpc rpc;
    private final Trace trace;
    private final List<Finding> violations = new ArrayList<>();
    private @Nullable Consumer<SimProcess> faulty;
    private BiConsumer<SimProcess, UnknownFormat> halted = (process, unknown) -> {};
    private @Nullable MessageScript courier;
    private @Nullable Camera camera;

    /** @param out receives the trace, line by line; null for nobody */
    public World(long seed, @Nullable Consumer<String> out) {
        this(seed, 0, out);
    }

    /** @param luck 0, or another number for other delays of messages in the world of the same seed */
    public World(long seed, int luck, @Nullable Consumer<String> out) {
        this.random = new Random(seed * MIX + 1);
        this.trace = new Trace(out);
        this.network = new Network(new Random(random.nextLong() ^ (luck * MIX)), this::blocked);
        this.rpc = new Rpc(this, newRandom());
    }

    /** A random generator for each part, so that one part's use does not affect another. */
    public Random newRandom() {
        return new Random(random.nextLong());
    }

    /** The same, for a part whose draws are kept and repeated. */
    public Dice newDice() {
        return new Dice(random.nextLong());
    }

    /** One of these. */
    public static <T> T any(List<T> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }

    public long now() {
        return scheduler.now();
    }

    public Scheduler scheduler() {
        return scheduler;
    }

    public void after(long delayNanos, Runnable event) {
        scheduler.after(delayNanos, event);
    }

    public void at(long nanos, Runnable event) {
        scheduler.at(nanos, event);
    }

    /** Runs for this time, or until a violation. */
    public void runFor(long nanos) {
        runUntil(now() + nanos, () -> false);
    }

    /** Runs due events until this time, until the condition holds, or until a violation. */
    public void runUntil(long nanos, BooleanSupplier condition) {
        boolean more = true;
        while (more && violations.isEmpty() && !condition.getAsBoolean()) {
            more = scheduler.runNext(nanos);
            if (camera != null) {
                camera.looks(now());
            }
        }
    }

    public Network network() {
        return network;
    }

    public Rpc rpc() {
        return rpc;
    }

    public Trace trace() {
        return trace;
    }

    /** Notes an event on a node in the trace; the parts together are its text. */
    public void note(String node, String what, String... details) {
        trace.note(now(), node, what, details);
        if (camera != null) {
            camera.noted(now(), node, what, String.join(" ", details));
        }
    }

    /** Counts an event of this kind. */
    public void count(String kind) {
        trace.count(kind);
    }

    /** Lets a script control when messages arrive from now on. */
    public void script(MessageScript by) {
        courier = by;
    }

    public boolean isScripted() {
        return courier != null;
    }

    /** Delivers a message now, unless a script intervenes. */
    public void carry(long sentNanos, Supplier<Message> message, Runnable arrival) {
        carry(sentNanos, message, arrival, () -> {});
    }

    public void carry(long sentNanos, Supplier<Message> message, Runnable arrival, Runnable copy) {
        if (courier == null) {
            arrived(sentNanos, message);
            arrival.run();
        } else {
            show(
                    sentNanos,
                    message.get(),
                    () -> {
                        arrived(sentNanos, message);
                        arrival.run();
                    },
                    copy);
        }
    }

    /** Shows a message to the script, which lets it arrive, now or later, or never. */
    void show(long sentNanos, Message message, Runnable arrival, Runnable copy) {
        if (camera != null) {
            camera.shown(sentNanos, now(), message);
        }
        if (courier != null) {
            courier.carry(message, arrival, copy);
        }
    }

    /** Shows the camera everything from now on. */
    public void film(Camera by) {
        camera = by;
    }

    public void arrived(long sentNanos, Supplier<Message> message) {
        if (camera != null) {
            camera.arrived(sentNanos, now(), message.get());
        }
    }

    public void lost(long sentNanos, Supplier<Message> message) {
        if (camera != null) {
            camera.lost(sentNanos, now(), message.get());
        }
    }

    /** A fault struck, and whom. */
    public void struck(String fault) {
        if (camera != null) {
            camera.struck(now(), fault);
        }
    }

    /** A story begins, or ends. */
    public void scene(boolean begins) {
        if (camera != null) {
            camera.scene(now(), begins);
        }
    }

    /** A story says what happens. */
    public void said(String sentence) {
        if (camera != null) {
            camera.said(now(), sentence);
        }
    }

    private void blocked(String from, String to, boolean isBlocked) {
        if (camera != null) {
            camera.blocked(now(), from, to, isBlocked);
        }
    }

    void paused(SimProcess process, long untilNanos) {
        if (camera != null) {
            camera.paused(now(), process.node(), untilNanos);
        }
    }

    /** Reports a violation. */
    public void violation(Finding.By by, String what) {
        note("checker", "VIOLATION", what);
        Finding finding = new Finding(by, what);
        violations.add(finding);
        if (camera != null) {
            camera.violated(now(), finding);
        }
    }

    public List<Finding> violations() {
        return violations;
    }

    /** From now on a core that throws is not a violation: its process ends, and this listener is called. */
    public void onFault(Consumer<SimProcess> listener) {
        faulty = listener;
    }

    /** Sets the listener for processes that end because they met something that only a newer version knows. */
    public void onHalt(BiConsumer<SimProcess, UnknownFormat> listener) {
        halted = listener;
    }

    /** A core threw: a bug, which ends its process, or something that only a newer version supports. */
    void fault(SimProcess process, Throwable fault) {
        UnknownFormat unknown = UnknownFormat.in(fault);
        if (unknown != null) {
            note(process.node(), "halts", String.valueOf(unknown.getMessage()));
            count("halts of a version that is too old");
            halted.accept(process, unknown);
            return;
        }
        Consumer<SimProcess> listener = faulty;
        if (listener != null) {
            note(process.node(), "throws", String.valueOf(fault));
            count(CORES_THAT_THREW);
            listener.accept(process);
            return;
        }
        StringBuilder text = new StringBuilder("a bug in " + process.node() + ": " + fault);
        StackTraceElement[] stack = fault.getStackTrace();
        for (int i = 0; i < Math.min(12, stack.length); i++) {
            text.append("\n    at ").append(stack[i]);
        }
        violation(Finding.By.CORE, text.toString());
        process.kill();
    }
}
