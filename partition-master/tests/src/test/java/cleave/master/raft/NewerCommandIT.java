package cleave.master.raft;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.RaiseLevel;
import cleave.model.FeatureLevels;
import cleave.model.UnknownFormat;
import cleave.runtime.loop.Await;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real Raft peers of two versions: one meets in its log, or in a snapshot, what only the other knows. */
class NewerCommandIT {
    private static final FeatureLevels NEWER = new FeatureLevels(1, FeatureLevels.SUPPORTED.max() + 1);

    @TempDir
    Path dir;

    private static String halted(RaftPeers peers) {
        Await.until("a halt", () -> !peers.faults().isEmpty());
        Throwable fault = peers.faults().get(0);
        assertThat(fault).isInstanceOf(UnknownFormat.class);
        peers.faults().clear();
        return String.valueOf(fault.getMessage());
    }

    @Test
    void aMemberHaltsAtACommandThatItDoesNotKnowAndANewerVersionGoesOn() {
        try (RaftPeers peers = new RaftPeers(dir, 3, 10_000)) {
            peers.start("m1", NEWER);
            peers.start("m2", NEWER);
            peers.start("m3");
            peers.execute(new Initialize(""));
            Await.until("all have caught up", () -> peers.node("m3").appliedIndex() > 0);
            while (peers.leader().equals("m3")) {
                peers.stop("m3"); // So that the log of a newer one goes on without it.
            }
            peers.execute(new RaiseLevel(NEWER.max(), List.of()));
            if (peers.nodes().size() < 3) {
                peers.start("m3");
            }
            String message = halted(peers);
            assertThat(message)
                    .startsWith("command at index ")
                    .contains("needs feature level " + NEWER.max() + "; this version of Cleave knows "
                            + FeatureLevels.SUPPORTED)
                    .contains("start the version that wrote it, or a newer one");
            long at = peers.node("m3").appliedIndex();
            assertThat(peers.execute(new AllocateTableIds(5)).isOk()).isTrue();
            assertThat(peers.node("m3").state().level()).isEqualTo(1);
            assertThat(peers.node("m3").state().nextTable()).isEqualTo(1); // Nothing behind it was applied.

            peers.stop("m3");
            peers.start("m3");
            assertThat(halted(peers)).isEqualTo(message);
            assertThat(peers.node("m3").appliedIndex()).isEqualTo(at);

            peers.stop("m3");
            peers.start("m3", NEWER);
            Await.until("it goes on", () -> peers.node("m3").state().nextTable() == 6);
        }
    }

    @Test
    void aMemberHaltsAtASnapshotThatItDoesNotKnow() {
        try (RaftPeers peers = new RaftPeers(dir, 1, 3)) {
            peers.start("m1", NEWER);
            peers.execute(new RaiseLevel(NEWER.max(), List.of()));
            for (int i = 0; i < 10; i++) {
                peers.execute(new NoOp());
            }
            peers.stop("m1");
            peers.startInVain("m1");
            assertThat(halted(peers)).startsWith("snapshot ").contains("needs feature level " + NEWER.max());
            peers.start("m1", NEWER);
            assertThat(peers.execute(new NoOp()).isOk()).isTrue();
            assertThat(peers.node("m1").state().level()).isEqualTo(NEWER.max());
        }
    }
}
