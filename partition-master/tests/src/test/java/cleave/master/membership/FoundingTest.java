package cleave.master.membership;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.core.Bench;
import cleave.master.membership.GroupMembership.Phase;
import cleave.master.settings.MasterConfig.Peer;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.FeatureLevels;
import cleave.runtime.loop.ManualLoop;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import cleave.wire.ErrorCode;
import cleave.wire.FoundReply;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import cleave.wire.MembersReply;
import cleave.wire.Status;
import cleave.wire.SupportedLevelsReply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
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
                    loop, Bench.self(id, peers, FeatureLevels.SUPPORTED, FeatureLevels.SUPPORTED.max()), this, files);
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

    @TestFactory
    Stream<DynamicNode> foundings() throws IOException {
        return Transcripts.of("founding", () -> new FoundingTest().new Script());
    }

    /** Each command prints the answer to it, and what changed in the DFS and in the folders and processes of the masters. */
    private final class Script implements Transcripts.Interpreter {
        private final TreeMap<String, String> before = new TreeMap<>();

        Script() {
            threeMachines();
            changes();
        }

        @Override
        public List<String> run(Command command) {
            String named = command.plain().isEmpty() ? "" : command.at(0);
            Master master = masters.getOrDefault(named, master("m1"));
            List<String> printed = new ArrayList<>();
            switch (command.word()) {
                case "found" -> {
                    String resume = command.named("resume", "");
                    FoundReply reply = master.found(resume.isEmpty() ? null : new ClusterId(resume));
                    printed.add((text(reply.getStatus()) + " " + reply.getCluster()).strip()
                            + (reply.getAlready() ? " already" : ""));
                }
                case "join" -> {
                    CompletableFuture<JoinReply> reply = master.joining.join(JoinRequest.newBuilder()
                            .setCluster(command.named("cluster", OTHER.text()))
                            .setId(command.named("as", master.id))
                            .setLevel(command.has("newer") ? FeatureLevels.SUPPORTED.max() + 1 : 0)
                            .build());
                    loop.runReady();
                    printed.add(text(reply.join().getStatus()));
                }
                case "steps" -> steps = (int) command.number(0);
                case "all-steps" -> steps = Integer.MAX_VALUE;
                case "restart-all" -> masters.values().forEach(Master::restarted);
                case "restart" -> master.restarted();
                case "lose-folder" -> master.folder = null;
                case "settings" ->
                    master.peers = PEERS.stream()
                            .map(peer -> new Peer(
                                    peer.id(), peer.raft().replace("h:3", command.named("m3", "h:3")), peer.rpc()))
                            .toList();
                case "absent" -> master.absent = !command.has("off");
                case "silent" -> master.silent = !command.has("off");
                case "answers-as" -> master.answersAs = command.at(1);
                case "member-of" -> master.memberOf = command.at(1);
                case "dfs-of" -> files.identity = new ClusterIdentity(OTHER, command.at(0));
                case "dfs-has-ranges" -> files.hasRanges = true;
                case "dfs-down" -> files.down = true;
                case "tick" -> loop.advanceMillis(command.number(0));
                case "readiness" -> printed.add(master.process.readiness().missing());
                default -> throw command.unknown();
            }
            printed.addAll(changes());
            return printed;
        }

        private List<String> changes() {
            List<String> printed = new ArrayList<>();
            change("dfs", files.identity == null ? "no cluster" : String.valueOf(files.identity), printed);
            for (Master each : masters.values()) {
                GroupMembership folder = each.folder;
                change(
                        each.id,
                        (folder == null
                                        ? "blank"
                                        : folder.phase() + " of " + folder.cluster() + " with founders "
                                                + folder.founders().stream()
                                                        .map(Peer::raft)
                                                        .toList())
                                + ", begun " + each.begun,
                        printed);
            }
            return printed;
        }

        private void change(String what, String now, List<String> printed) {
            if (!now.equals(before.put(what, now))) {
                printed.add(what + ": " + now);
            }
        }

        private static String text(Status status) {
            return (status.getCode() + " " + status.getMessage()).strip();
        }
    }
}
