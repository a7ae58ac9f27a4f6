package cleave.runtime.loop;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Polls with a bound. The time limit of a test is none: it only interrupts, which a loop need not notice. */
public final class Await {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Await() {}

    /** Returns when the condition holds, and fails the test if it does not within two minutes. */
    public static void until(String what, Callable<Boolean> condition) {
        long began = System.nanoTime();
        while (!holds(what, condition)) {
            if (System.nanoTime() - began > PATIENCE_NANOS
                    || Thread.currentThread().isInterrupted()) {
                throw new AssertionError("never came: " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static boolean holds(String what, Callable<Boolean> condition) {
        try {
            return condition.call();
        } catch (RuntimeException failed) {
            throw failed;
        } catch (Exception failed) {
            throw new AssertionError("while waiting: " + what, failed);
        }
    }
}
