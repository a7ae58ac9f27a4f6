package cleave.chaos.load.workload;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The numbers of the items that all clients of a run share: which exist, and which comes next. Thread-safe. An inserted item is read only when
 * all inserts with smaller numbers have ended, as in YCSB.
 */
public final class Items {
    private final AtomicLong next;
    private final AtomicLong ended;
    private final AtomicLong writes;
    private final Set<Long> endedBeyond = ConcurrentHashMap.newKeySet();
    private final Set<Long> missing = ConcurrentHashMap.newKeySet();

    /** @param loaded the number of items that exist */
    public Items(long loaded) {
        this.next = new AtomicLong(loaded);
        this.ended = new AtomicLong(loaded);
        this.writes = new AtomicLong(loaded);
    }

    /** The number of an item to insert. */
    long insert() {
        return next.getAndIncrement();
    }

    /** A number that no other write of this run has; those of loaded items are smaller. */
    long write() {
        return writes.getAndIncrement();
    }

    /** Notes the end of an insert. */
    public void inserted(long item, boolean exists) {
        if (!exists) {
            missing.add(item);
        }
        endedBeyond.add(item);
        // Only the thread that removes a number steps over it.
        while (endedBeyond.remove(ended.get())) {
            ended.incrementAndGet();
        }
    }

    /** True if the insert of this item failed, so that it may not be found. */
    public boolean mayBeMissing(long item) {
        return missing.contains(item);
    }

    /** The number of items that may be read. */
    long count() {
        return ended.get();
    }
}
