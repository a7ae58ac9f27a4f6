package cleave.frontend.routing;

import cleave.runtime.loop.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cache of recent reads with an expiry time and least-recently-used eviction. Confined to its loop. */
public final class RecentReads<K, V> {
    private final Clock clock;
    private final long trustNanos;
    private final Map<K, Remembered<V>> remembered;

    /**
     * @param trustNanos how long an entry is valid
     * @param max entries kept
     */
    public RecentReads(Clock clock, long trustNanos, int max) {
        this.clock = clock;
        this.trustNanos = trustNanos;
        this.remembered = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, Remembered<V>> eldest) {
                return size() > max;
            }
        };
    }

    /** Immutable. */
    private record Remembered<V>(V value, long untilNanos) {}

    public void remember(K key, V value) {
        remembered.put(key, new Remembered<>(value, clock.nanos() + trustNanos));
    }

    /** Null if it is evicted or expired. */
    @Nullable
    public V recall(K key) {
        Remembered<V> entry = remembered.get(key);
        return entry != null && clock.nanos() - entry.untilNanos() < 0 ? entry.value() : null;
    }

    /** Even if it has expired; null if it is evicted. */
    @Nullable
    public V recallOld(K key) {
        Remembered<V> entry = remembered.get(key);
        return entry == null ? null : entry.value();
    }

    public void forget(K key) {
        remembered.remove(key);
    }
}
