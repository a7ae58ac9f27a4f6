package cleave.server.range;

import cleave.runtime.loop.EventLoop;
import cleave.server.settings.RangeSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Waiting requests in the order of their arrival; one whose deadline passes is refused. Bounded in bytes; its owner
 * bounds their number. Confined to the range's loop.
 */
final class RequestQueue<R extends PendingRequest> {
    private final EventLoop loop;
    private final RangeSettings settings;
    private final Deque<R> requests = new ArrayDeque<>();
    private final OneEvent expiry;
    private long bytes;

    RequestQueue(Range.Outside outside) {
        this.loop = outside.loop();
        this.settings = outside.settings();
        this.expiry = new OneEvent(loop, this::expire);
    }

    /** False if there is no room for it. */
    boolean add(R request) {
        loop.assertInside();
        if (bytes + request.bytes > settings.queueBytes()) {
            return false;
        }
        requests.add(request);
        bytes += request.bytes;
        return true;
    }

    int size() {
        return requests.size();
    }

    boolean isEmpty() {
        return requests.isEmpty();
    }

    /** Removes the first; null if there is none. */
    @Nullable
    R poll() {
        R first = requests.poll();
        if (first != null) {
            bytes -= first.bytes;
        }
        return first;
    }

    /** Removes all, in order. */
    List<R> takeAll() {
        loop.assertInside();
        List<R> all = new ArrayList<>(requests);
        requests.clear();
        bytes = 0;
        return all;
    }

    /** Refuses the waiting requests whose deadlines have passed. */
    void expireLater() {
        if (!requests.isEmpty()) {
            expiry.after(settings.expiryNanos());
        }
    }

    private void expire() {
        long now = loop.nanos();
        for (R request : takeAll()) {
            if (request.isLate(now)) {
                request.expired();
            } else {
                add(request);
            }
        }
        expireLater();
    }
}
