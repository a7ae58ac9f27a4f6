package cleave.chaos.sim.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimProcessTest {
    private static final long SECOND = 1_000_000_000L;

    private final World world = new World(1, null);
    private final NodeClock clock = new NodeClock(world.scheduler(), 0);
    private final SimProcess process = new SimProcess(world, "n", clock);
    private final List<Integer> ran = new ArrayList<>();

    @Test
    void eventsOfAPauseRunInOrderAfterIt() {
        process.pause(SECOND);
        for (int i = 0; i < 20; i++) {
            int number = i;
            process.deliver(i * 70_000_000L, () -> ran.add(number));
        }

        world.runUntil(SECOND - 1, () -> false);
        assertThat(ran).isEmpty();

        world.runUntil(2 * SECOND, () -> false);
        assertThat(ran).hasSize(20).isSorted();
    }

    @Test
    void aProcessEndsInsteadOfAnEvent() {
        process.endsAfter(3, process::kill);
        for (int i = 0; i < 5; i++) {
            int number = i;
            process.deliver(i, () -> ran.add(number));
        }

        world.runUntil(SECOND, () -> false);

        assertThat(ran).containsExactly(0, 1);
    }

    @Test
    void aClockThatDriftsAndIsRepairedNeverGoesBackAndIsRightAgain() {
        clock.drift(0.2);
        world.runUntil(10 * SECOND, () -> false);
        long drifted = clock.nanos();
        long right = new NodeClock(world.scheduler(), 0).ticks();
        assertThat(clock.ticks() - right).isEqualTo(2 * SECOND / 100);

        clock.repair();

        assertThat(clock.nanos()).isEqualTo(drifted);
        assertThat(clock.ticks()).isEqualTo(right);
    }
}
