package cleave.server;

import cleave.runtime.loop.EventLoop;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits until a loop has run the events submitted so far. */
final class Drain {
    private static final long SECONDS_MAX = 5;

    private Drain() {}

    static void of(EventLoop loop) {
        CountDownLatch reached = new CountDownLatch(1);
        loop.submit(reached::countDown);
        try {
            if (!reached.await(SECONDS_MAX, TimeUnit.SECONDS)) {
                return; // It hangs in something; the process ends all the same.
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
