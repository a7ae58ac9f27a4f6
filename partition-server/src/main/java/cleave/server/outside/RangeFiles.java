package cleave.server.outside;

import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Names of the files that one incarnation makes for one range under one epoch: {@code ranges/17.0/42-s1.9-log-3}. Thread-safe.
 *
 * <p>Invariant I9: a name begins with the range and epoch for which the file was created, and with the incarnation that created it. No
 * name is used twice, because the number at its end comes from a counter of the process. So the name alone shows whether its epoch has
 * ended, and only its creator deletes it before.
 */
public final class RangeFiles {
    private final String prefix;
    private final AtomicLong counter;

    /** The counter is the same for all ranges of a process. */
    public RangeFiles(long range, long epoch, Incarnation maker, AtomicLong counter) {
        this.prefix = "ranges/" + Row.idText(range) + "/" + epoch + "-" + maker + "-";
        this.counter = counter;
    }

    public String next(String kind) {
        return prefix + kind + "-" + counter.incrementAndGet();
    }

    /** True if this incarnation made the file, for this range, under this epoch. */
    public boolean made(String path) {
        return path.startsWith(prefix);
    }
}
