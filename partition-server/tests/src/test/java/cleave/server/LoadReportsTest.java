package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.server.membership.LoadReports;
import cleave.wire.HeartbeatRequest;
import cleave.wire.RangeLoad;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoadReportsTest {
    private final Cluster cluster = new Cluster();
    private Node server;
    private LoadReports reports;

    @BeforeEach
    void serve() {
        server = cluster.start("s1");
        reports = new LoadReports(server.directory);
    }

    private HeartbeatRequest report() {
        HeartbeatRequest.Builder heartbeat = HeartbeatRequest.newBuilder();
        reports.report(heartbeat, cluster.loop.nanos());
        return heartbeat.build();
    }

    private void writes(int number) {
        for (int i = 0; i < number; i++) {
            server.put("row" + i, "v");
        }
        cluster.loop.advanceMillis(1000);
    }

    @Test
    void theFirstHeartbeatOfAStreamTellsEverything() {
        assertThat(report().getWhole()).isTrue();
        reports.begin();

        HeartbeatRequest again = report();

        assertThat(again.getWhole()).isTrue();
        assertThat(again.getRangesList())
                .extracting(RangeLoad::getRange)
                .containsExactly(server.range().ownership().range());
    }

    @Test
    void anIdleRangeIsNotToldAgain() {
        report();
        cluster.loop.advanceMillis(60_000);

        HeartbeatRequest next = report();

        assertThat(next.getWhole()).isFalse();
        assertThat(next.getRangesList()).isEmpty();
        assertThat(next.getGoneList()).isEmpty();
    }

    @Test
    void aLoadThatCameIsTold() {
        report();
        writes(50);

        assertThat(report().getRanges(0).getEntitiesPerSecond()).isGreaterThan(10);
        assertThat(report().getRangesList()).isEmpty();
    }

    @Test
    void howLargeARangeIsAndWhereItsBytesHalveIsToldOnceItIsKnown() {
        server.put("row1", "v");
        server.put("row2", "v");
        cluster.loop.advanceMillis(3_000);
        reports.begin();

        RangeLoad load = report().getRanges(0);

        assertThat(load.hasMiddle()).isTrue();
        assertThat(load.getBytes()).isBetween(20L, 200L);
    }

    @Test
    void aRangeThatIsNotServedAnyMoreIsToldOnce() {
        long range = server.range().ownership().range();
        report();
        server.range().close("the test wants it");
        cluster.loop.runReady();

        assertThat(report().getGoneList())
                .singleElement()
                .satisfies(gone -> assertThat(gone.getRange()).isEqualTo(range));
        assertThat(report().getGoneList()).isEmpty();
    }

    /** None is forgotten, and none goes first every time. */
    @Test
    void whatMakesAHeartbeatTooLongGoesIntoTheNextOnes() {
        Key first = Key.beforeTable(100);
        Key second = Key.beforeTable(200);
        cluster.split("s1", cluster.masters.onlyRow(), List.of(first, second), "s1", "s1", "s1");
        cluster.settle();
        assertThat(server.ranges()).hasSize(3);
        reports = new LoadReports(server.directory, 1);

        List<HeartbeatRequest> heartbeats = List.of(report(), report(), report(), report());

        assertThat(heartbeats).extracting(HeartbeatRequest::getWhole).containsExactly(true, false, false, false);
        assertThat(heartbeats).extracting(HeartbeatRequest::getRangesCount).containsExactly(1, 1, 1, 0);
        assertThat(heartbeats.stream().flatMap(each -> each.getRangesList().stream()))
                .extracting(RangeLoad::getRange)
                .doesNotHaveDuplicates();
    }
}
