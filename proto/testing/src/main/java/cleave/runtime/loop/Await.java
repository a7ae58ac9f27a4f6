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
        until(() -> what, condition);
    }

    /** The same, with what a test asks for in the end, to say it. */
    public static void until(Callable<String> what, Callable<Boolean> condition) {
        long began = System.nanoTime();
        while (!asked(condition)) {
            if (System.nanoTime() - began > PATIENCE_NANOS
                    || Thread.currentThread().isInterrupted()) {
                throw new AssertionError("never came: " + asked(what));
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static <T> T asked(Callable<T> question) {
        try {
            return question.call();
        } catch (RuntimeException failed) {
            throw failed;
        } catch (Exception failed) {
            throw new AssertionError("while waiting", failed);
        }
    }
}
