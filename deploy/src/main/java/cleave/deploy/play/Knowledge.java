package cleave.deploy.play;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one client must find in the entities that it alone writes, one write after the other. Each write has a number of its own, above those of
 * the writes before it. Confined to its client.
 *
 * <p>A write of unknown outcome takes effect at some time, or never. So its entity is not written again: either of two writes may be found there, and
 * once the unknown one was, that one alone.
 */
final class Knowledge {
    /** In place of a write: there is no entity. */
    static final long ABSENT = 0;

    private static final long NONE = -1;
    private final TreeMap<Item, State> states = new TreeMap<>();

    /**
     * @param acknowledged the last write that the client was told of
     * @param unknown a later one of unknown outcome, or {@link #NONE}
     * @param isClosed whether it is not written again
     */
    private record State(long acknowledged, long unknown, boolean isClosed) {
        static final State NEW = new State(ABSENT, NONE, false);
    }

    /** What an answer to a read is worth. */
    enum Verdict {
        RIGHT,
        /** What was acknowledged is not there, or an older state is. */
        LOST,
        /** Nobody wrote this. */
        WRONG
    }

    /** Whether it may be written: no write of it is of unknown outcome. */
    boolean isOpen(Item item) {
        return !of(item).isClosed();
    }

    void acknowledged(Item item, long write) {
        states.put(item, new State(write, NONE, false));
    }

    void unknown(Item item, long write) {
        states.put(item, new State(of(item).acknowledged(), write, true));
    }

    /** @param found the number of the write that was found; {@link #ABSENT} if there is no entity, below that if no client wrote it */
    Verdict read(Item item, long found) {
        State state = of(item);
        if (found < ABSENT) {
            return Verdict.WRONG;
        }
        if (found == state.unknown()) {
            states.put(item, new State(found, NONE, true));
            return Verdict.RIGHT;
        }
        if (found == state.acknowledged()) {
            return Verdict.RIGHT;
        }
        return found < state.acknowledged() ? Verdict.LOST : Verdict.WRONG;
    }

    /** What must be found, for people. */
    String expected(Item item) {
        State state = of(item);
        return text(state.acknowledged()) + (state.unknown() == NONE ? "" : " or " + text(state.unknown()));
    }

    static String text(long write) {
        return write == ABSENT ? "absent" : "write " + write;
    }

    /** Nothing is asked of it any more. */
    void forget(Item item) {
        states.remove(item);
    }

    /** The entities with partitions from the first on and before the second; a view. */
    SortedMap<Item, State> between(String from, String to) {
        return states.subMap(new Item(from, ""), new Item(to, ""));
    }

    private State of(Item item) {
        return states.getOrDefault(item, State.NEW);
    }
}
