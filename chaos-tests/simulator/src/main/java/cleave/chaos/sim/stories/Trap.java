package cleave.chaos.sim.stories;

import cleave.chaos.sim.world.Message;
import cleave.model.Invariant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;

/** Counts or holds back the messages that a script waits for. */
final class Trap {
    private final String text;
    private final Predicate<Message> which;
    private final Mode mode;
    private final Timeline timeline;
    private final Deque<Parcel> held = new ArrayDeque<>();
    private int count;
    private boolean open;
    private Runnable copy = () -> {};

    enum Mode {
        /** Counts them, and lets them pass. */
        WATCHING,
        /** Holds back the first. */
        HOLDING_ONE,
        /** Holds back all. */
        HOLDING_ALL
    }

    private record Parcel(Message message, Runnable arrival) {}

    /** @param text names the messages in reports */
    Trap(String text, Predicate<Message> which, Mode mode, Timeline timeline) {
        this.text = text;
        this.which = which;
        this.mode = mode;
        this.timeline = timeline;
    }

    /** True if it holds back the message. */
    boolean takes(Message message, Runnable arrival, Runnable again) {
        if (!which.test(message) || open || (mode == Mode.HOLDING_ONE && count > 0)) {
            return false;
        }
        count++;
        copy = again;
        if (mode == Mode.WATCHING) {
            return false;
        }
        held.add(new Parcel(message, arrival));
        timeline.held(message);
        return true;
    }

    /** The number of messages so far. */
    int count() {
        return count;
    }

    boolean hasSprung() {
        return count > 0;
    }

    /** The first held message. */
    Message first() {
        Invariant.check(!held.isEmpty(), "nothing is held of %s", text);
        return held.element().message();
    }

    /** Delivers held messages and holds back no more. */
    void release() {
        open = true;
        while (!held.isEmpty()) {
            Parcel parcel = held.remove();
            timeline.released(parcel.message());
            parcel.arrival().run();
        }
    }

    /** Drops held messages. */
    void lose() {
        open = true;
        held.forEach(parcel -> timeline.lost(parcel.message()));
        held.clear();
    }

    /** Delivers the last request again. */
    void repeat() {
        Invariant.check(count > 0, "there was none of %s", text);
        copy.run();
    }

    @Override
    public String toString() {
        return text;
    }
}
