package cleave.dfs.state;

import cleave.model.Invariant;
import java.util.Map;
import org.pcollections.TreePMap;

/**
 * A set of ids as intervals: small as long as the ids outside it are few. Immutable.
 *
 * @param lastByFirst inclusive bounds of intervals that neither overlap nor touch
 */
public record IdIntervals(TreePMap<Long, Long> lastByFirst) {
    public static final IdIntervals EMPTY = new IdIntervals(TreePMap.empty());

    public boolean contains(long id) {
        Map.Entry<Long, Long> before = lastByFirst.floorEntry(id);
        return before != null && before.getValue() >= id;
    }

    public IdIntervals plus(long id) {
        return contains(id) ? this : plus(id, id);
    }

    /** Adds an interval that holds no id of the set. */
    public IdIntervals plus(long first, long last) {
        Invariant.check(first <= last && !contains(first) && !contains(last), "interval %s to %s", first, last);
        TreePMap<Long, Long> next = lastByFirst;
        long from = first;
        long to = last;
        Map.Entry<Long, Long> before = next.floorEntry(first);
        if (before != null && before.getValue() == first - 1) {
            from = before.getKey();
        }
        Long after = next.get(last + 1);
        if (after != null) {
            to = after;
            next = next.minus(last + 1);
        }
        return new IdIntervals(next.plus(from, to));
    }

    /** The two lowest intervals and what lies between them are one; there must be two. */
    IdIntervals withoutLowestGap() {
        Map.Entry<Long, Long> first = lastByFirst.firstEntry();
        TreePMap<Long, Long> rest = lastByFirst.minus(first.getKey());
        Map.Entry<Long, Long> second = rest.firstEntry();
        return new IdIntervals(rest.minus(second.getKey()).plus(first.getKey(), second.getValue()));
    }
}
