package cleave.master.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterState;
import cleave.runtime.files.FolderLock;
import cleave.runtime.loop.Await;
import cleave.wire.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The state machine under real Ratis peers, which die, come back with old folders and are left alone. */
class RaftIT {
    private static final long NO_SNAPSHOTS = 1_000_000;

    @TempDir
    Path dir;

    @Test
    void whatWasAnsweredOutlivesTheLeader() {
        try (RaftPeers peers = RaftPeers.started(dir, 3, NO_SNAPSHOTS)) {
            MasterAnswer registered = peers.execute(new Register("s1", "host:1"));
            String leader = peers.leader();

            peers.stop(leader);

            assertThat(peers.leader()).isNotEqualTo(leader);
            peers.execute(new NoOp());
            assertThat(peers.node(peers.leader()).state().isLive(registered.incarnation()))
                    .isTrue();
            peers.start(leader);
            peers.awaitCaughtUp(leader);
        }
    }

    /** Each hides what it has promised: it must not start, and says what can be done. */
    @ParameterizedTest
    @ValueSource(strings = {"raft-meta", "log_inprogress_0", "member.properties"})
    void aMasterWithADamagedFileSaysWhichAndWhatToDo(String name) throws IOException {
        try (RaftPeers peers = RaftPeers.started(dir, 1, 1_000)) {
            peers.stop("m1");
            Path damaged;
            try (Stream<Path> files = Files.walk(peers.folder("m1"))) {
                damaged = files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
            }
            Files.writeString(damaged, "damage, and more of it than the header of a log has bytes");

            assertThatThrownBy(() -> peers.start("m1"))
                    .hasMessageContaining(damaged.toString())
                    .hasMessageContaining("have this master replaced by them ('cleave admin masters replace')")
                    .hasMessageContaining("restore the whole folder from a copy");
        }
    }

    @Test
    void aFolderIsOneMastersAtATime() {
        try (RaftPeers peers = new RaftPeers(dir, 1, 1_000)) {
            peers.startAll();

            assertThatThrownBy(() -> FolderLock.take(peers.folder("m1"))).isInstanceOf(FolderLock.Taken.class);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5, NO_SNAPSHOTS})
    void aMasterRestartsFromItsSnapshotOrItsLog(long snapshotEvery) {
        try (RaftPeers peers = RaftPeers.started(dir, 1, snapshotEvery)) {
            for (int i = 0; i < 40; i++) {
                peers.execute(new Register("s" + i % 3, "host:" + i));
            }
            MasterState before = peers.node("m1").state();
            Await.until(
                    "a snapshot",
                    () -> snapshotEvery == NO_SNAPSHOTS
                            || !snapshots(peers, "m1").isEmpty());

            peers.stop("m1");
            peers.start("m1");

            peers.execute(new NoOp());
            assertThat(peers.node("m1").state()).isEqualTo(before);
        }
    }

    @Test
    void aPeerWithAnOldCopyOfItsFolderCatchesUpFromTheLeadersSnapshot() {
        try (RaftPeers peers = RaftPeers.started(dir, 3, 5)) {
            peers.leader();
            String lost = peers.leader().equals("m3") ? "m2" : "m3";
            peers.stop(lost);
            peers.copyFolder(lost);
            peers.start(lost);
            MasterAnswer known = peers.execute(new Register("s1", "host:1"));
            Await.until("it to follow", () -> peers.node(lost).state().isLive(known.incarnation()));
            peers.stop(lost);
            peers.restoreFolder(lost);
            for (int i = 0; i < 60; i++) {
                peers.execute(new Register("server-with-a-long-name-" + i % 5, "a-host-with-a-long-name:" + i));
            }
            Await.until("a snapshot", () -> !snapshots(peers, peers.leader()).isEmpty());

            peers.start(lost);

            peers.awaitCaughtUp(lost);
            peers.execute(new Register("s", "h:1"));
            peers.awaitCaughtUp(lost);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5, NO_SNAPSHOTS})
    void aFollowerWithAnOldCopyOfItsFolderCatchesUpWithTheLeaderThatKnewIt(long snapshotEvery) {
        try (RaftPeers peers = RaftPeers.started(dir, 3, snapshotEvery)) {
            String leader = peers.leader();
            String lost = leader.equals("m3") ? "m2" : "m3";
            peers.stop(lost);
            peers.copyFolder(lost);
            peers.start(lost);
            for (int i = 0; i < 40; i++) {
                peers.execute(new Register("server-with-a-long-name-" + i % 5, "a-host-with-a-long-name:" + i));
            }
            Await.until(
                    "all to have acknowledged",
                    () -> peers.nodes().stream()
                            .allMatch(node ->
                                    node.state().equals(peers.node(leader).state())));
            peers.stop(lost);
            peers.restoreFolder(lost);
            // A leader that has failed for long asks with heartbeats only whether the peer has what it acknowledged.
            Await.until(
                    "the leader to miss it",
                    () -> peers.node(leader).peers().stream()
                            .anyMatch(peer -> peer.getRole().equals("UNKNOWN")));

            peers.start(lost);

            // Nothing is proposed meanwhile: a new entry might make Ratis look for what the peer lacks.
            Await.until(
                    "the peer to catch up",
                    () -> peers.node(lost).state().equals(peers.node(leader).state()));
            MasterAnswer answer = peers.execute(new Register("s1", "host:1"));
            Await.until("the peer to follow", () -> peers.node(lost).state().isLive(answer.incarnation()));
        }
    }

