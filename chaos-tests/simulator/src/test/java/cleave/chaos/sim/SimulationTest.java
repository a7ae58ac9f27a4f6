package cleave.chaos.sim;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.faults.FaultKind;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole clusters, with everything going wrong. {@code -Dsim.seed=S} runs one seed and no other; {@code -Dsim.fresh=N} runs N seeds
 * besides that nobody ran before.
 */
class SimulationTest {
    private static final int FIXED = 40;
    private static final int NIGHTLY = 2_000;
    /** So few that each has an end of its own, within the time of a test. */
    private static final int BLOCK = 97;

    private static LongStream seeds() {
        Long one = Long.getLong("sim.seed");
        if (one != null) {
            return LongStream.of(one);
        }
        LongStream fresh = new SecureRandom().longs(Integer.getInteger("sim.fresh", 0), 1_000_000, Long.MAX_VALUE);
        return LongStream.concat(LongStream.rangeClosed(1, FIXED), fresh);
    }

    @Test
    void everyAnswerIsRightAndTheClusterServesAgainOnceAllHasHealed() {
        List<Simulation.Report> reports =
                seeds().parallel().mapToObj(Simulation::run).toList();

        assertThat(reports.stream().filter(report -> !report.isRight())).isEmpty();
        assertThat(reports).allSatisfy(SimulationTest::isWorthRunning);
        assertThat(reports.size() < FIXED
                        || reports.stream()
                                .anyMatch(report -> report.counts().containsKey("manifests with inline files")))
                .as("some manifests have inline files")
                .isTrue();
        double operations = reports.stream()
                .mapToInt(Simulation.Report::operations)
                .average()
                .orElseThrow();
        assertThat(operations).as("operations of a run").isGreaterThanOrEqualTo(reports.size() < FIXED ? 0 : 1_500);
    }

    /** The run with the most outages among 2,000 had 305 operations; the average has 2,000. */
    private static void isWorthRunning(Simulation.Report report) {
        assertThat(report.virtualSeconds()).isGreaterThanOrEqualTo(60);
        assertThat(report.operations()).isGreaterThanOrEqualTo(100);
        assertThat(report.counts().keySet())
                .contains("takeovers", "publishes", "checkpoints", "seals", "scans to the end");
    }

    static LongStream blocks() {
        return LongStream.iterate(FIXED + 1, first -> first <= NIGHTLY, first -> first + BLOCK);
    }

    @ParameterizedTest
    @MethodSource("blocks")
    @Tag("nightly")
    void everyAnswerOfManyMoreSeedsIsRight(long first) {
        List<Simulation.Report> reports = LongStream.range(first, Math.min(first + BLOCK, NIGHTLY + 1))
                .parallel()
                .mapToObj(Simulation::run)
                .toList();

        assertThat(reports.stream().filter(report -> !report.isRight())).isEmpty();
        assertThat(reports).allSatisfy(SimulationTest::isWorthRunning);
    }

    /** Reports of seeds with these faults, all of which are right. */
    private static List<Simulation.Report> reports(long first, long last, FaultKind... kinds) {
        Simulation.Options options = new Simulation.Options(Bug.NONE, EnumSet.copyOf(List.of(kinds)));
        List<Simulation.Report> reports = LongStream.rangeClosed(first, last)
                .parallel()
                .mapToObj(seed -> Simulation.run(seed, options, null))
                .toList();
        assertThat(reports)
                .allSatisfy(report ->
                        assertThat(report.violations()).as("%s", report).isEmpty());
        return reports;
    }

    @Test
    void timestampsStayWithinTheirBoundsWhicheverClockIsWrong() {
        List<Simulation.Report> reports = reports(
                1,
                6,
                FaultKind.CLOCK_WRONG,
                FaultKind.CLOCK_DRIFT,
                FaultKind.MOVE,
                FaultKind.SPLIT,
                FaultKind.MERGE,
                FaultKind.CRASH_OF_A_SERVER,
                FaultKind.CRASH_OF_A_MASTER,
                FaultKind.CUT_FROM_THE_MASTERS);

        assertThat(reports).allSatisfy(report -> assertThat(report.counts()).containsKey("fault CLOCK_WRONG"));
    }

    @Test
    void nothingIsLostToBitsThatRotOutsideTheDfs() {
        List<Simulation.Report> reports = reports(
                1, 4, FaultKind.BIT_ROT, FaultKind.CRASH_OF_A_SERVER, FaultKind.MOVE, FaultKind.SPLIT, FaultKind.MERGE);

        assertThat(reports)
                .allSatisfy(report -> assertThat(report.counts().keySet())
                        .contains("bits rotten in local files", "bits changed on their way from the DFS"));
        // In a quarter of the seeds the masters hold their level back.
        assertThat(reports).anyMatch(report -> report.counts().containsKey("manifests with checksums"));
    }

    @Test
    void aSeedOnADfsNodeHasAllThatItsDiskDoes() {
        List<Simulation.Report> reports =
                reports(2, 2, FaultKind.DFS_CRASH, FaultKind.DFS_POWER_FAILURE, FaultKind.DFS_SYNC_FAILURE);

        assertThat(reports.get(0).counts().keySet())
                .contains(
                        "checkpoints of the DFS node",
                        "crashes that lost what was not synced",
                        "failed syncs",
                        "power failures between two steps of the disk");
    }

    @Test
    void anEngineThatForgetsFencesStoresBarriersAndSealsWhatIsGivenUp() {
        List<Simulation.Report> reports =
                reports(1, 4, FaultKind.FORGOTTEN_FENCES, FaultKind.ZOMBIE, FaultKind.PAUSE, FaultKind.MOVE);

        assertThat(reports)
                .anySatisfy(report -> assertThat(report.counts().keySet())
                        .contains("files with many barriers", "files given up and sealed"));
    }
}
