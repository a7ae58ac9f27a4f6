package cleave.board.sight;

import cleave.runtime.loop.Backoff;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * When to ask the leader for the names of tables, for which it reads the registry. A board asks if a table has no name, at growing intervals while
 * some names stay unknown; otherwise every ten minutes. Confined to its owner.
 */
public final class NamesDue {
    private static final Backoff WAITS = new Backoff(TimeUnit.SECONDS.toNanos(2), TimeUnit.MINUTES.toNanos(10));

    private final SortedSet<Long> unnamed = new TreeSet<>();
    private int asked;
    private long last;

    /** @param now in milliseconds, as in all of these */
    public boolean isDue(long now) {
        long wait = unnamed.isEmpty() && asked > 0 ? WAITS.longestNanos() : WAITS.nanos(asked);
        return now - last >= TimeUnit.NANOSECONDS.toMillis(wait);
    }

    public void asked(long now) {
        asked++;
        last = now;
    }

    /** What was shown has these tables without names. */
    public void see(SortedSet<Long> without) {
        if (!unnamed.containsAll(without)) {
            asked = Math.min(asked, 1);
        }
        unnamed.clear();
        unnamed.addAll(without);
    }
}
