package cleave.master.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.Bench;
import cleave.master.loop.Bench.Master;
import cleave.master.loop.FakeServer;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.AdminMoveRequest;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.EventsRequest;
import cleave.wire.HotPartition;
import cleave.wire.Middle;
import cleave.wire.RangeLoad;
import cleave.wire.SplitCandidate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the leader has done by itself for the loads that servers tell of. */
class BalancingTest {
    private static final long TABLE = 3;
    private static final int PARTITIONS = 100;

    private final Bench bench = new Bench();
    private final Master master = bench.leader("m1");
    private double entitiesPerSecond;
    private double popular;
    private long bytes;

    @BeforeEach
    void threeServersOneRangeAndNoLoad() {
        FakeServer first = bench.server("s1", master);
        bench.pass(700);
        bench.obey(first);
        bench.server("s2", master);
        bench.server("s3", master);
        bench.servers().forEach(server -> server.measure(this::measure));
        bench.beDiligent();
        bench.pass(300);
    }

    @Test
    void aHotRangeIsSplitAndSpread() {
        entitiesPerSecond = 6_000;
        bench.pass(5_000);
        assertThat(bench.log.state().rows().size()).isGreaterThanOrEqualTo(3);
        bench.pass(10_000);
        for (FakeServer server : bench.servers()) {
            assertThat(load(server)).isBetween(1_000.0, 3_000.0);
        }
        Event begun = event("handoff-begun");
        assertThat(begun.getReason()).contains("balancer: hot");
        assertThat(bench.metric("cleave_master_decisions_total", "kind", "split", "reason", "hot"))
                .isPositive();
        assertThat(begun.getEvidenceList())
                .anySatisfy(pair -> assertThat(pair.getName()).isEqualTo("entities-per-second"));
    }

    @Test
    void aLoadThatStaysIsNotDividedForEver() {
        entitiesPerSecond = 6_000;
        bench.pass(60_000);
        int orders = bench.ranges.orders().size();
        bench.pass(300_000);
        assertThat(bench.ranges.orders()).hasSize(orders);
    }

    @Test
    void aPopularPartitionIsToldOfOnceWithItsShare() {
        entitiesPerSecond = 6_000;
        popular = 0.9;
        bench.pass(30_000);
        assertThat(bench.ranges.orders()).isEmpty();
        assertThat(kinds()).containsOnlyOnce("verdict");
        assertThat(bench.metric("cleave_master_decisions_total", "kind", "verdict", "reason", "popular-partition"))
                .isEqualTo(1);
        assertThat(bench.metric("cleave_master_decisions_total", "kind", "split", "reason", "hot"))
                .isZero();
        Event verdict = event("verdict");
        assertThat(verdict.getReason()).contains("popular partition");
        assertThat(verdict.getRangesList())
                .containsExactly(Row.idText(bench.row().id()));
        assertThat(verdict.getEvidenceList())
                .anySatisfy(pair -> assertThat(pair.getValue()).isEqualTo("90%"));
    }

    @Test
    void whatIsSwitchedOffDoesNotHappenUntilItIsSwitchedOn() {
        master.loop().operator().change(Map.of("balancer.split", "false"));
        entitiesPerSecond = 6_000;
        bench.pass(30_000);
        assertThat(bench.ranges.orders()).isEmpty();
        master.loop().operator().change(Map.of("balancer.split", "true"));
        bench.pass(5_000);
        assertThat(bench.ranges.orders()).isNotEmpty();
    }

    @Test
    void aLargeRangeIsSplitWhereItsBytesHalveThoughNobodyAsksForIt() {
        bytes = 300L << 20;
        bench.pass(20_000);
        assertThat(bench.log.state().rows().all())
                .extracting(row -> row.range().start())
                .containsExactly(Key.MIN, Key.beforePartition(TABLE, partition(50)));
        assertThat(event("handoff-begun").getReason()).contains("balancer: large");
    }

    @Test
    void whatIsNoSizeAndNoLoadIsTakenForNone() {
        bench.servers()
                .forEach(server -> server.measure((row, load) -> load.setEntitiesPerSecond(Double.NaN)
                        .setEntitiesPerSecond30S(Double.NEGATIVE_INFINITY)
                        .setBytes(-1)
                        .setMiddle(Middle.newBuilder()
                                .setAt(Key.of(TABLE, "p", "r").toWire())
                                .setLeft(Double.NaN))));
        bench.pass(20_000);
        assertThat(bench.ranges.orders()).isEmpty();
        assertThat(kinds()).containsOnlyOnce("verdict");
    }

