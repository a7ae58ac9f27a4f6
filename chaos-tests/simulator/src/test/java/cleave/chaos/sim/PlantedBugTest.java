package cleave.chaos.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The simulator is worth its time only if it finds what is wrong: with the seeds and the checks that it has for everything, and
 * from outside, for with a bug planted a core that throws is a crash like any other.
 */
class PlantedBugTest {
    private static final int SEEDS_MAX = 200;
    /** Tried at a time, so that a bug is found by one of the first seeds that shows it, on any number of processors. */
    private static final int BATCH = 8;

    /**
     * All but some that need more seeds than this, and some that need another cluster or DFS: their stories expose them ({@link ScenarioTest}).
     */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "NONE",
                "CLOCK_CORRECTION_KEPT",
                "DURABLE_RECORD_JUDGED_BY_THE_NEXT_LOG",
                "ANSWERED_BY_ANOTHER_CLUSTER",
                "FENCE_FORGOTTEN_AT_ONCE",
                "OLD_NAME_TRUSTED",
                "BROKEN_LOG_TAKEN_FOR_UNWRITTEN",
                "DFS_NOT_COMPARED",
                "SERVERS_KEPT_WHEN_THE_DFS_MOVES",
                "OUTDATED_COPY_TAKEN_FOR_THE_DFS"
            })
    void aPlantedBugIsFoundFromOutside(Bug bug) {
        boolean found = false;
        for (long first = 1; !found && first < SEEDS_MAX; first += BATCH) {
            found = LongStream.range(first, first + BATCH)
                    .parallel()
                    .anyMatch(seed -> !Simulation.run(seed, bug, null).isRight());
        }
        assertThat(found).as("%s within %s seeds", bug, SEEDS_MAX).isTrue();
    }
}
