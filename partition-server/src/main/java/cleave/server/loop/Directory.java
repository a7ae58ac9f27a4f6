package cleave.server.loop;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The ranges that a server serves now, by id. Thread-safe: read by whoever brings a request, written by the membership's loop
 * alone.
 */
public final class Directory {
    private volatile TreeMap<Long, Range> ranges = new TreeMap<>();

    /** Null if this server does not serve it. */
    public @Nullable Range range(long id) {
        return ranges.get(id);
    }

    /** In order of their ids; not to be changed. */
    Iterable<Range> all() {
        return ranges.values();
    }

    int size() {
        return ranges.size();
    }

    void put(Range range) {
        TreeMap<Long, Range> changed = new TreeMap<>(ranges);
        changed.put(range.ownership().range(), range);
        ranges = changed;
    }

    void remove(Range range) {
        TreeMap<Long, Range> changed = new TreeMap<>(ranges);
        changed.remove(range.ownership().range(), range);
        ranges = changed;
    }

    void clear() {
        ranges = new TreeMap<>();
    }
}
