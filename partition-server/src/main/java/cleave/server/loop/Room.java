package cleave.server.loop;

import cleave.server.metrics.ServerMetrics;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes a server holds for its callers, over all ranges: requests that were let in and have no answer, what was read for
 * them, and answers that their receiver has not taken. While there is too much, no request is let in. Thread-safe.
 *
 * <p>Whoever takes gives back the same, once.
 */
public final class Room {
    /** What a request takes besides its own bytes, and an answer. */
    static final int OVERHEAD_BYTES = 1024;

    private final long bytesMax;
    private final ServerMetrics metrics;
    private final AtomicLong taken = new AtomicLong();

    public Room(long bytesMax, ServerMetrics metrics) {
        this.bytesMax = bytesMax;
        this.metrics = metrics;
    }

    boolean isFull() {
        return taken.get() >= bytesMax;
    }

    public void take(long bytes) {
        taken.addAndGet(bytes);
        metrics.bytesHeld.inc((double) bytes);
    }

    public void give(long bytes) {
        taken.addAndGet(-bytes);
        metrics.bytesHeld.dec((double) bytes);
    }
}
