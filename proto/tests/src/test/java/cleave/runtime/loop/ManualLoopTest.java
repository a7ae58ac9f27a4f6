package cleave.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Invariant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ManualLoopTest {
    private final ManualLoop loop = new ManualLoop();
    private final List<String> ran = new ArrayList<>();

    @Test
    void timersRunInOrderOfTimeThenOfSetting() {
        loop.schedule(20, () -> ran.add("c"));
        loop.schedule(10, () -> ran.add("a"));
        loop.schedule(10, () -> ran.add("b"));
        loop.schedule(30, () -> ran.add("d"));
        loop.advance(20);
        assertThat(ran).containsExactly("a", "b", "c");
        assertThat(loop.timers()).isEqualTo(1);
    }

    @Test
    void eventsThatAnEventSubmitsRunAfterIt() {
        loop.run(() -> {
            loop.submit(() -> ran.add("later"));
            ran.add("now");
        });
        assertThat(ran).containsExactly("now", "later");
    }

    @Test
    void cancelledTimersDoNotRun() {
        loop.schedule(10, () -> ran.add("never")).cancel();
        loop.advance(100);
        assertThat(ran).isEmpty();
    }

    @Test
    void bothClocksPassTogether() {
        long nanos = loop.nanos();
        long ticks = loop.ticks();
        loop.advanceMillis(5);
        assertThat(loop.nanos() - nanos).isEqualTo(5_000_000);
        assertThat(loop.ticks() - ticks).isEqualTo(50_000);
    }

    @Test
    void outsideIsOutside() {
        assertThatThrownBy(loop::assertInside).isInstanceOf(Invariant.Violation.class);
        loop.run(loop::assertInside);
    }
}
