package cleave.chaos.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Whole clusters, with everything going wrong. {@code -Dsim.seed=S} runs one seed and no other; {@code -Dsim.fresh=N} runs N seeds
 * besides that nobody ran before.
 */
class SimulationTest {
    private static final int FIXED = 200;

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
        List<String> wrong = seeds().parallel()
                .mapToObj(Simulation::run)
                .filter(report -> !report.isRight())
                .map(Simulation.Report::toString)
                .toList();

        assertThat(wrong).isEmpty();
    }

    @Test
    void equalSeedsHaveEqualRuns() {
        Simulation.Report first = Simulation.run(7);
        Simulation.Report again = Simulation.run(7);

        assertThat(again).isEqualTo(first);
        assertThat(first.traceHash()).isNotEqualTo(Simulation.run(8).traceHash());
    }

    @Test
    void aSeedIsWorthRunning() {
        Simulation.Report report = Simulation.run(3);

        assertThat(report.operations()).isGreaterThan(500);
        assertThat(report.virtualSeconds()).isGreaterThan(40);
        assertThat(report.counts().keySet())
                .containsAll(List.of("takeovers", "publishes", "checkpoints", "seals", "scans to the end"));
    }
}
