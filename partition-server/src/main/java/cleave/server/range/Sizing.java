package cleave.server.range;

import cleave.runtime.loop.EventLoop;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.state.StoredSize;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures the size of a range from time to time, concurrently with requests. Confined to the range's loop. */
final class Sizing {
    private static final Logger LOG = LoggerFactory.getLogger(Sizing.class);
    private static final long PERIOD_NANOS = 2_000_000_000L;

    private final EventLoop loop;
    private final RangeStore store;
    private final Range range;
    private @Nullable StoredSize known;
    private @Nullable Long askedNanos;
    private boolean asking;

    Sizing(EventLoop loop, RangeStore store, Range range) {
        this.loop = loop;
        this.store = store;
        this.range = range;
    }

    /** The last known size; null before the first. */
    @Nullable
    StoredSize known() {
        return known;
    }

    /** Called from time to time, while the store is open. */
    void ask() {
        loop.assertInside();
        long now = loop.nanos();
        if (asking || (askedNanos != null && now - askedNanos < PERIOD_NANOS)) {
            return;
        }
        asking = true;
        askedNanos = now;
        try {
            Hop.back(loop, store.size(), this::told);
        } catch (StoreException medium) {
            range.storeFailed(medium);
        }
    }

    private void told(@Nullable StoredSize size, @Nullable Throwable failure) {
        asking = false;
        if (size != null) {
            known = size;
        } else if (failure instanceof StoreException medium) {
            range.storeFailed(medium);
        } else {
            LOG.error("the size of a store is not known", failure);
        }
    }
}
