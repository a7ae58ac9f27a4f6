package cleave.server.policy;

import cleave.model.Key;
import cleave.wire.RangeLoad;
import org.jspecify.annotations.Nullable;

/**
 * Measures the share of inserts beyond all earlier keys, or below all of them: the sign of a load that runs ahead of
 * any split. Confined to the range's loop.
 *
 * <p>"Before" is before the current window of a second: writers side by side overtake each other within it.
 */
final class MovingEnd {
    private static final long WINDOW_NANOS = 1_000_000_000L;
    private static final long HALF_LIFE_NANOS = 4_000_000_000L;

    private final DecayingRate inserts = new DecayingRate(HALF_LIFE_NANOS);
    private final DecayingRate behind = new DecayingRate(HALF_LIFE_NANOS);
    private final DecayingRate below = new DecayingRate(HALF_LIFE_NANOS);
    private long windowNanos;
    private @Nullable Key last;
    private @Nullable Key first;
    private @Nullable Key newLast;
    private @Nullable Key newFirst;
    private int insertsNow;
    private int behindNow;
    private int belowNow;

    MovingEnd(long nowNanos) {
        this.windowNanos = nowNanos;
    }

    void inserted(Key key) {
        Key least = first;
        Key greatest = last;
        if (least != null && greatest != null) {
            insertsNow++;
            behindNow += key.compareTo(greatest) > 0 ? 1 : 0;
            belowNow += key.compareTo(least) < 0 ? 1 : 0;
        }
        newLast = newLast == null || key.compareTo(newLast) > 0 ? key : newLast;
        newFirst = newFirst == null || key.compareTo(newFirst) < 0 ? key : newFirst;
    }

    /** Ends windows. Call it now and then. */
    void age(long nowNanos) {
        long elapsed = nowNanos - windowNanos;
        if (elapsed < WINDOW_NANOS) {
            return;
        }
        inserts.count(insertsNow, elapsed);
        behind.count(behindNow, elapsed);
        below.count(belowNow, elapsed);
        insertsNow = 0;
        behindNow = 0;
        belowNow = 0;
        windowNanos = nowNanos;
        last = newLast;
        first = newFirst;
    }

    void tell(RangeLoad.Builder load) {
        Key least = first;
        Key greatest = last;
        if (inserts.perSecond() > 0 && least != null && greatest != null) {
            load.setInsertedBehind(behind.perSecond() / inserts.perSecond())
                    .setInsertedBefore(below.perSecond() / inserts.perSecond())
                    .setFirstPartition(least.partition().toWire())
                    .setLastPartition(greatest.partition().toWire());
        }
    }
}
