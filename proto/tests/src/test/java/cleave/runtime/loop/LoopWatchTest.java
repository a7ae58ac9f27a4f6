package cleave.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoopWatchTest {
    private final Queue<Runnable> given = new ArrayDeque<>();
    private long now;
    private final LoopWatch watch = new LoopWatch(
            Map.of("ranges-0", given::add, "ranges-1", Runnable::run), TimeUnit.SECONDS.toNanos(30), () -> now);

    private void after(long seconds) {
        now += TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void aLoopThatRunsNothingIsStuckUntilItDoes() {
        assertThat(watch.stuck()).isEmpty();
        after(30);
        assertThat(watch.stuck()).isEmpty();
        after(1);
        assertThat(watch.stuck()).containsExactly("ranges-0 has run nothing for 31 s");
        assertThat(given).hasSize(1);
        given.remove().run();
        assertThat(watch.stuck()).isEmpty();
    }

    @Test
    void howLongALoopIsSilentIsKnownBeforeItIsStuck() {
        assertThat(watch.silences()).containsOnly(Map.entry("ranges-0", 0L), Map.entry("ranges-1", 0L));
        after(7);
        assertThat(watch.silences()).containsEntry("ranges-0", TimeUnit.SECONDS.toNanos(7));
        assertThat(watch.silences()).containsEntry("ranges-1", 0L);
        given.remove().run();
        assertThat(watch.silences()).containsEntry("ranges-0", 0L);
    }

    @Test
    void whatWasNotLookedAtForLongIsNotStuckForThat() {
        assertThat(watch.stuck()).isEmpty();
        given.remove().run();
        after(3_600);
        assertThat(watch.stuck()).isEmpty();
    }
}
