package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.server.outside.Readers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread, and a clock that only scans move. */
@Timeout(300)
class ReaderPoolTest {
    private static final int HEAVY = 1;
    private static final int LIGHT = 2;
    private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final AtomicLong clock = new AtomicLong();
    /** The time waited for a processor. */
    private final AtomicLong waited = new AtomicLong();

    private final ReaderPool readers = new ReaderPool(1, clock::get, () -> waited::get);
    private final AtomicInteger heavyTurns = new AtomicInteger();
    private final AtomicInteger heavySteps = new AtomicInteger();

    @AfterEach
    void close() {
        readers.close();
    }

    /** A scan of a number of steps, which pauses on request. */
    private Readers.Scan<Integer> heavy(int steps) {
        AtomicInteger left = new AtomicInteger(steps);
        return turn -> {
            heavyTurns.incrementAndGet();
            while (left.decrementAndGet() > 0) {
                heavySteps.incrementAndGet();
                if (turn.isOver(clock.addAndGet(STEP_NANOS))) {
                    return null;
                }
            }
            return steps;
        };
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException hurried) {
            throw new AssertionError(hurried);
        }
    }

    private static <T> T get(@Nullable CompletableFuture<T> scan) throws InterruptedException, ExecutionException {
        return Objects.requireNonNull(scan).get();
    }

    /** A turn that has begun waits for the test; so does each that begins in its wrong place, and then the test never ends. */
    @Test
    void aLightAccountWaitsForTheTurnThatIsUnderWayHoweverManyScansOfAnotherWait() throws Exception {
        Semaphore begun = new Semaphore(0);
        Semaphore mayEnd = new Semaphore(0);
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Readers.Scan<Integer> heavy = heavy(1_000);
            all.add(readers.submit(HEAVY, turn -> {
                begun.release();
                mayEnd.acquireUninterruptibly();
                return heavy.go(turn);
            }));
        }
        for (int i = 0; i < 100; i++) {
            begun.acquire();
            int turns = heavyTurns.get();
            CompletableFuture<Integer> light = readers.submit(LIGHT, turn -> heavyTurns.get());
            mayEnd.release();
            assertThat(get(light)).isEqualTo(turns + 1);
        }
        mayEnd.release(1_000_000);
        for (CompletableFuture<Integer> scan : all) {
            get(scan);
        }
        assertThat(heavySteps.get()).isEqualTo(500 * 999);
    }

    @Test
    void aScanThatFindsTooManyWaitingIsRefusedAndTheOthersAreDone() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CompletableFuture<Integer> first = readers.submit(5_000, turn -> {
            begun.countDown();
            await(go);
            return 0;
        });
        begun.await();
        List<CompletableFuture<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < ReaderPool.WAITING_MAX; i++) {
            int number = i;
            waiting.add(Objects.requireNonNull(readers.submit(i + 1, turn -> number)));
        }

        assertThat(readers.<Integer>submit(4_000, turn -> 0)).isNull();
        go.countDown();
        for (int i = 0; i < waiting.size(); i++) {
            assertThat(waiting.get(i).get()).isEqualTo(i);
        }
        assertThat(get(first)).isZero();
    }

    /** Two accounts always have work; another process preempts one of them in each of its turns. */
    @Test
    void anAccountDoesNotPayForTheTimeThatOtherProcessesTook() throws Exception {
        int preempted = lightTurnsAmongTheFirst50(() -> {
            clock.addAndGet(101 * STEP_NANOS);
            waited.addAndGet(100 * STEP_NANOS);
        });
        assertThat(preempted).isBetween(24, 26);
    }

    @Test
    void theDiskAndTheProcessorArePaidFor() throws Exception {
        assertThat(lightTurnsAmongTheFirst50(() -> clock.addAndGet(4 * STEP_NANOS)))
                .isBetween(9, 11);
    }

    /** 50 scans of each account wait for one thread; a heavy one takes a step of processor time, a light one does as given. */
    private int lightTurnsAmongTheFirst50(Runnable light) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CompletableFuture<Integer> first = readers.submit(3, turn -> {
            await(go);
            return 0;
        });
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(readers.submit(HEAVY, turn -> {
                order.add(HEAVY);
                clock.addAndGet(STEP_NANOS);
                return 0;
            }));
            all.add(readers.submit(LIGHT, turn -> {
                order.add(LIGHT);
                light.run();
                return 0;
            }));
        }
        go.countDown();
        get(first);
        for (CompletableFuture<Integer> scan : all) {
            get(scan);
        }
        return Collections.frequency(order.subList(0, 50), LIGHT);
    }

    @Test
    void aScanThatIsAloneIsNotInterrupted() throws Exception {
        assertThat(get(readers.submit(HEAVY, heavy(100_000)))).isEqualTo(100_000);
        assertThat(heavyTurns.get()).isEqualTo(1);
    }

    @Test
    void whatAScanThrowsIsItsEndAndNobodyElses() throws Exception {
        CompletableFuture<Integer> broken = readers.submit(HEAVY, turn -> {
            throw new IllegalStateException("broken");
        });
        assertThatThrownBy(() -> get(broken)).hasRootCauseMessage("broken");
        assertThat(get(readers.submit(HEAVY, heavy(2)))).isEqualTo(2);
    }

    @Test
    void whatIsTooMuchIsRefused() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        int taken = 0;
        @Nullable CompletableFuture<Integer> last = null;
        @Nullable
        CompletableFuture<Integer> next = readers.submit(HEAVY, turn -> {
            await(go);
            return 1;
        });
        while (next != null) {
            taken++;
            last = next;
            next = readers.submit(HEAVY, turn -> 1); // Null when it is refused.
        }
        assertThat(taken).isBetween(800, 900);
        assertThat(readers.submit(LIGHT, turn -> 2)).isNotNull();
        go.countDown();
        assertThat(get(last)).isEqualTo(1);
    }
}
