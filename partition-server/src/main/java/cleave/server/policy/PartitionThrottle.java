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
 * Keeps each partition of one range below a limit of entities a second. Confined to the range's loop. The owner of a range owns its
 * partitions whole (invariant I5), so what is counted here is all that there is; a new owner begins with full buckets.
 *
 * <p>A write costs its operations, done or refused; a read one entity, found or not; a scan what it examines, returned or not, to each
 * partition what lies there, and at least one to the partition it begins in. A scan is admitted by the partition it begins in, and
 * pays when it has ended. The registry of tables is free: what is asked of it is not the client's doing.
 *
 * <p>Only partitions that were asked in the last second or so are remembered, and of very many those that were asked last: one that
 * is asked so often as to be throttled is among them.
 */
public final class PartitionThrottle {
    private static final int REMEMBERED_MAX = 16_384;

    private final Throttle limit;
    /** By {@link Key#partition}, those asked longest ago first. */
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

    /** What a scan is to count; null if nobody pays. */
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

    /** What is full again, as far as it stands first; and what is too much. */
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
