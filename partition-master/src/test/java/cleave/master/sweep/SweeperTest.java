package cleave.master.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.Bench;
import cleave.master.loop.Bench.Master;
import cleave.master.loop.FakeServer;
import cleave.master.loop.SharedLog;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.wire.Event;
import cleave.wire.EventsRequest;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SweeperTest {
    private static final long INTERVAL_MILLIS = 601_000;

    private final Bench bench = new Bench();
    private final Master master = bench.leader("m1");
    private Incarnation server;
    private String early;

    @BeforeEach
    void aRangeThatWasTakenOver() {
        FakeServer first = bench.server("s1", master);
        bench.beDiligent();
        server = first.incarnation();
        Row made = bench.row();
        early = prefix(made);
        bench.log.apply(new Handoff(
                server,
                List.of(new SourceRow(made.id(), made.version(), false)),
                List.of(new TargetRow(made.range(), server, early + "manifest-1"))));
        bench.files.put(early + "manifest-1", early + "log-2", early + "sst-3");
        bench.files.put(early + "log-2");
        bench.files.put(early + "sst-3");
    }

    private static String prefix(Row row) {
        return "ranges/" + Row.idText(row.id()) + "/" + row.epoch() + "-s1.1-";
    }

    @Test
    void whatAManifestReachesStaysAndWhatNothingReachesGoesOnceItsEpochHasEnded() {
        bench.files.put(early + "log-9");
        bench.files.put(prefix(bench.row()) + "log-10");
        bench.pass(INTERVAL_MILLIS);
        assertThat(bench.files.paths())
                .containsExactlyInAnyOrder(
                        early + "manifest-1", early + "log-2", early + "sst-3", prefix(bench.row()) + "log-10");
        assertThat(lastSweep().getEvidenceList())
                .extracting(pair -> pair.getName() + "=" + pair.getValue())
                .contains("deleted=1", "reached=3", "current=1");
    }

    @Test
    void foreignFilesStay() {
        bench.files.put("ranges/readme");
        bench.pass(INTERVAL_MILLIS);
        assertThat(bench.files.paths()).contains("ranges/readme");
    }

    @Test
    void aFileOfALaterMapSavesEverything() {
        String later = "ranges/" + Row.idText(Row.id(1_000_000, 0)) + "/1000000-s1.1-log-1";
        bench.files.put(early + "log-9");
        bench.files.put(later);
        bench.pass(INTERVAL_MILLIS);
        assertThat(bench.files.paths()).contains(early + "log-9", later);
        assertThat(master.loop().readiness().missing()).contains(later, "has gone back");
    }

    @Test
    void aDfsThatBelongsToAnotherClusterIsLeftAlone() {
        String other = "99999999-2222-3333-4444-555555555555";
        bench.files.put(early + "log-9");
        bench.files.belongTo(other);
        bench.pass(INTERVAL_MILLIS);
        assertThat(bench.files.paths()).contains(early + "log-9");
        assertThat(master.loop().readiness().missing()).contains(other, SharedLog.CLUSTER);
    }

    @Test
    void aManifestThatCannotBeReadSavesEverything() {
        bench.files.put(early + "log-9");
        bench.files.delete(early + "manifest-1");
        bench.pass(INTERVAL_MILLIS);
        assertThat(bench.files.paths()).contains(early + "log-9");
        assertThat(lastSweep().getReason()).contains("given up").contains("manifest-1");
    }

    @Test
    void aPublishBetweenTheMapAndTheListLosesNothing() {
        String now = prefix(bench.row());
        bench.files.beforeList(() -> {
            Row row = bench.row();
            bench.files.put(now + "manifest-5", now + "log-6");
            bench.files.put(now + "log-6");
            bench.log.apply(new Publish(server, row.id(), row.version(), now + "manifest-5"));
        });
        bench.pass(INTERVAL_MILLIS);
        assertThat(bench.files.paths()).contains(now + "manifest-5", now + "log-6");
    }

    @Test
    void aNewLeaderSweepsAfterAWholeIntervalOnly() {
        bench.pass(INTERVAL_MILLIS / 2);
        master.replica().stepDown();
        bench.pass(300);
        master.replica().lead();
        bench.files.put(early + "log-9");
        bench.pass(INTERVAL_MILLIS / 2 + 1_000);
        assertThat(bench.files.paths()).contains(early + "log-9");
        bench.pass(INTERVAL_MILLIS / 2);
        assertThat(bench.files.paths()).doesNotContain(early + "log-9");
    }

    /** A table that was dropped, and ranges that were split or moved, leave files of epochs that are over. */
    @Test
    void whileTheDfsIsShortOfSpaceItSweepsSoon() {
        bench.files.put(early + "log-9");
        bench.pass(30_000);
        assertThat(bench.files.paths()).contains(early + "log-9");
        bench.files.shortOfSpace = true;
        bench.pass(1_000);
        assertThat(bench.files.paths()).doesNotContain(early + "log-9");
        bench.files.put(early + "log-9");
        bench.pass(20_000);
        assertThat(bench.files.paths()).doesNotContain(early + "log-9");
    }

    private Event lastSweep() {
        var reply = master.loop().operator().events(EventsRequest.getDefaultInstance());
        bench.time.runReady();
        List<Event> sweeps = reply.join().getEventsList().stream()
                .filter(event -> event.getKind().equals("swept"))
                .toList();
        return sweeps.get(sweeps.size() - 1);
    }
}
