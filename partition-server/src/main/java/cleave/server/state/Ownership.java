package cleave.server.state;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.wire.Route;

/**
 * The range, epoch and keys that a request must agree with before a range looks at it. Immutable.
 *
 * <p>It is judged before any queue, so that a busy server that lost the range answers at once. That the range is owned is only
 * claimed here; the commit log proves it, by the append or barrier that follows.
 *
 * @param range id of the range
 * @param epoch under which it is served here
 * @param interval the keys it holds
 */
public record Ownership(long range, long epoch, KeyRange interval) {
    /** True if a request that was sent this way means this range under this epoch. */
    public boolean agreesWith(Route route) {
        return route.getRange() == range && route.getEpoch() == epoch;
    }

    public boolean holds(Key key) {
        return interval.contains(key);
    }
}
