package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.HandoffPlan.Kind;
import cleave.master.policy.WhyNot.Reason;
import cleave.master.state.BalancerSettings;
import cleave.master.state.Maps;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Why nothing is done with a range. That it is the truth is checked by {@link ModelCluster} in all of its ticks. */
class ExplanationTest {
    private static final long SECOND = ModelCluster.SECOND;

    /** Loads, servers and settings that change at random: what stands against a handoff is what the rules decide by. */
    @Test
    void whatIsDecidedIsExactlyWhatNothingStandsAgainst() {
        Set<Reason> seen = EnumSet.noneOf(Reason.class);
        for (long seed = 1; seed <= 12; seed++) {
            seen.addAll(reasonsOfARandomHistory(seed));
        }
        assertThat(EnumSet.complementOf(EnumSet.copyOf(seen)))
                .as("what no history has shown: what is before all rules, and a size that owners do not know")
                .isEqualTo(EnumSet.of(Reason.NOT_SEEN, Reason.TAKEOVERS_FIRST, Reason.SIZE_UNKNOWN));
    }

    private static Set<Reason> reasonsOfARandomHistory(long seed) {
        Random random = new Random(seed);
        ModelCluster cluster = new ModelCluster(seed, 1 + random.nextInt(5));
        cluster.explains = true;
        cluster.settings = cluster.settings
                .with("balancer.merge-window", "10s")
                .with("balancer.merge-after-split", "15s")
                .with("balancer.merge-after-start", "5s");
        for (int part = 0; part < 12; part++) {
            cluster.uniform(5 + random.nextInt(100), random.nextInt(3) == 0 ? 0 : random.nextInt(12_000));
            cluster.bytes.clear();
            if (random.nextInt(3) == 0) {
                cluster.rates.put(ModelCluster.partition("p00003"), 5_000.0);
            }
            if (random.nextInt(3) == 0) {
                cluster.rates.keySet().forEach(each -> cluster.bytes.put(each, (long) random.nextInt(30 << 20)));
            }
            boolean moves = random.nextInt(4) == 0;
            Key at = ModelCluster.partition("p00004");
            cluster.end = moves ? new Load.End(0.95, 0, at, at) : null;
            cluster.candidatesOnOneSide = moves;
            cluster.handoffsFail = random.nextInt(6) == 0;
            cluster.unreported = random.nextInt(4) == 0 ? 0.2 : 0;
            cluster.settings = cluster.settings
                    .with("balancer.split", Boolean.toString(random.nextInt(8) != 0))
                    .with("balancer.merge", Boolean.toString(random.nextInt(8) != 0))
                    .with("balancer.move", Boolean.toString(random.nextInt(8) != 0));
            for (Incarnation server : Set.copyOf(cluster.servers.keySet())) {
                cluster.servers.put(
                        server,
                        new ClusterView.Server(
                                random.nextInt(8) == 0, random.nextInt(8) == 0, random.nextInt(50) * SECOND));
            }
            cluster.run(20);
        }
        return cluster.reasons;
    }

    @Test
    void theManualHasEachReason() throws IOException {
        String manual = Files.readString(Path.of("..", "..", "docs", "operations.md"));
        String table = manual.substring(manual.indexOf("## Find out why a range is left alone"));
        table = table.substring(0, table.indexOf("\n## ", 1));

        for (Reason reason : Reason.values()) {
            assertThat(table.lines().filter(line -> line.startsWith("| `")))
                    .anyMatch(line -> line.contains("`" + reason.word() + "`"));
        }
    }

    private static Explanation explained(List<Row> rows, Load load, Incarnation... live) {
        TreeMap<Incarnation, ClusterView.Server> servers = new TreeMap<>();
        Arrays.stream(live).forEach(each -> servers.put(each, new ClusterView.Server(false, false, 0)));
        ClusterView view = new ClusterView(
                Maps.of(rows),
                row -> load,
                servers,
                new TreeSet<>(),
                List.of(),
                List.of(),
                BalancerSettings.DEFAULT,
                100 * SECOND);
        RangeIndex ranges = new RangeIndex();
        ranges.observe(view, 100 * SECOND);
        return Balancer.decide(view, ranges, 100 * SECOND).explanation();
    }

