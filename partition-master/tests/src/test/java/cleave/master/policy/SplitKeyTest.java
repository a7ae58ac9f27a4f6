package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.Decision.Reason;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a hot range is split: where its load divides, not where its keys do. */
class SplitKeyTest {
    /** The first hot split under a load that began a while ago. */
    private static HandoffPlan firstSplit(ModelCluster cluster) {
        for (int second = 0; second < 60; second++) {
            for (Decision decision : cluster.run(1)) {
                if (decision.reason() == Reason.HOT) {
                    return Objects.requireNonNull(decision.plan());
                }
            }
        }
        throw new AssertionError("nothing was split within a minute: " + cluster.decisions);
    }

    /** The share of the load that the heaviest part carries. */
    private static double largest(ModelCluster cluster, HandoffPlan plan) {
        double all = cluster.rates.values().stream().mapToDouble(each -> each).sum();
        double largest = plan.targets().stream()
                .mapToDouble(target -> cluster.rate(target.range()))
                .max()
                .orElseThrow();
        return largest / all;
    }

    private static ModelCluster skewed(long seed, int heavyFrom) {
        ModelCluster cluster = new ModelCluster(seed, 4);
        for (int i = 0; i < 100; i++) {
            boolean heavy = i >= heavyFrom && i < heavyFrom + 20;
            cluster.rates.put(ModelCluster.partition(String.format("p%05d", i)), heavy ? 200.0 : 5.0);
        }
        return cluster;
    }

    /** Nine tenths of the load are on a fifth of the keys: at the beginning, in the middle or at the end. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aSkewedLoadIsDividedWhereTheLoadIs(long seed) {
        for (int heavyFrom : new int[] {0, 40, 80}) {
            ModelCluster cluster = skewed(seed, heavyFrom);

            HandoffPlan plan = firstSplit(cluster);

            assertThat(plan.targets()).as("seed %s, from %s", seed, heavyFrom).hasSizeGreaterThanOrEqualTo(3);
            assertThat(largest(cluster, plan))
                    .as("share of the heaviest part, seed %s, from %s: %s", seed, heavyFrom, plan)
                    .isLessThan(0.45);
        }
    }

    /** Twice the threshold: as many parts as are needed for each to lie below half of it, in one handoff. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aRangeIsDividedIntoAsManyPartsAsItNeeds(long seed) {
        ModelCluster cluster = new ModelCluster(seed, 4);
        cluster.uniform(200, 4_000);

        HandoffPlan plan = firstSplit(cluster);

        assertThat(plan.targets()).hasSizeBetween(3, 5);
        assertThat(largest(cluster, plan)).isLessThan(0.45);
    }

    /** A part that carries almost nothing would be merged again. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noPartIsSoSmallThatItWouldBeMergedAgain(long seed) {
        ModelCluster cluster = skewed(seed, 40);

        HandoffPlan plan = firstSplit(cluster);

        for (HandoffPlan.Target target : plan.targets()) {
            assertThat(cluster.rate(target.range()))
                    .as("%s of %s", target, plan)
                    .isGreaterThan(100);
        }
    }
}
