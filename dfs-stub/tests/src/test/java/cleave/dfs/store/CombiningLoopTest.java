package cleave.dfs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.loop.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class CombiningLoopTest {
    private final AtomicReference<Throwable> fault = new AtomicReference<>();
    private final CombiningLoop loop = new CombiningLoop("timers", fault::set);

    @Test
    void anEventRunsAtOnceOnTheThreadThatSubmitsIt() {
        List<String> ran = new ArrayList<>();
        loop.submit(() -> {
            loop.submit(() -> ran.add("after"));
            loop.assertInside();
            ran.add(Thread.currentThread().getName());
        });

        assertThat(ran).containsExactly(Thread.currentThread().getName(), "after");
        assertThatThrownBy(loop::assertInside).hasMessageContaining("outside");
    }

    @Test
    void eventsOfManyThreadsRunOneAfterTheOtherInTheOrderOfEach() throws InterruptedException {
        int threads = 4;
        int events = 20_000;
        int[][] seen = new int[threads][1];
        int[] total = {0};
        CountDownLatch done = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            int mine = i;
            new Thread(() -> {
                        for (int n = 0; n < events; n++) {
                            int number = n;
                            loop.submit(() -> {
                                loop.assertInside();
                                assertThat(seen[mine][0]).isEqualTo(number);
                                seen[mine][0]++;
                                total[0]++;
                            });
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();
        CountDownLatch drained = new CountDownLatch(1);
        loop.submit(drained::countDown);
        drained.await();

        assertThat(fault.get()).isNull();
        assertThat(total[0]).isEqualTo(threads * events);
    }

    @Test
    void aFaultIsReportedAndTheLoopGoesOn() {
        List<String> ran = new ArrayList<>();
        loop.submit(() -> {
            throw new IllegalStateException("a bug");
        });
        loop.submit(() -> ran.add("next"));

        assertThat(fault.get()).hasMessage("a bug");
        assertThat(ran).containsExactly("next");
    }

    @Test
    void timersRunUnlessTheyAreCancelled() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        loop.submit(
                () -> { // Whether the timer is due already or not, its event cannot begin before this one ends.
                    EventLoop.Timer timer = loop.schedule(0, () -> fault.set(new AssertionError("was cancelled")));
                    timer.cancel();
                });
        loop.schedule(1_000_000, ran::countDown);

        ran.await();
        assertThat(fault.get()).isNull();
    }

    @Test
    void aClosedLoopRunsNothing() {
        List<String> ran = new ArrayList<>();
        loop.close();
        loop.submit(() -> ran.add("late"));

        assertThat(ran).isEmpty();
    }
}
