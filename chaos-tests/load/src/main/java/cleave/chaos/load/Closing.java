package cleave.chaos.load;

import java.util.ArrayDeque;
import java.util.Deque;

/** Closes resources in the reverse order of their start, also if a later start fails. Confined to its thread. */
public final class Closing implements AutoCloseable {
    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    public <T extends AutoCloseable> T add(T one) {
        started.push(one);
        return one;
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception failed) {
                // The others must still be closed; this one ends with the process.
            }
        }
    }
}
