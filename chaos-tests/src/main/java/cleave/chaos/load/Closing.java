package cleave.chaos.load;

import java.util.ArrayDeque;
import java.util.Deque;

/** Closes what was started, the last first, also when a start fails midway. Confined to its thread. */
final class Closing implements AutoCloseable {
    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T one) {
        started.push(one);
        return one;
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception failed) {
                // The others are still to be closed; this one ends with the process.
            }
        }
    }
}