    private static final Incarnation S1 = new Incarnation("s1", 1);
    private static final Load IDLE = new ToldLoad(0, 0, 0, null, List.of(), null, null);
    private static final Row ALL = new Row(Row.id(1, 0), KeyRange.ALL, S1, "m", 1, 1);

    @Test
    void anIdleRangeSaysWhatItCarriesAndWhatItWouldTake() {
        Load load = new ToldLoad(120.4, 110, 3 << 20, null, List.of(), null, null);

        List<WhyNot> against = explained(List.of(ALL), load, S1).of(ALL);

        assertThat(against)
                .filteredOn(each -> each.of() == Kind.SPLIT)
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.reason().word()).isEqualTo("not-hot");
                    assertThat(each.text())
                            .isEqualTo(
                                    "it carries 120 entities/s (110 over 30 s), and a hot range more than 2000; and holds"
                                            + " 3.0 MiB, and a large one more than 256.0 MiB");
                    assertThat(each.figures())
                            .contains(
                                    Figure.entities("entities-per-second", 120.4),
                                    Figure.entities("threshold", 2_000),
                                    Figure.bytes("bytes", 3 << 20));
                    assertThat(each.untilNanos()).isNull();
                });
        assertThat(against)
                .filteredOn(each -> each.of() == Kind.MERGE)
                .extracting(WhyNot::reason)
                .containsExactly(Reason.AFTER_START, Reason.ALONE);
        assertThat(against)
                .filteredOn(each -> each.reason() == Reason.AFTER_START)
                .extracting(WhyNot::untilNanos)
                .containsExactly(220 * SECOND);
        assertThat(against)
                .filteredOn(each -> each.of() == Kind.MOVE)
                .extracting(WhyNot::reason)
                .containsExactly(Reason.EVEN);
    }

    @Test
    void aLargeRangeWhoseOwnerDoesNotKnowItsMiddleWaits() {
        Load load = new ToldLoad(0, 0, 1L << 40, null, List.of(), null, null);

        assertThat(explained(List.of(ALL), load, S1).of(ALL))
                .filteredOn(each -> each.of() == Kind.SPLIT)
                .singleElement()
                .matches(each -> each.reason() == Reason.SIZE_UNKNOWN);
    }

    @Test
    void takeoversGoFirst() {
        assertThat(explained(List.of(ALL), IDLE).of(ALL))
                .hasSize(3)
                .allMatch(each -> each.reason() == Reason.TAKEOVERS_FIRST);
    }

    @Test
    void aRangeThatTheLastTickDidNotKnowIsSaidToBeNew() {
        Row other = new Row(Row.id(7, 0), KeyRange.ALL, S1, "m", 7, 7);

        assertThat(explained(List.of(ALL), IDLE, S1).of(other))
                .hasSize(3)
                .allMatch(each -> each.reason() == Reason.NOT_SEEN);
        assertThat(Explanation.NONE.of(ALL)).hasSize(3).allMatch(each -> each.reason() == Reason.NOT_SEEN);
    }

    @Test
    void aRangeWithOnePopularPartitionSaysSoAndHowLongItRests() {
        ModelCluster cluster = new ModelCluster(3, 3);
        cluster.explains = true;
        cluster.uniform(50, 200);
        cluster.rates.put(ModelCluster.partition("p00020"), 5_000.0);

        cluster.run(30);

        assertThat(cluster.explained(cluster.rows().get(0)))
                .filteredOn(each -> each.of() == Kind.SPLIT)
                .satisfiesExactly(
                        resting -> {
                            assertThat(resting.reason()).isEqualTo(Reason.COOLING);
                            assertThat(resting.untilNanos()).isBetween(cluster.now, cluster.now + 60 * SECOND);
                            assertThat(resting.text()).endsWith("because it could not be split");
                        },
                        popular -> {
                            assertThat(popular.reason()).isEqualTo(Reason.ONE_PARTITION);
                            assertThat(popular.figures()).contains(Figure.text("partition", "7/p00020"));
                        });
    }
}
