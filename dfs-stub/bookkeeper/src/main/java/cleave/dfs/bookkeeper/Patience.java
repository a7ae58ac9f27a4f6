package cleave.dfs.bookkeeper;

import cleave.runtime.loop.Backoff;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.zookeeper.RetryPolicy;

/**
 * Repeats requests that ZooKeeper did not answer after short pauses, so that the answer comes soon after its return. BookKeeper's own
 * policy first waits for the time of a session, when ZooKeeper may be back for long. Immutable.
 *
 * @param elapsedMillisMax after which it is given up
 */
record Patience(long elapsedMillisMax) implements RetryPolicy {
    /** For requests that their callers repeat themselves. */
    static final Patience NONE = new Patience(0);

    private static final Backoff PAUSES = new Backoff(20_000_000, 500_000_000);

    @Override
    public boolean allowRetry(int retries, long elapsedMillis) {
        return elapsedMillis < elapsedMillisMax;
    }

    @Override
    public long nextRetryWaitTime(int retries, long elapsedMillis) {
        return TimeUnit.NANOSECONDS.toMillis(PAUSES.nanos(retries + 1));
    }
}
