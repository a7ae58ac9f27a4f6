package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.board.frame.Told;
import cleave.board.recording.Replay;
import cleave.chaos.system.Folders;
import cleave.model.HandoffNumber;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ranges split, merge and move under clients that never pause, and processes end in the middle of it. */
class HandoffsIT extends FaultScenes {
    private static final int HANDOFFS = 12;
    private static final int BEFORE = 2;

    private @Nullable StableRows stable;
    private SdkClient sdk;
    private int runs;
    private boolean aServerDied;

    @Override
    FaultCluster started() throws IOException {
        FaultCluster started = Drill.started(Drill.plan(Folders.fresh("handoffs"))
                .set("server.checkpoint-log-bytes", "256KiB")
                .set("master.snapshot-every", "100"));
        stable = Drill.load(started, shape(), line -> {});
        return started;
    }

    private Drill.Shape shape() {
        return new Drill.Shape(2, PACE, 0, runs);
    }

    @Override
    Drill drill() {
        runs++;
        return new Drill(faults, stable, shape(), line -> {});
    }

    @BeforeEach
    void startSdk() {
        aServerDied = false;
        sdk = new SdkClient(cluster.endpoints().get(1), "t-" + runs + "-");
        sdk.start();
        run.awaitHandoffs(BEFORE);
    }

    @AfterEach
    void theSdkNoticedNothing() throws InterruptedException {
        FaultCluster.PATIENCE.until("the SDK's client has done much", () -> sdk.done() > FaultCluster.PARTITIONS);
        sdk.stop();
        assertThat(sdk.wrong()).isEmpty();
        if (!aServerDied) {
            assertThat(sdk.failures()).isEmpty();
        }
    }

    @Override
    void check(Report report) {
        assertThat(report.scans().problems()).isEmpty();
        assertThat(report.scans().finished()).isPositive();
    }

    /** And what {@code --record} writes meanwhile tells of them. */
    @Test
    void clientsDoNotNoticeHandoffsAndEachEnds() {
        Path recording = Folders.fresh("recording").resolve("handoffs.jsonl");
        cluster.record(recording);
        run.awaitHandoffs(HANDOFFS);

        List<SeenHandoff> seen = run.endHandoffs();
        assertThat(seen)
                .allSatisfy(handoff -> assertThat(handoff.ended()).isNotEqualTo(SeenHandoff.NEVER))
                .extracting(SeenHandoff::use)
                .contains(HandoffUse.values());
        String last = HandoffNumber.text(
                seen.stream().mapToLong(SeenHandoff::number).max().orElseThrow());
        FaultCluster.PATIENCE.until(
                "the last handoff is recorded",
                () -> recorded(recording).stream()
                        .anyMatch(event -> event.kind().equals("handoff-ended")
                                && event.handoff().equals(last)));
    }

    private static List<Told.Event> recorded(Path recording) {
        try {
            Replay replay = Replay.of(recording);
            return replay.events(Long.MIN_VALUE, Long.MAX_VALUE);
        } catch (IOException noFrameYet) {
            return List.of();
        }
    }

    @Test
    @Tag("nightly")
    void clientsDoNotNoticeALeaderKilledDuringHandoffs() {
        run.killLeader();
        run.awaitHandoffs(BEFORE);
    }

    @Test
    @Tag("nightly")
    void killingAServerDuringHandoffsLosesNothing() {
        aServerDied = true;
        run.killServer();
        run.awaitHandoffs(BEFORE);
    }

    @Test
    @Tag("nightly")
    void withoutMastersReadsAndWritesContinueAndHandoffsEndWhenTheyReturn() {
        run.stopMasters(Duration.ofSeconds(5));
        run.awaitHandoffs(BEFORE);
    }
}
