package cleave.chaos.sim;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.bugs.Bug;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShrinkTest {
    private static final Bug BUG = Bug.REPLAY_PAST_THE_SEAL;
    /** One that shows the bug early, with some dozens of faults. */
    private static final long SEED = 1;

    private static final int RUNS_MAX = 12;

    private static Shrink.Result shrunk(List<String> progress) {
        Simulation.Options options = new Simulation.Options(BUG, null);
        return new Shrink(SEED, options, RUNS_MAX, progress::add).run();
    }

    @Test
    void aFailingSeedKeepsAHandfulOfFaultsAndFailsEachTime() {
        List<String> progress = new ArrayList<>();
        Shrink.Result result = shrunk(progress);

        Schedule least = result.run().schedule();
        assertThat(least.faults().size()).isBetween(1, 5);
        assertThat(result.before().faults()).hasSizeGreaterThan(30);
        assertThat(least.untilNanos()).isLessThanOrEqualTo(result.before().untilNanos());
        assertThat(result.runs()).isGreaterThanOrEqualTo(RUNS_MAX).isLessThan(RUNS_MAX + 10);
        assertThat(result.isLeast()).isFalse();

        Simulation.Report again = Simulation.run(SEED, new Simulation.Options(BUG, null).with(least), null);
        assertThat(again.violations())
                .isEqualTo(result.run().report().violations())
                .isNotEmpty();
        Simulation.Report right = Simulation.run(SEED, new Simulation.Options(Bug.NONE, null).with(least), null);
        assertThat(right.isRight()).isTrue();

        List<String> progressAgain = new ArrayList<>();
        assertThat(shrunk(progressAgain)).isEqualTo(result);
        assertThat(progressAgain).hasSizeGreaterThan(2).isEqualTo(progress);
    }

    @Test
    void aRightSeedStaysAsItIs() {
        Shrink.Result result = new Shrink(5, Simulation.Options.DEFAULT, 10, line -> {}).run();

        assertThat(result.isWrong()).isFalse();
        assertThat(result.runs()).isEqualTo(1);
    }
}
