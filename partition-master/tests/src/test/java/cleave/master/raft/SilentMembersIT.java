package cleave.master.raft;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.runtime.loop.Await;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A connection that swallows everything, as one to a node that died, and the member that listens at its address again. */
class SilentMembersIT {
    @TempDir
    private Path dir;

    @Test
    void aFollowerBehindADeadConnectionGetsANewOne() {
        try (RaftPeers peers = RaftPeers.linked(dir, 3)) {
            peers.startAll();
            assertThat(peers.execute(new AllocateTableIds(1)).isOk()).isTrue();
            String leader = peers.leader();
            String follower = leader.equals("m1") ? "m2" : "m1";
            Await.until(
                    "the first entries",
                    () -> peers.node(follower).appliedIndex()
                            >= peers.node(leader).appliedIndex());

            peers.swallow(follower);
            assertThat(peers.execute(new AllocateTableIds(1)).isOk()).isTrue();
            long next = peers.node(peers.leader()).state().nextTable();

            Await.until(
                    "the entry at " + follower,
                    () -> peers.node(follower).state().nextTable() >= next);
        }
    }

    @Test
    void aCandidateAsksForAVoteOverANewConnection() {
        try (RaftPeers peers = RaftPeers.linked(dir, 3)) {
            peers.startAll();
            peers.execute(new AllocateTableIds(1));
            String candidate = peers.leader();
            String leader = candidate.equals("m1") ? "m2" : "m1";
            String voter = candidate.equals("m3") || leader.equals("m3") ? "m2" : "m3";
            peers.transfer(candidate, leader);

            peers.swallow(voter);
            peers.stop(voter);
            assertThat(peers.execute(new AllocateTableIds(1)).isOk()).isTrue();
            peers.stop(leader);
            peers.start(voter); // It lacks the last entry, so it cannot lead.

            assertThat(peers.execute(new AllocateTableIds(1)).isOk()).isTrue();
            assertThat(peers.leader()).isEqualTo(candidate);
        }
    }
}
