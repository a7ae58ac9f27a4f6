package cleave.master.raft;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.runtime.loop.Await;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Proposals whose callers go away before the answer comes. */
class AbandonedProposalsIT {
    private static final long NO_SNAPSHOTS = 1_000_000;

    @TempDir
    Path dir;

    @Test
    void theyDoNotStayPending() {
        try (RaftPeers peers = new RaftPeers(dir, 1, NO_SNAPSHOTS)) {
            peers.startAll();
            peers.execute(new Initialize("c"));
            RaftNode node = peers.node("m1");
            for (int i = 0; i < 100; i++) {
                node.propose(new NoOp()).cancel(false);
            }
            assertThat(peers.execute(new NoOp()).isOk()).isTrue();
            Await.until("the answers that nobody waits for", () -> node.pendingCount() == 0);
            assertThat(peers.faults()).isEmpty();
        }
    }
}