    @Test
    void aCommandThatIsTooLargeIsRefusedAndTheLeaderGoesOn() {
        try (RaftPeers peers = RaftPeers.started(dir, 1, NO_SNAPSHOTS)) {

            MasterAnswer large = peers.node(peers.leader())
                    .propose(new Register("s1", "a".repeat(RaftSettings.COMMAND_BYTES_MAX)))
                    .join();

            assertThat(large.code()).isEqualTo(ErrorCode.INVALID);
            assertThat(peers.execute(new Register("s1", "host:1")).isOk()).isTrue();
        }
    }

    @Test
    void whatALeaderWithoutQuorumProposedDoesNotTakeEffect() {
        try (RaftPeers peers = RaftPeers.started(dir, 3, NO_SNAPSHOTS)) {
            String leader = peers.leader();
            List<String> others =
                    Stream.of("m1", "m2", "m3").filter(id -> !id.equals(leader)).toList();
            others.forEach(peers::stop);
            CompletableFuture<MasterAnswer> lost = peers.node(leader).propose(new Register("ghost", "nowhere:1"));
            assertThat(lost.orTimeout(120, TimeUnit.SECONDS).join().code())
                    .isIn(ErrorCode.UNKNOWN_OUTCOME, ErrorCode.NOT_LEADER);
            assertThat(peers.node(leader).state().servers()).isEmpty();
            peers.stop(leader);

            others.forEach(peers::start);
            MasterAnswer registered = peers.execute(new Register("s1", "host:1"));
            peers.start(leader);

            for (RaftNode node : peers.nodes()) {
                Await.until("all to follow", () -> node.state().isLive(registered.incarnation()));
                assertThat(node.state().servers().keySet()).containsExactly("s1");
            }
        }
    }

    @Test
    void aFollowerNamesTheLeader() {
        try (RaftPeers peers = RaftPeers.started(dir, 3, NO_SNAPSHOTS)) {
            String leader = peers.leader();
            RaftNode follower = peers.node(leader.equals("m1") ? "m2" : "m1");
            Await.until("the follower to know", () -> follower.leaderAddress().equals("inproc:rpc-of-" + leader));

            MasterAnswer answer = follower.propose(new NoOp()).join();

            assertThat(answer.code()).isEqualTo(ErrorCode.NOT_LEADER);
            assertThat(answer.message()).isEqualTo("inproc:rpc-of-" + leader);
        }
    }

    @Test
    void proposalsWhoseCallersGoAwayDoNotStayPending() {
        try (RaftPeers peers = RaftPeers.started(dir, 1, NO_SNAPSHOTS)) {
            RaftNode node = peers.node("m1");
            for (int i = 0; i < 100; i++) {
                node.propose(new NoOp()).cancel(false);
            }
            assertThat(peers.execute(new NoOp()).isOk()).isTrue();
            Await.until("the answers that nobody waits for", () -> node.pendingCount() == 0);
        }
    }

    private static List<Path> snapshots(RaftPeers peers, String id) {
        try (Stream<Path> files = Files.walk(peers.folder(id))) {
            return files.filter(path -> path.getFileName().toString().startsWith("snapshot."))
                    .toList();
        } catch (IOException | UncheckedIOException moved) {
            return List.of();
        }
    }
}
