package cleave.deploy.terminal;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waiting in a command for something outside of the process to come true: asks again and again, up to a deadline. */
public final class Wait {
    private Wait() {}

    /** True as soon as the condition holds; false if it did not within the time. An exception of the condition ends the wait. */
    public static boolean until(BooleanSupplier condition, Duration atMost, Duration every) {
        long deadline = System.nanoTime() + atMost.toNanos();
        CountDownLatch never = new CountDownLatch(1);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            try {
                never.await(every.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting", interrupted);
            }
        }
        return true;
    }
}
