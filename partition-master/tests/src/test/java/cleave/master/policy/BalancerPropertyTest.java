package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.Decision.Reason;
import cleave.model.Key;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BalancerPropertyTest {
    private static final int FIVE_MINUTES = 300;

    private static Predicate<Decision> of(Reason... reasons) {
        return decision -> List.of(reasons).contains(decision.reason());
    }

    /** A load of some shape: some heavy partitions, some light ones, some idle. */
    private static ModelCluster randomLoad(long seed) {
        Random random = new Random(seed);
        ModelCluster cluster = new ModelCluster(seed, 2 + random.nextInt(5));
        int partitions = 20 + random.nextInt(300);
        double mean = random.nextInt(12_000) / (double) partitions;
        for (int i = 0; i < partitions; i++) {
            double skew = random.nextInt(10) == 0 ? 10 : random.nextDouble() * 2;
            cluster.rates.put(ModelCluster.partition(String.format("p%05d", i)), mean * skew);
        }
        return cluster;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void randomLoadsComeToRest(long seed) {
        comesToRest(seed);
    }

    @ParameterizedTest
    @ValueSource(longs = {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    @Tag("nightly")
    void moreRandomLoadsComeToRest(long seed) {
        comesToRest(seed);
    }

    private static void comesToRest(long seed) {
        ModelCluster cluster = randomLoad(seed);
        cluster.noise = seed % 3 * 0.03;
        cluster.run(FIVE_MINUTES);

        assertThat(cluster.run(3600)).as("seed %s", seed).isEmpty();
    }

    /** Three ranges that carry nearly the threshold; requests come by chance, and reports late or not at all. */
    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.9, 1.0, 1.1})
    void aSteadyLoadIsLeftAloneForAsLongAsItLasts(double share) {
        staysAlone(share, 1, 12);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.9, 1.0, 1.1})
    @Tag("nightly")
    void moreSteadyLoadsAreLeftAlone(double share) {
        staysAlone(share, 13, 75);
    }

    private static void staysAlone(double share, long from, long to) {
        for (long seed = from; seed <= to; seed++) {
            Random random = new Random(seed);
            ModelCluster cluster = new ModelCluster(seed, 2 + random.nextInt(3));
            cluster.arrivals = 1;
            cluster.staggered = true;
            cluster.uniform(60, 3 * 2_000 * share * (0.97 + 0.06 * random.nextDouble()));
            cluster.split(
                    List.of(ModelCluster.partition("p00020"), ModelCluster.partition("p00040")),
                    List.of("s1", "s2", "s1"));
            cluster.run(FIVE_MINUTES);

            assertThat(cluster.run(2 * FIVE_MINUTES))
                    .as("seed %s, share %s", seed, share)
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aUniformLoadSpreadsOverAllServersWithinSeconds(long seed) {
        ModelCluster cluster = new ModelCluster(seed, 3);
        cluster.uniform(200, 6_500);

        List<Decision> first = cluster.run(5);
        assertThat(first).anyMatch(of(Reason.HOT));
        cluster.run(10);

        for (String server : List.of("s1", "s2", "s3")) {
            assertThat(cluster.rate(server)).as("%s of seed %s", server, seed).isBetween(1_000.0, 3_400.0);
        }
        cluster.run(60);
        for (Row row : cluster.rows()) {
            assertThat(cluster.rate(row.range())).isLessThan(2_000);
        }
    }

    @Test
    void aPopularPartitionIsNamedAndNothingIsSplit() {
        ModelCluster cluster = new ModelCluster(3, 3);
        cluster.uniform(50, 200);
        cluster.rates.put(ModelCluster.partition("p00020"), 5_000.0);

        List<Decision> decided = cluster.run(600);

        assertThat(decided).singleElement().satisfies(verdict -> {
            assertThat(verdict.reason()).isEqualTo(Reason.POPULAR_PARTITION);
            assertThat(verdict.isVerdict()).isTrue();
            assertThat(verdict.evidence()).contains(Figure.text("partition", "7/p00020"));
        });
        assertThat(cluster.rows()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMovingEndIsSplitOffOnceAndThenNamed(boolean appends) {
        ModelCluster cluster = new ModelCluster(3, 3);
        Key at = ModelCluster.partition("t00005");
        // All inserts of a while go to partitions of their own, none of which is popular.
        for (int i = 0; i < 50; i++) {
            cluster.rates.put(ModelCluster.partition(appends ? "t00005" + i : "t00004" + i), 60.0);
        }
        cluster.end = appends ? new Load.End(0.97, 0, at, at) : new Load.End(0, 0.97, at, at);
        cluster.candidatesOnOneSide = true;

        List<Decision> decided = cluster.run(900);

        assertThat(decided).filteredOn(of(Reason.MOVING_END)).hasSize(2);
        Decision split = decided.get(0);
        assertThat(split.plan()).isNotNull().satisfies(plan -> {
            assertThat(plan.targets()).hasSize(2);
            assertThat(plan.targets().get(appends ? 1 : 0).owner()).isNotEqualTo(cluster.server("s1"));
        });
        assertThat(decided).filteredOn(Decision::isVerdict).hasSize(1);
        assertThat(cluster.rows()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void afterTheLoadStopsRangesMergeBackToOne(long seed) {
        ModelCluster cluster = new ModelCluster(seed, 3);
        cluster.uniform(200, 9_000);
        cluster.run(120);
        assertThat(cluster.rows()).hasSizeGreaterThan(4);

        cluster.rates.clear();
        cluster.run(1200);

        assertThat(cluster.rows()).hasSize(1);
        assertThat(cluster.run(3600)).isEmpty();
    }

    @Test
    void nothingMergesBeforeTheWindowWasSeenCold() {
        ModelCluster cluster = new ModelCluster(1, 3);
        cluster.settings = cluster.settings.with("balancer.merge-after-split", "10s");
        cluster.uniform(200, 9_000);
        cluster.run(120);
        cluster.rates.clear();

        assertThat(cluster.run(290)).noneMatch(of(Reason.COLD, Reason.COLD_APART));
        assertThat(cluster.run(300)).anyMatch(of(Reason.COLD));
    }

    @Test
    void largeRangesAreNotMergedThoughTheyAreCold() {
        ModelCluster cluster = new ModelCluster(1, 3);
        cluster.uniform(200, 9_000);
        cluster.rates.keySet().forEach(partition -> cluster.bytes.put(partition, 5L << 20));
        cluster.run(120);
        cluster.rates.clear();

        cluster.run(3600);

        assertThat(cluster.rows()).hasSizeGreaterThan(6);
        assertThat(cluster.run(600)).isEmpty();
    }

    @Test
    void aLargeRangeIsSplitThoughItIsNotHot() {
        ModelCluster cluster = new ModelCluster(1, 3);
        cluster.uniform(200, 300);
        cluster.rates.keySet().forEach(partition -> cluster.bytes.put(partition, 5L << 20));

        assertThat(cluster.run(300)).anyMatch(of(Reason.LARGE));
        assertThat(cluster.rows()).hasSizeGreaterThan(3);
        assertThat(cluster.run(3600)).isEmpty();
    }

    @Test
    void aLargeRangeIsSplitWhereItsBytesHalveThoughNobodyAsksForIt() {
        ModelCluster cluster = new ModelCluster(1, 3);
        for (int i = 0; i < 400; i++) {
            cluster.bytes.put(ModelCluster.partition(String.format("p%05d", i)), 1L << 20);
        }

        assertThat(cluster.run(600)).singleElement().satisfies(decision -> {
            assertThat(decision.reason()).isEqualTo(Reason.LARGE);
            assertThat(decision.evidence()).contains(Figure.text("at", "[7/p00200]"));
        });
        assertThat(cluster.rows()).hasSize(2);
        assertThat(cluster.run(3600)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 20})
    void aLargeRangeOfWhichOnePartitionIsMostIsNamed(long others) {
        ModelCluster cluster = new ModelCluster(1, 3);
        cluster.bytes.put(ModelCluster.partition("b"), 300L << 20);
        cluster.bytes.put(ModelCluster.partition("a"), others << 20);

        assertThat(cluster.run(600)).singleElement().matches(of(Reason.NO_BOUND));
    }

    @Test
    void aRangeThatIsHotForEverAndCannotBeSplitForItIsSplitForItsSize() {
        ModelCluster cluster = new ModelCluster(1, 3);
        cluster.rates.put(ModelCluster.partition("p00350"), 5_000.0);
        for (int i = 0; i < 400; i++) {
            cluster.bytes.put(ModelCluster.partition(String.format("p%05d", i)), 1L << 20);
        }

        List<Decision> decided = cluster.run(600);

        assertThat(decided).anyMatch(of(Reason.POPULAR_PARTITION)).anyMatch(of(Reason.LARGE));
        assertThat(cluster.run(3600)).isEmpty();
    }

    @Test
    void twoRangesOnTheirWayToAServerAreNotFollowedByAThird() {
        ModelCluster cluster = new ModelCluster(1, 2);
        cluster.uniform(40, 3_600);
        cluster.split(List.of(ModelCluster.partition("p00020")), List.of("s1", "s1"));

        assertThat(cluster.run(FIVE_MINUTES)).singleElement().matches(of(Reason.UNEVEN));
    }

    /** The ranges of a demo are on the first server that came, and the others join a little later. */
    @ParameterizedTest
    @ValueSource(ints = {8, 12, 16, 24})
    void underASmallLoadTheStartOfAClusterMovesNothing(int ranges) {
        ModelCluster cluster = new ModelCluster(1, 1);
        cluster.noise = 0.3;
        cluster.rates.clear();
        List<Key> at = new ArrayList<>();
        for (int i = 0; i < ranges; i++) {
            Key partition = ModelCluster.partition(String.format("p%05d", i));
            cluster.rates.put(partition, 10.0);
            at.add(partition);
        }
        cluster.split(at.subList(1, ranges), Collections.nCopies(ranges, "s1"));
        cluster.run(3);
        cluster.join("s2");
        cluster.run(2);
        cluster.join("s3");

        assertThat(cluster.run(FIVE_MINUTES)).noneMatch(of(Reason.JOINED)).noneMatch(of(Reason.UNEVEN));
    }

    /** A range that a split, or an operator, has just placed on another server stays there. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aRangeThatHasJustComeToItsServerStays(long seed) {
        ModelCluster cluster = new ModelCluster(seed, 2);
        cluster.uniform(100, 1_800);
        cluster.split(List.of(ModelCluster.partition("p00044")), List.of("s1", "s2"));
        assertThat(cluster.run(60)).isEmpty();
        cluster.splitOff(ModelCluster.partition("p00033"), "s2");

        assertThat(cluster.run(25)).isEmpty();
        assertThat(cluster.run(60)).singleElement().matches(of(Reason.UNEVEN));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aServerThatJoinsGetsItsShare(long seed) {
        ModelCluster cluster = new ModelCluster(seed, 2);
        cluster.uniform(300, 9_000);
        cluster.run(FIVE_MINUTES);
        cluster.join("s9");

        assertThat(cluster.run(120)).anyMatch(of(Reason.JOINED));

        assertThat(cluster.rate("s9")).isBetween(1_500.0, 4_200.0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aServerThatDrainsTakesPartInNothing(long seed) {
        ModelCluster cluster = randomLoad(seed);
        cluster.uniform(300, 9_000);
        cluster.run(60);
        cluster.drain("s1");
        int ranges = cluster.rangesOf("s1");
        cluster.join("s9");

        assertThat(cluster.run(60)).anyMatch(of(Reason.JOINED));

        assertThat(cluster.rangesOf("s1")).isEqualTo(ranges).isPositive();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void rangesThatAreBroughtTogetherToBeMergedAreNotTakenApart(long seed) {
        ModelCluster cluster = new ModelCluster(seed, 3);
        cluster.settings = cluster.settings
                .with("balancer.split-load", "200")
                .with("balancer.merge-window", "20s")
                .with("balancer.merge-after-split", "20s");
        cluster.uniform(300, 3_000);
        cluster.run(120);
        assertThat(cluster.rows()).hasSizeGreaterThan(10);

        cluster.uniform(300, 0);
        Set<Key> waiting = new TreeSet<>();
        int moves = 0;
        int merges = 0;
        for (int second = 0; second < FIVE_MINUTES; second++) {
            for (Decision decision : cluster.run(1)) {
                HandoffPlan plan = Objects.requireNonNull(decision.plan());
                Key start = plan.interval().start();
                if (decision.reason() == Reason.COLD) {
                    merges++;
                    plan.sources().forEach(row -> waiting.remove(row.range().start()));
                } else {
                    assertThat(waiting).as("second %s: %s", second, decision).doesNotContain(start);
                }
                if (decision.reason() == Reason.COLD_APART) {
                    moves++;
                    waiting.add(start);
                    waiting.addAll(neighbour(cluster.rows(), plan));
                }
            }
        }
        assertThat(cluster.rows()).hasSize(1);
        assertThat(moves).isPositive().isLessThanOrEqualTo(merges);
    }

    /** Where the neighbour begins to whose server this range is brought; nothing if both are there. */
    private static List<Key> neighbour(List<Row> rows, HandoffPlan move) {
        int at = rows.indexOf(move.sources().get(0));
        List<Key> there = new ArrayList<>();
        for (int i : new int[] {at - 1, at + 1}) {
            if (i >= 0
                    && i < rows.size()
                    && move.targets().get(0).owner().equals(rows.get(i).owner())) {
                there.add(rows.get(i).range().start());
            }
        }
        return there.size() == 1 ? there : List.of();
    }

    @Test
    void aHandoffThatComesToNothingIsTriedEverMoreSlowly() {
        ModelCluster cluster = new ModelCluster(1, 3);
        cluster.uniform(200, 9_000);
        cluster.handoffsFail = true;

        assertThat(cluster.run(600)).hasSizeBetween(3, 12);
    }

    @Test
    void equalViewsGiveEqualDecisions() {
        ModelCluster one = randomLoad(5);
        ModelCluster other = randomLoad(5);

        assertThat(one.run(FIVE_MINUTES)).isEqualTo(other.run(FIVE_MINUTES)).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16})
    void loadsThatJumpAboutNeverBreakARule(long seed) {
        Random random = new Random(seed);
        ModelCluster cluster = randomLoad(seed);
        cluster.settings = cluster.settings
                .with("balancer.merge-window", "20s")
                .with("balancer.merge-after-split", "20s")
                .with("balancer.merge-after-start", "0s");
        List<Decision> decided = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            cluster.uniform(10 + random.nextInt(200), random.nextInt(15_000));
            cluster.handoffsFail = random.nextInt(5) == 0;
            if (random.nextInt(10) == 0) {
                cluster.join("j" + i);
            }
            decided.addAll(cluster.run(30));
        }
        assertThat(decided).anyMatch(of(Reason.HOT)).anyMatch(of(Reason.COLD));
    }
}
