package cleave.server.policy;

import cleave.model.Key;
import cleave.model.Throttle;
import cleave.model.table.Registry;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps each partition of one range below a limit of entities per second. Confined to the range's loop. The owner of a
 * range owns whole partitions (invariant I5), so these counts are complete; a new owner begins with full buckets.
 *
 * <p>A write costs its operations, executed or refused; a read costs one entity, found or not. A scan costs the entities that it examines,
 * each charged to its partition, and at least one charged to the partition in which it begins. A scan is admitted by the partition in which
 * it begins, and charged when it has ended. The registry of tables is free, because clients do not access it by choice.
 *
 * <p>Only partitions with requests in about the last second are remembered, and at most a bounded number of the latest;
 * a partition busy enough to be throttled is always among them.
 */
public final class PartitionThrottle {
    private static final int REMEMBERED_MAX = 16_384;

    private final Throttle limit;
    /** By {@link Key#partition}, least recently used first. */
    private final Map<Key, Long> paidUntilNanos = new LinkedHashMap<>();

    public PartitionThrottle(Throttle limit) {
        this.limit = limit;
    }

    /** True if a request that begins at this key may be executed. */
    public boolean admits(Key at, long nowNanos) {
        if (limit.isOff() || at.table() == Registry.TABLE) {
            return true;
        }
        Long paidUntil = paidUntilNanos.get(at.partition());
        return paidUntil == null || limit.admits(paidUntil, nowNanos);
    }

    /** A request costs the partition of this key this number of entities. */
    public void pay(Key at, int entities, long nowNanos) {
        if (limit.isOff() || at.table() == Registry.TABLE) {
            return;
        }
        Key partition = at.partition();
        Long before = paidUntilNanos.remove(partition);
        paidUntilNanos.put(partition, limit.paid(before == null ? nowNanos : before, nowNanos, entities));
        forget(nowNanos);
    }

    /** The counts for a scan to fill; null if nothing is charged. */
    public @Nullable PartitionCounts counting() {
        return limit.isOff() ? null : new PartitionCounts();
    }

    /** A scan that began at this key was answered. */
    public void payScan(Key start, PartitionCounts examined, long nowNanos) {
        List<PartitionCounts.Count> counts = examined.counts();
        if (counts.isEmpty()) {
            pay(start, 1, nowNanos);
        }
        for (PartitionCounts.Count count : counts) {
            pay(count.at(), count.entities(), nowNanos);
        }
    }

    /** Forgets the least recently used partitions as long as their buckets are full again, or too many are remembered. */
    private void forget(long nowNanos) {
        Iterator<Long> longestAgo = paidUntilNanos.values().iterator();
        while (longestAgo.hasNext()
                && (limit.isFull(longestAgo.next(), nowNanos) || paidUntilNanos.size() > REMEMBERED_MAX)) {
            longestAgo.remove();
        }
    }

    /** Partitions that are remembered now. */
    int remembered() {
        return paidUntilNanos.size();
    }
}
