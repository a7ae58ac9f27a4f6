package cleave.chaos.process;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for what must become true, and never longer than it was told to. Immutable. */
public record Patience(Duration limit) {
    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    public static Patience ofSeconds(long seconds) {
        return new Patience(Duration.ofSeconds(seconds));
    }

    /** Asks again and again; an exception counts as not yet. */
    public void until(String what, Callable<Boolean> condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            String last;
            try {
                if (condition.call()) {
                    return;
                }
                last = "it is not so";
            } catch (Exception notYet) {
                last = notYet.toString();
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "waited " + limit.toSeconds() + " s in vain until " + what + ": " + last);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted while waiting until " + what);
            }
        }
    }
}
