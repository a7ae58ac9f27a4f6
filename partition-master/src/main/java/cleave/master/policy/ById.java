package cleave.master.policy;

import io.netty.util.collection.LongObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Values by the ids of ranges, of which there may be a million: a map of boxed ids takes thrice as much. In no order, so only for lookups.
 * Not thread-safe.
 */
public final class ById<V> {
    private final LongObjectHashMap<V> values = new LongObjectHashMap<>();

    /** Another number for each id: by themselves they differ in bits that a hash table of many ranges does not look at. */
    private static long spread(long id) {
        return id * 0x9E3779B97F4A7C15L;
    }

    public @Nullable V get(long id) {
        return values.get(spread(id));
    }

    /** Gives the value that was there before. */
    public @Nullable V put(long id, V value) {
        return values.put(spread(id), value);
    }

    /** Gives the value that was there. */
    public @Nullable V remove(long id) {
        return values.remove(spread(id));
    }

    public int size() {
        return values.size();
    }

    public void clear() {
        values.clear();
    }
}
