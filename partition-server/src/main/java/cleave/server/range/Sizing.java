package cleave.server.range;

import cleave.runtime.loop.EventLoop;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.state.StoredSize;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the size of a range from time to time, concurrently with requests. Confined to the range's loop.
 *
 * <p>A measurement that meets damage in a local file closes the range, as a request does. After one that fails otherwise the last one stays.
 */
final class Sizing {
    private static final Logger LOG = LoggerFactory.getLogger(Sizing.class);
    private static final long PERIOD_NANOS = 2_000_000_000L;

    private final EventLoop loop;
    private final RangeStore store;
    private final StoreFailures failures;
    private @Nullable StoredSize known;
    private @Nullable Long askedNanos;
    private boolean asking;
    private boolean hasFailed;

    Sizing(EventLoop loop, RangeStore store, StoreFailures failures) {
        this.loop = loop;
        this.store = store;
        this.failures = failures;
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
            loop.whenDone(store.size(), this::told);
        } catch (StoreException medium) {
            told(null, medium);
        }
    }

    private void told(@Nullable StoredSize size, @Nullable Throwable failure) {
        asking = false;
        if (size != null) {
            known = size;
            hasFailed = false;
        } else if (failure instanceof StoreException why && why.kind() == StoreException.Kind.LOCAL_DAMAGE) {
            failures.failed(why);
        } else if (!hasFailed) {
            hasFailed = true;
            LOG.warn("the size of a store cannot be measured, the last one stays", failure);
        }
    }
}
