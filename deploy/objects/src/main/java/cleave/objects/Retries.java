package cleave.objects;

import cleave.deploy.terminal.Wait;
import cleave.runtime.loop.Backoff;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Repeats requests that failed in a way that may pass, with growing pauses, until its patience ends. Thread-safe.
 *
 * <p>An address at which nobody was ever reached is wrong rather than out of order: that is reported at once.
 */
final class Retries {
    private static final Backoff BACKOFF =
            new Backoff(TimeUnit.MILLISECONDS.toNanos(200), TimeUnit.SECONDS.toNanos(10));

    private final Duration patience;
    private final Random random = new Random();
    private volatile boolean isReached;

    /** @param patience from the first failure of a request on */
    Retries(Duration patience) {
        this.patience = patience;
    }

    /** One request. */
    interface Request<T> {
        T send() throws StoreFailure;
    }

    /** A request without an answer. */
    interface Order {
        void send() throws StoreFailure;
    }

    <T> T call(Request<T> request) throws StoreFailure {
        long end = 0;
        for (int failures = 1; ; failures++) {
            try {
                T answer = request.send();
                isReached = true;
                return answer;
            } catch (StoreFailure failed) {
                boolean isHopeless = failed.kind() == StoreFailure.Kind.UNREACHABLE && !isReached;
                isReached |= failed.kind() != StoreFailure.Kind.UNREACHABLE;
                if (!failed.isTransient() || isHopeless) {
                    throw failed;
                }
                long now = System.nanoTime();
                end = failures == 1 ? now + patience.toNanos() : end;
                long pause = BACKOFF.nanos(failures, random);
                if (now + pause - end > 0) {
                    throw new StoreFailure(
                            failed.kind(),
                            failed.getMessage() + " (asked " + failures + " times in " + patience.toSeconds() + " s)");
                }
                Duration wait = Duration.ofNanos(pause);
                Wait.until(() -> false, wait, wait);
            }
        }
    }

    void run(Order order) throws StoreFailure {
        call(() -> {
            order.send();
            return true;
        });
    }
}
