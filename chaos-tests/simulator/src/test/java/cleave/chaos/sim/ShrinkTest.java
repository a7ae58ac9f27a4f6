package cleave.chaos.sim;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.bugs.Bug;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShrinkTest {
    private static Shrink.Result shrunk(Bug bug, int runsMax, List<String> progress) {
        Simulation.Options options = new Simulation.Options(bug, null);
        return new Shrink(bug.seed(), options, runsMax, progress::add).run();
    }

    @Test
    void aFailingSeedKeepsAHandfulOfFaultsAndFails() {
        List<String> progress = new ArrayList<>();

        Shrink.Result result = shrunk(Bug.SEAL_SKIPPED, 120, progress);

        Schedule least = result.run().schedule();
        assertThat(least.faults().size()).isBetween(1, 12);
        assertThat(result.before().faults()).hasSizeGreaterThan(100);
        assertThat(least.untilNanos()).isLessThan(result.before().untilNanos());
        assertThat(result.runs()).isBetween(10, 130);
        assertThat(progress).hasSizeGreaterThan(3);

        Simulation.Report again = Simulation.run(1, new Simulation.Options(Bug.SEAL_SKIPPED, null).with(least), null);
        assertThat(again.violations())
                .isEqualTo(result.run().report().violations())
                .isNotEmpty();
        Simulation.Report right = Simulation.run(1, new Simulation.Options(Bug.NONE, null).with(least), null);
        assertThat(right.isRight()).isTrue();
    }

    @Test
    void theResultDependsOnTheSeedAlone() {
        List<String> first = new ArrayList<>();
        List<String> again = new ArrayList<>();

        Shrink.Result result = shrunk(Bug.TRANSACTION_TORN, 20, first);

        assertThat(shrunk(Bug.TRANSACTION_TORN, 20, again)).isEqualTo(result);
        assertThat(again).isEqualTo(first);
    }

    @Test
    void aBugThatNeedsNoFaultKeepsNone() {
        Shrink.Result result = shrunk(Bug.SCAN_ENDS_EARLY, 40, new ArrayList<>());

        assertThat(result.run().schedule().faults()).isEmpty();
        assertThat(result.isWrong()).isTrue();
    }

    @Test
    void aRightSeedStaysAsItIs() {
        Shrink.Result result = new Shrink(5, Simulation.Options.DEFAULT, 10, line -> {}).run();

        assertThat(result.isWrong()).isFalse();
        assertThat(result.runs()).isEqualTo(1);
    }
}
