package cleave.master.membership;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.membership.GroupMembership.Phase;
import cleave.master.settings.MasterConfig.Peer;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.FeatureLevels;
import cleave.runtime.loop.ManualLoop;
import cleave.wire.ErrorCode;
import cleave.wire.FoundReply;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import cleave.wire.MembersReply;
import cleave.wire.SupportedLevelsReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FoundingTest {
    private static final List<Peer> PEERS =
            List.of(new Peer("m1", "h:1", "a1"), new Peer("m2", "h:2", "a2"), new Peer("m3", "h:3", "a3"));
    private static final ClusterId OTHER = new ClusterId("99999999-2222-3333-4444-555555555555");

    private final ManualLoop loop = new ManualLoop();
    private final Files files = new Files();
    private final TreeMap<String, Master> masters = new TreeMap<>();
    private int made;
    /** Steps that may still be taken before all stands still, as if the machines lost power. */
    private int steps = Integer.MAX_VALUE;

    @BeforeEach
    void threeMachines() {
        PEERS.forEach(peer -> master(peer.id()));
    }

    /** True if this step is taken; the ones after the last hang forever. */
    private boolean goes() {
        return steps-- > 0;
    }

    private final class Files implements ClusterFiles {
        private @Nullable ClusterIdentity identity;
        private final TreeMap<String, String> claims = new TreeMap<>();
        private boolean hasRanges;
        private boolean down;

        @Override
        public CompletableFuture<Optional<ClusterIdentity>> identity() {
            return answer(Optional.ofNullable(identity));
        }

        @Override
        public CompletableFuture<ClusterIdentity> found(ClusterIdentity asked) {
            if (!goes()) {
                return new CompletableFuture<>();
            }
            ClusterIdentity held = identity == null ? asked : identity;
            identity = held;
            return answer(held);
        }

        @Override
        public CompletableFuture<String> claim(String master, String token) {
            return goes() ? answer(claims.computeIfAbsent(master, first -> token)) : new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<Boolean> hasRanges() {
            return answer(hasRanges);
        }

        private <T> CompletableFuture<T> answer(T value) {
            return down
                    ? CompletableFuture.failedFuture(new IllegalStateException("nobody there"))
                    : CompletableFuture.completedFuture(value);
        }
    }

    /** A machine with a folder, and the process on it. */
    private final class Master implements MasterGroup {
        private final String id;
        private @Nullable GroupMembership folder;
        private int begun;
        private boolean silent;
        /** From the beginning. */
        private boolean absent;

        private String answersAs;
        /** The cluster that it says it belongs to. */
        private String memberOf = "";

        private List<Peer> peers = PEERS;
        private long term;
        private final List<String> left = new ArrayList<>();
        private OwnMembership process;
        private Founding founding;
        private Joining joining;

        Master(String id) {
            this.id = id;
            this.answersAs = id;
            restarted();
        }

        void restarted() {
            process = new OwnMembership(
                    loop, new OwnMembership.Self(id, "/" + id, peers, FeatureLevels.SUPPORTED), this, files);
            founding = new Founding(loop, process, files, new Calls(), FoundingTest.this::newId);
            joining = new Joining(loop, process, founding, this, files, FoundingTest.this::newId);
            begun = 0;
            if (folder != null && folder.isMember()) {
                begun = 1; // As the adapter does before the loop runs.
                folder = folder.in(Phase.MEMBER);
            }
            process.start(folder);
            loop.runReady();
        }

        @Override
        public CompletableFuture<Void> keep(GroupMembership membership) {
            if (!goes()) {
                return new CompletableFuture<>();
            }
            folder = membership;
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Void> begin(GroupMembership membership) {
            begun++;
            return goes() ? CompletableFuture.completedFuture(null) : new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<Void> leave(GroupMembership membership) {
            left.add(membership.member());
            folder = null;
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public boolean hasEnded() {
            return false;
        }

        @Override
        public long term() {
            return term;
        }

        FoundReply found() {
            return found(null);
        }

        FoundReply found(@Nullable ClusterId resume) {
            CompletableFuture<FoundReply> reply = founding.found(resume);
            loop.runReady();
            return reply.getNow(FoundReply.getDefaultInstance());
        }
    }

    private ClusterId newId() {
        return new ClusterId("%08d-0000-0000-0000-000000000000".formatted(++made));
    }

    private final class Calls implements MasterCalls {
        @Override
        public CompletableFuture<JoinReply> join(String address, JoinRequest request) {
            Master master = master("m" + address.substring(1));
            return master.silent
                    ? CompletableFuture.failedFuture(new IllegalStateException("nobody there"))
                    : goes() ? master.joining.join(request) : new CompletableFuture<>();
        }

        @Override
        public CompletableFuture<MembersReply> members(String address, String cluster) {
            throw new AssertionError("a founding does not ask for members");
        }

        @Override
        public CompletableFuture<SupportedLevelsReply> supportedLevels(String address, long timeoutNanos) {
            Master master = master("m" + address.substring(1));
            return master.absent
                    ? CompletableFuture.failedFuture(new IllegalStateException("nobody there"))
                    : CompletableFuture.completedFuture(SupportedLevelsReply.newBuilder()
                            .setMaster(master.answersAs)
                            .setCluster(master.memberOf)
                            .build());
        }
    }

    private Master master(String id) {
        return masters.computeIfAbsent(id, Master::new);
    }

    private ClusterId identity() {
        ClusterIdentity identity = files.identity;
        if (identity == null) {
            throw new AssertionError("no cluster was founded");
        }
        return identity.cluster();
    }

    private void assertAllAreMembersOf(ClusterId cluster) {
        for (Peer peer : PEERS) {
            GroupMembership folder = Objects.requireNonNull(master(peer.id()).folder);
            assertThat(folder.cluster()).isEqualTo(cluster);
            assertThat(folder.phase()).isEqualTo(Phase.MEMBER);
            assertThat(master(peer.id()).begun).isEqualTo(1);
            assertThat(master(peer.id()).process.absence()).isEmpty();
        }
    }

    @Test
    void aMasterWithAnEmptyFolderDoesNothingAndSaysWhatToDo() {
        Master m1 = master("m1");
        loop.advanceMillis(60_000);
        assertThat(m1.begun).isZero();
        assertThat(files.identity).isNull();
        assertThat(m1.process.readiness().missing())
                .contains("blank", "/m1", "cleave admin masters found", "[m1, m2, m3]");
    }

    @Test
    void aFoundingMakesAllItsMembers() {
        FoundReply reply = master("m1").found();
        assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(reply.getAlready()).isFalse();
        assertThat(reply.getCluster()).isEqualTo(identity().text());
        assertAllAreMembersOf(identity());
    }

    @Test
    void itIsRepeatedWithoutEffect() {
        master("m1").found();
        ClusterId cluster = identity();
        FoundReply again = master("m1").found();
        assertThat(again.getAlready()).isTrue();
        assertThat(master("m2").found().getCluster()).isEqualTo(cluster.text());
        assertThat(identity()).isEqualTo(cluster);
        assertAllAreMembersOf(cluster);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24})
    void whereverItEndsTheSameRequestGoesOn(int stepsBeforeTheEnd) {
        steps = stepsBeforeTheEnd;
        master("m1").found();
        Optional<ClusterIdentity> before = Optional.ofNullable(files.identity);

        steps = Integer.MAX_VALUE;
        masters.values().forEach(Master::restarted);
        FoundReply reply = master("m1").found();

        assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.OK);
        before.ifPresent(cluster -> assertThat(files.identity).isEqualTo(cluster));
        assertAllAreMembersOf(identity());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24})
    void twoFoundersMakeOneCluster(int stepsOfTheFirst) {
        steps = stepsOfTheFirst;
        master("m1").found();
        steps = Integer.MAX_VALUE;
        masters.values().forEach(Master::restarted);

        master("m2").found();
        master("m1").found();
        master("m2").found();

        assertAllAreMembersOf(identity());
    }

    @Test
    void nothingIsFoundedBeforeAllFoundersAreThere() {
        master("m3").absent = true;
        FoundReply reply = master("m1").found();
        assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(reply.getStatus().getMessage())
                .contains("no cluster is founded", "master m3 at a3", "nobody there", "master.peers of master m1");
        assertThat(files.identity).isNull();
        assertThat(master("m1").folder).isNull();

        master("m3").absent = false;
        assertThat(master("m1").found().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertAllAreMembersOf(identity());
    }

    @Test
    void nothingIsFoundedWithAFounderAtAnothersAddress() {
        master("m3").answersAs = "m2";
        FoundReply reply = master("m1").found();
        assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.INVALID);
        assertThat(reply.getStatus().getMessage()).contains("master m3 at a3: that address is of master m2");
        assertThat(files.identity).isNull();
    }

    @Test
    void nothingIsFoundedWithAMasterOfAnotherCluster() {
        master("m3").memberOf = OTHER.text();
        FoundReply reply = master("m1").found();
        assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.INVALID);
        assertThat(reply.getStatus().getMessage())
                .contains("master m3 at a3: that address is of a member of cluster " + OTHER);
        assertThat(files.identity).isNull();
        assertThat(master("m1").folder).isNull();
    }

    @Test
    void aFoundingThatWasInterruptedContinuesWithTheFoundersOfTheSettings() {
        master("m1").peers = List.of(PEERS.get(0), PEERS.get(1), new Peer("m3", "misspelt:3", "a3"));
        master("m1").restarted();
        steps = 1; // Its intent is in its folder.
        master("m1").found();
        steps = Integer.MAX_VALUE;
        GroupMembership intent = Objects.requireNonNull(master("m1").folder);

        master("m1").peers = PEERS;
        master("m1").restarted();
        FoundReply reply = master("m1").found();

        assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertAllAreMembersOf(intent.cluster());
        assertThat(Objects.requireNonNull(master("m1").folder).founders()).isEqualTo(PEERS);
        assertThat(Objects.requireNonNull(master("m1").folder).token()).isEqualTo(intent.token());
    }

    @Test
    void aMemberThatDoesNotAnswerIsToldLater() {
        master("m3").silent = true;
        FoundReply half = master("m1").found();
        assertThat(half.getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(half.getStatus().getMessage()).contains("m3", "a3", "ask again");
        master("m3").silent = false;
        master("m1").restarted();
        assertThat(master("m1").found().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertAllAreMembersOf(identity());
    }

    @Test
    void aFounderThatHasLostItsFolderDoesNotBeginAnew() {
        master("m3").silent = true;
        master("m1").found();
        master("m3").silent = false;
        steps = 4; // Of m3: intent, claim, folder, log. Its answer is lost, and then its disk.
        master("m1").found();
        steps = Integer.MAX_VALUE;
        assertThat(master("m3").begun).isEqualTo(1);
        master("m3").folder = null;
        masters.values().forEach(Master::restarted);

        FoundReply refused = master("m1").found();

        assertThat(refused.getStatus().getCode()).isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(refused.getStatus().getMessage())
                .contains("m3", "another folder", identity().text(), "replace");
        assertThat(master("m3").begun).isZero();
        assertThat(master("m2").process.absence()).isEmpty();
    }

    @Test
    void aDfsOfAnotherClusterIsLeftAlone() {
        files.identity = new ClusterIdentity(OTHER, "old");
        FoundReply refused = master("m1").found();
        assertThat(refused.getStatus().getCode()).isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(refused.getStatus().getMessage()).contains(OTHER.text(), "founded by old", "setting dfs");
        assertThat(master("m1").folder).isNull();
        assertThat(master("m1").begun).isZero();
    }

    @Test
    void filesOfRangesWithoutAnIdentityAreLeftAlone() {
        files.hasRanges = true;
        FoundReply refused = master("m1").found();
        assertThat(refused.getStatus().getCode()).isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(refused.getStatus().getMessage()).contains("ranges/", "empty DFS");
        assertThat(files.identity).isNull();
    }

    @Test
    void aFounderWithoutADfsFoundsNothing() {
        files.down = true;
        FoundReply refused = master("m1").found();
        assertThat(refused.getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(refused.getStatus().getMessage()).contains("DFS", "nobody there");
        assertThat(master("m1").begun).isZero();
    }

    @Test
    void aFoundingWhoseFounderIsLostGoesOnElsewhereIfTheClusterHasNoData() {
        files.identity = new ClusterIdentity(OTHER, "m1");
        assertThat(master("m2").found().getStatus().getMessage()).contains("--resume " + OTHER);
        assertThat(master("m2").found(OTHER).getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertAllAreMembersOf(OTHER);
    }

    @Test
    void aClusterWithDataIsNotFoundedAgain() {
        files.identity = new ClusterIdentity(OTHER, "m1");
        files.hasRanges = true;
        FoundReply refused = master("m2").found(OTHER);
        assertThat(refused.getStatus().getCode()).isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(refused.getStatus().getMessage()).contains(OTHER.text(), "did not end half-way");
        assertThat(master("m2").begun).isZero();
    }

    @Test
    void aMemberJoinsNoOtherCluster() {
        master("m1").found();
        ClusterId cluster = identity();
        CompletableFuture<JoinReply> reply = master("m2")
                .joining
                .join(JoinRequest.newBuilder()
                        .setCluster(OTHER.text())
                        .setId("m2")
                        .build());
        loop.runReady();
        assertThat(reply.join().getStatus().getCode()).isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(reply.join().getStatus().getMessage()).contains(cluster.text(), OTHER.text(), "/m2");
    }

    @Test
    void aBlankMasterJoinsOnlyTheClusterOfItsDfsUnderItsOwnName() {
        files.identity = new ClusterIdentity(OTHER, "m1");
        List<JoinRequest> requests = new ArrayList<>();
        requests.add(JoinRequest.newBuilder()
                .setCluster("11111111-2222-3333-4444-555555555555")
                .setId("m2")
                .build());
        requests.add(
                JoinRequest.newBuilder().setCluster(OTHER.text()).setId("m3").build());
        for (JoinRequest request : requests) {
            CompletableFuture<JoinReply> reply = master("m2").joining.join(request);
            loop.runReady();
            assertThat(reply.join().getStatus().getCode()).isEqualTo(ErrorCode.INVALID);
        }
        assertThat(master("m2").begun).isZero();
    }

    @Test
    void aBlankMasterIsAddedWithoutAListOfFounders() {
        files.identity = new ClusterIdentity(OTHER, "m1");
        CompletableFuture<JoinReply> reply = master("m2")
                .joining
                .join(JoinRequest.newBuilder()
                        .setCluster(OTHER.text())
                        .setId("m2")
                        .build());
        loop.runReady();
        assertThat(reply.join().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        GroupMembership folder = Objects.requireNonNull(master("m2").folder);
        assertThat(folder.founders()).isEmpty();
    }

    @Test
    void aMasterOfAVersionThatIsTooOldForTheClusterIsNotAdded() {
        files.identity = new ClusterIdentity(OTHER, "m1");
        int level = FeatureLevels.SUPPORTED.max() + 1;
        JoinRequest request = JoinRequest.newBuilder()
                .setCluster(OTHER.text())
                .setId("m2")
                .setLevel(level)
                .build();
        CompletableFuture<JoinReply> reply = master("m2").joining.join(request);
        loop.runReady();
        assertThat(reply.join().getStatus().getCode()).isEqualTo(ErrorCode.INVALID);
        assertThat(reply.join().getStatus().getMessage())
                .contains("feature level " + level, FeatureLevels.SUPPORTED.toString());
        assertThat(master("m2").folder).isNull();
    }

    @Test
    void aBlankMasterOnTheDfsOfAClusterSaysWhose() {
        files.identity = new ClusterIdentity(OTHER, "m1");
        Master m2 = master("m2");
        loop.advanceMillis(6_000);
        assertThat(m2.process.absence())
                .contains("blank", OTHER.text(), "master.dir", "masters replace", "masters add");
    }
}
