package cleave.server.range;

import cleave.model.Key;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.Busy;
import cleave.server.policy.PartitionCounts;
import cleave.server.policy.PartitionThrottle;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a range has room for a request: memory, which all ranges of the server share, places in the range, and the rate of its
 * partition. Accounts share memory and places fairly ({@link AccountShares}). The page of limits lists the bounds, and {@link Busy} names them.
 * A request is let in once, charged once in the range's loop, and leaves once; the places where it may wait in between have bounds of their own
 * ({@link RequestQueue}).
 *
 * <p>Memory and places are thread-safe; rates are confined to the range's loop.
 */
final class Admission {
    /** Memory of a request besides its own bytes. */
    private static final int OVERHEAD_BYTES = 1024;

    /** Number of buckets into which accounts are hashed. */
    private static final int BUCKETS = 256;

    private static final String OVER_RATE = "the partition exceeds its limit of entities per second";

    private final EventLoop loop;
    private final AccountShares memory;
    private final AccountShares places;
    private final PartitionThrottle throttle;

    Admission(Range.Outside outside) {
        this.loop = outside.loop();
        this.memory = outside.memory();
        this.places = new AccountShares(outside.settings().queueRequests(), BUCKETS, outside.metrics().requestsInside);
        this.throttle = new PartitionThrottle(outside.settings().partitionThrottle());
    }

    // ---- Memory and places.

    /** Lets a request in and returns null, or returns the bound that has no room for it. */
    @Nullable
    Busy admit(PendingRequest request) {
        if (!memory.admits(request.account)) {
            return Busy.MEMORY;
        }
        if (!places.admits(request.account)) {
            return Busy.REQUESTS;
        }
        enter(request);
        return null;
    }

    /** Lets a request in, whether there is room or not. */
    void enter(PendingRequest request) {
        request.admitted();
        places.take(request.account, 1);
        memory.take(request.account, request.bytes + OVERHEAD_BYTES);
    }

    /** Notes that a request that was let in is answered. */
    void leave(PendingRequest request) {
        places.give(request.account, 1);
        memory.give(request.account, request.bytes + OVERHEAD_BYTES);
    }

    /** True if an account may hold more memory. */
    boolean hasMemory(int account) {
        return memory.admits(account);
    }

    /** Counts memory that a request holds besides its own, until it is let go. */
    void hold(int account, long bytes) {
        memory.take(account, bytes);
    }

    void letGo(int account, long bytes) {
        memory.give(account, bytes);
    }

    // ---- Rates.

    /** Charges the key's partition for entities and returns null or, if it exceeds its limit, returns a message. */
    @Nullable
    String charge(Key key, int entities) {
        String excess = excess(key);
        if (excess == null) {
            throttle.pay(key, entities, loop.nanos());
        }
        return excess;
    }

    /** The message that the key's partition exceeds its limit; null if it does not. */
    @Nullable
    String excess(Key key) {
        loop.assertInside();
        return throttle.admits(key, loop.nanos()) ? null : OVER_RATE;
    }

    /** The counts for a scan to fill; null if nothing is charged. */
    @Nullable
    PartitionCounts counting() {
        return throttle.counting();
    }

    /** Charges for a scan that began at this key, and was answered. */
    void payScan(Key start, PartitionCounts examined) {
        loop.assertInside();
        throttle.payScan(start, examined, loop.nanos());
    }
}
