package cleave.deploy.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class ThreadDumpTest {
    @Test
    void itSaysWhoWaitsForWhomAndWhatEachHasUsed() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Thread holder = new Thread(() -> hold(lock, held, over), "the holder");
        Thread waiter = new Thread(() -> hold(lock, new CountDownLatch(1), over), "the waiter");
        holder.start();
        try {
            held.await();
            waiter.start();
            while (!lock.hasQueuedThread(waiter)) {
                Thread.onSpinWait();
            }

            String dump = ThreadDump.take();

            assertThat(dump.lines().filter(line -> line.startsWith("\"the waiter\"")))
                    .singleElement()
                    .asString()
                    .matches("\"the waiter\" #\\d+ cpu=\\d+\\.\\d\\ds \\d+% WAITING waits for .*ReentrantLock.*"
                            + ", held by \"the holder\" #" + holder.getId());
            assertThat(dump).contains("ThreadDumpTest.hold(").contains("- holds java.lang.Object@");
        } finally {
            over.countDown();
            holder.join();
            waiter.join();
        }
    }

    private static void hold(ReentrantLock lock, CountDownLatch held, CountDownLatch over) {
        Object monitor = new Object();
        lock.lock();
        try {
            synchronized (monitor) {
                held.countDown();
                over.await();
            }
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        } finally {
            lock.unlock();
        }
    }
}
