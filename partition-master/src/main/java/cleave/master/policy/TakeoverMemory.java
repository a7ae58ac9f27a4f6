package cleave.master.policy;

import cleave.model.Incarnation;
import java.util.SortedSet;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * A leader's memory of its orders to open ranges, and of failed openings. Immutable. A new leader begins with {@link #NONE}.
 *
 * @param orders takeovers under way, by range
 * @param ordersByTaker the ranges of the same orders
 * @param orphanedSince when this leader first saw that a range has no live owner
 * @param failures of openings, by range
 * @param storeFailures of ranges at their live owners, by range
 */
public record TakeoverMemory(
        TreePMap<Long, Order> orders,
        TreePMap<Incarnation, TreePSet<Long>> ordersByTaker,
        TreePMap<Long, Long> orphanedSince,
        TreePMap<Long, Failure> failures,
        TreePMap<Long, StoreFailure> storeFailures) {
    public static final TakeoverMemory NONE = new TakeoverMemory(
            TreePMap.empty(), TreePMap.empty(), TreePMap.empty(), TreePMap.empty(), TreePMap.empty());

    /** A takeover ordered from a server at some time, for a version of the row. */
    public record Order(long version, Incarnation taker, long since) {}

    /** How often in a row opening a range failed, where it failed last, why, and until when the range rests. */
    public record Failure(int count, Incarnation at, String reason, long until) {
        boolean rests(long now) {
            return now < until;
        }
    }

    /**
     * How often a range's store failed at a version of its row, when it failed last, and until when the range is being
     * given away.
     */
    public record StoreFailure(long version, int count, long last, long until) {
        StoreFailure givenAway(long untilThen) {
            return new StoreFailure(version, count, last, untilThen);
        }
    }

    /** The ranges that a server has orders to take over. */
    public SortedSet<Long> orderedFrom(Incarnation taker) {
        return ordersByTaker.getOrDefault(taker, TreePSet.empty());
    }

    /** True while a range rests after a failure. */
    public boolean rests(long range, long now) {
        Failure failure = failures.get(range);
        return failure != null && failure.rests(now);
    }

    /** A range got an owner. */
    public TakeoverMemory takenOver(long range) {
        return new TakeoverMemory(orders, ordersByTaker, orphanedSince.minus(range), failures, storeFailures);
    }
}