    @Test
    void aNewLeaderSplitsOnlyWhatItHasItselfSeenHot() {
        entitiesPerSecond = 6_000;
        bench.pass(2_000);
        master.replica().stepDown();
        bench.pass(300);
        Master next = bench.master("m2");
        next.replica().lead();
        bench.servers().forEach(server -> server.connect(next.loop()));
        bench.pass(2_500);
        assertThat(bench.ranges.orders()).isEmpty();
        bench.pass(3_000);
        assertThat(bench.ranges.orders()).isNotEmpty();
    }

    @Test
    void aHandoffThatItsOwnerRefusesIsTriedEverMoreSlowly() {
        bench.ranges.fail(1_000, ErrorCode.BUSY, false);
        entitiesPerSecond = 6_000;
        bench.pass(60_000);
        assertThat(bench.ranges.orders()).hasSizeBetween(2, 5);
        assertThat(kinds()).contains("handoff-given-up");
    }

    @Test
    void aRangeThatAnOperatorHasPlansForIsLeftAlone() {
        bench.ranges.hold(true);
        master.loop()
                .operator()
                .move(AdminMoveRequest.newBuilder()
                        .setRange(bench.row().id())
                        .setServer("s2")
                        .build());
        entitiesPerSecond = 6_000;
        bench.pass(20_000);
        assertThat(bench.ranges.orders()).hasSize(1);
    }

    @Test
    void aRangeThatIsNotServedYetIsLeftAlone() {
        entitiesPerSecond = 6_000;
        bench.beIdle();
        bench.servers().forEach(server -> server.serveOnly(List.of()));
        bench.pass(20_000);
        assertThat(bench.ranges.orders()).isEmpty();
    }

    @Test
    void nothingIsDecidedWhileAnOwnerIsSilent() {
        bench.splitAt(TABLE, partition(50));
        bench.pass(300);
        FakeServer second = bench.servers().get(1);
        master.loop()
                .operator()
                .move(AdminMoveRequest.newBuilder()
                        .setRange(bench.row().id())
                        .setServer("s2")
                        .build());
        bench.pass(1_000);
        bench.ranges.orders().clear();
        bench.silence(second);
        second.breakStream();
        entitiesPerSecond = 20_000;
        bench.pass(10_000);
        assertThat(bench.ranges.orders()).isEmpty();
    }

    private static String partition(int ordinal) {
        return String.format("p%02d", ordinal);
    }

    /** All partitions are asked for alike, but the popular one. */
    private double share(int ordinal) {
        return (1 - popular) / PARTITIONS + (ordinal == PARTITIONS / 2 ? popular : 0);
    }

    private double share(KeyRange range) {
        double sum = 0;
        for (int i = 0; i < PARTITIONS; i++) {
            sum += range.contains(Key.beforePartition(TABLE, partition(i))) ? share(i) : 0;
        }
        return sum;
    }

    private double load(FakeServer server) {
        double sum = 0;
        for (Row row : bench.log.state().rows().all()) {
            sum += server.incarnation().equals(row.owner()) ? entitiesPerSecond * share(row.range()) : 0;
        }
        return sum;
    }

    private void measure(Row row, RangeLoad.Builder load) {
        double here = share(row.range());
        double rate = entitiesPerSecond * here;
        load.setEntitiesPerSecond(rate).setEntitiesPerSecond30S(rate);
        load.setBytes((long) (bytes * here))
                .setMiddle(Middle.newBuilder()
                        .setAt(Key.beforePartition(TABLE, partition(PARTITIONS / 2))
                                .toWire())
                        .setLeft(0.5));
        if (rate == 0) {
            return;
        }
        double left = 0;
        for (int i = 0; i < PARTITIONS; i++) {
            Key at = Key.beforePartition(TABLE, partition(i));
            if (!row.range().contains(at)) {
                continue;
            }
            if (i % 5 == 0) {
                load.addCandidates(SplitCandidate.newBuilder()
                        .setAt(at.toWire())
                        .setLeft((int) (1_000 * left / here))
                        .setRight((int) (1_000 * (1 - left / here)))
                        .setHits(1_000));
            }
            left += share(i);
            if (i == PARTITIONS / 2 && popular > 0) {
                load.setHottest(HotPartition.newBuilder()
                        .setFirst(at.toWire())
                        .setPart(popular / here)
                        .setSamples(1_000));
            }
        }
    }

    private List<Event> events() {
        var reply = master.loop().operator().events(EventsRequest.getDefaultInstance());
        bench.time.runReady();
        return reply.join().getEventsList();
    }

    private List<String> kinds() {
        return events().stream().map(Event::getKind).toList();
    }

    private Event event(String kind) {
        return events().stream()
                .filter(event -> event.getKind().equals(kind))
                .findFirst()
                .orElseThrow();
    }
}
