package cleave.chaos.sim;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.bugs.Bug;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulator is worth its time only if it finds what is wrong: with the seeds and the checks that it has for everything, and
 * from outside, for with a bug planted a core that throws is a crash like any other.
 */
class PlantedBugTest {
    private static final int SEEDS_MAX = 200;
    /** Tried at a time, so that a bug is found by one of the first seeds that shows it, on any number of processors. */
    private static final int BATCH = 8;

    static Stream<Bug> bugs() {
        return Bug.ALL.stream().filter(bug -> bug.seed() > 0);
    }

    @Test
    void aBugThatNoSeedShowsIsThatOfAStory() {
        assertThat(Bug.ALL)
                .allSatisfy(bug -> assertThat(bug.seed() > 0
                                || Scenario.ALL.stream()
                                        .anyMatch(story -> story.bugs().contains(bug)))
                        .as(next(bug))
                        .isTrue());
    }

    private static String next(Bug bug) {
        return "'./cleave simulate --bug " + bug + " --seeds " + SEEDS_MAX
                + "' ends with the seeds that show it. Pin the first one in Bug; if there is none, the checks no longer find it";
    }

    @ParameterizedTest
    @MethodSource("bugs")
    void aPlantedBugIsFoundFromOutside(Bug bug) {
        assertThat(Simulation.run(bug.seed(), bug, null).isRight())
                .as("seed %s does not show %s: %s", bug.seed(), bug, next(bug))
                .isFalse();
    }

    /** A pinned seed does not show how easy the bug is to find. */
    @ParameterizedTest
    @MethodSource("bugs")
    @Tag("nightly")
    void aPlantedBugIsFoundByOneOfTheFirstSeeds(Bug bug) {
        boolean found = false;
        for (long first = 1; !found && first < SEEDS_MAX; first += BATCH) {
            found = LongStream.range(first, first + BATCH)
                    .parallel()
                    .anyMatch(seed -> !Simulation.run(seed, bug, null).isRight());
        }
        assertThat(found).as("%s within %s seeds", bug, SEEDS_MAX).isTrue();
    }
}
