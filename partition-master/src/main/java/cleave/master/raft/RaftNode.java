package cleave.master.raft;

import cleave.files.PrivateFiles;
import cleave.master.loop.GroupMembership;
import cleave.master.loop.GroupMembership.Phase;
import cleave.master.loop.MasterGroup;
import cleave.master.loop.Replication;
import cleave.master.metrics.MasterMetrics;
import cleave.master.settings.MasterConfig;
import cleave.master.settings.MasterConfig.Peer;
import cleave.master.state.AnswerCodec;
import cleave.master.state.CommandCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.model.FeatureLevels;
import cleave.model.KnownMasters;
import cleave.rpc.Transport;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import com.google.protobuf.InvalidProtocolBufferException;
import io.prometheus.client.Histogram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One peer of the masters' Raft group. Thread-safe.
 *
 * <p>The id of the Raft group is the cluster's, so members of different clusters do not listen to each other. Before it is a member
 * it runs nothing.
 *
 * <p>Commands are submitted to the local server in-process. A command that fails is told apart by whether it had entered the
 * log: if not, it was not executed; if so, nobody knows, and the answer is UNKNOWN_OUTCOME. Nothing is read through Ratis: a
 * cut-off leader was seen to answer reads, so only the answer to a replicated command counts.
 */
public final class RaftNode implements Replication, MasterGroup, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RaftNode.class);
    private static final long ANSWER_MILLIS_MAX = 3_000;
    private static final long HEARD_MILLIS_MAX = 3_000;

    private final MasterConfig config;
    private final MasterMetrics metrics;
    private final Transport transport;
    private final Consumer<Throwable> onFault;
    private final MasterStateMachine machine;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final ConcurrentHashMap<Long, Proposal> pending = new ConcurrentHashMap<>();
    private volatile String selfRpc = "";
    private volatile @Nullable Group group;
    private volatile @Nullable RaftServer server;
    private volatile @Nullable DivisionInfo info;

    /**
     * @param onState told each state whose map is newer, in order, by the thread that applies commands
     * @param onFault ends the process
     */
    public RaftNode(
            MasterConfig config,
            Transport transport,
            MasterMetrics metrics,
            Consumer<MasterState> onState,
            Consumer<Throwable> onFault) {
        this(config, FeatureLevels.SUPPORTED, transport, metrics, onState, onFault);
    }

    /** @param levels that it supports: commands and snapshots of others are not for it */
    RaftNode(
            MasterConfig config,
            FeatureLevels levels,
            Transport transport,
            MasterMetrics metrics,
            Consumer<MasterState> onState,
            Consumer<Throwable> onFault) {
        this.config = config;
        this.transport = transport;
        this.metrics = metrics;
        this.onFault = onFault;
        machine = new MasterStateMachine(levels, metrics, this::entersLog, onState, onFault);
    }

    /** The group that this master is a member of. Immutable. */
    private record Group(RaftGroupId id, String cluster, TreeMap<String, Peer> peers) {
        static Group of(GroupMembership membership) {
            TreeMap<String, Peer> peers = new TreeMap<>();
            membership.founders().forEach(peer -> peers.put(peer.id(), peer));
            return new Group(
                    RaftGroupId.valueOf(membership.cluster().uuid()),
                    membership.cluster().text(),
                    peers);
        }

        boolean isOnly(String id) {
            return peers.size() == 1 && peers.containsKey(id);
        }
    }

    /** A command on its way. */
    private static final class Proposal {
        volatile boolean enteredLog;
    }

    /**
     * Looks into the folder, and takes part in the group that it belongs to, if any. IOException if the folder does not fit this
     * master, or the address is taken.
     *
     * @param rpcAddress where this master's own gRPC services are reached
     * @return what the folder says; null for a blank master
     */
    public @Nullable GroupMembership start(String rpcAddress) throws IOException {
        selfRpc = rpcAddress;
        GroupMembership found = MemberFile.read(config.dir(), config.id());
        if (found == null || found.phase() == Phase.FOUNDING) {
            return found;
        }
        serve(found);
        GroupMembership member = found.in(Phase.MEMBER);
        MemberFile.write(config.dir(), member);
        return member;
    }

    @Override
    public CompletableFuture<Void> keep(GroupMembership membership) {
        return attempt(() -> MemberFile.write(config.dir(), membership));
    }

    @Override
    public CompletableFuture<Void> begin(GroupMembership membership) {
        return attempt(() -> serve(membership));
    }

    /** What a disk or a port may refuse. */
    private interface Attempt {
        void make() throws IOException;
    }

    private static CompletableFuture<Void> attempt(Attempt attempt) {
        try {
            attempt.make();
            return CompletableFuture.completedFuture(null);
        } catch (IOException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private void serve(GroupMembership membership) throws IOException {
        Group its = Group.of(membership);
        boolean alone = its.isOnly(config.id());
        group = its;
        String host = MasterConfig.host(config.raftListen());
        int port = MasterConfig.port(config.raftListen());
        int bound = port == 0 ? freePort(host) : port;
        List<RaftPeer> founders = new ArrayList<>();
        for (Peer peer : its.peers().values()) {
            founders.add(RaftPeer.newBuilder()
                    .setId(peer.id())
                    .setAddress(alone ? host + ":" + bound : peer.raft())
                    .setClientAddress(rpcAddress(peer.id()))
                    .build());
        }
        PrivateFiles.make(MemberFile.raft(config.dir()));
        Parameters parameters = new Parameters();
        RaftTransport.secure(parameters, transport);
        RaftServer made = RaftServer.newBuilder()
                .setParameters(parameters)
                .setServerId(RaftPeerId.valueOf(config.id()))
                .setGroup(RaftGroup.valueOf(its.id(), founders))
                .setProperties(RaftSettings.of(config, alone, host, bound))
                .setStateMachineRegistry(id -> machine)
                .setOption(StartupOption.RECOVER)
                .build();
        server = made;
        made.start();
        machine.serving(true);
        info = made.getDivision(its.id()).getInfo();
        LOG.info(
                "raft peer started id={} cluster={} listen={}:{} founders={}",
                config.id(),
                its.cluster(),
                host,
                bound,
                its.peers().keySet());
    }

    /** Only for a peer that is alone, whose port nobody else needs to know. */
    private static int freePort(String host) throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getByName(host))) {
            return probe.getLocalPort();
        }
    }

    @Override
    public void close() throws IOException {
        machine.serving(false);
        RaftServer running = server;
        if (running != null) {
            running.close();
        }
    }

    @Override
    public CompletableFuture<MasterAnswer> propose(MasterCommand command) {
        RaftServer running = server;
        DivisionInfo role = info;
        String refusal = null;
        Group its = group;
        if (running == null || role == null || its == null || !role.isLeader()) {
            return refused(command, ErrorCode.NOT_LEADER, leaderAddress());
        }
        byte[] bytes;
        try {
            bytes = CommandCodec.encode(command, state().level());
        } catch (IllegalArgumentException mustNotEnter) {
            return refused(command, ErrorCode.INVALID, String.valueOf(mustNotEnter.getMessage()));
        }
        if (bytes.length > RaftSettings.COMMAND_BYTES_MAX) {
            refusal = "a command has at most " + RaftSettings.COMMAND_BYTES_MAX + " bytes, not " + bytes.length;
            return refused(command, ErrorCode.INVALID, refusal);
        }
        if (pending.size() >= RaftSettings.PENDING_MAX) {
            refusal = pending.size() + " commands wait for their answer";
            return refused(command, ErrorCode.BUSY, refusal);
        }
        return submit(running, its, command, bytes);
    }

    private CompletableFuture<MasterAnswer> refused(MasterCommand command, ErrorCode code, String message) {
        MasterAnswer answer = MasterAnswer.failed(code, message);
        count(command, answer);
        return CompletableFuture.completedFuture(answer);
    }

    private CompletableFuture<MasterAnswer> submit(RaftServer running, Group its, MasterCommand command, byte[] bytes) {
        long call = calls.incrementAndGet();
        Proposal proposal = new Proposal();
        pending.put(call, proposal);
        Histogram.Timer timer = metrics.commandSeconds.startTimer();
        CompletableFuture<RaftClientReply> reply;
        try {
            reply = running.submitClientRequestAsync(RaftClientRequest.newBuilder()
                    .setClientId(client)
                    .setServerId(running.getId())
                    .setGroupId(its.id())
                    .setCallId(call)
                    .setMessage(Message.valueOf(ByteString.copyFrom(bytes)))
                    .setType(RaftClientRequest.writeRequestType())
                    .build());
        } catch (IOException notSubmitted) {
            reply = CompletableFuture.failedFuture(notSubmitted);
        }
        MasterAnswer tooLate =
                MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, "not answered in " + ANSWER_MILLIS_MAX + " ms");
        return reply.handle((answer, failure) -> answer(proposal, answer, failure))
                .completeOnTimeout(tooLate, ANSWER_MILLIS_MAX, TimeUnit.MILLISECONDS)
                .thenApply(answer -> {
                    pending.remove(call);
                    timer.observeDuration();
                    count(command, answer);
                    return answer;
                })
                .copy(); // Whoever gives it up must not stop what is to be done when the answer comes.
    }

    /** Proposals that wait for their answer. */
    int pendingCount() {
        return pending.size();
    }

    private void entersLog(long call) {
        Proposal proposal = pending.get(call);
        if (proposal != null) {
            proposal.enteredLog = true;
        }
    }

    private MasterAnswer answer(Proposal proposal, @Nullable RaftClientReply reply, @Nullable Throwable failure) {
        if (reply != null && reply.isSuccess()) {
            try {
                return AnswerCodec.fromWire(cleave.wire.MasterAnswer.parseFrom(
                        reply.getMessage().getContent().asReadOnlyByteBuffer()));
            } catch (InvalidProtocolBufferException bug) {
                onFault.accept(bug);
            }
        }
        @Nullable Throwable cause = reply == null ? failure : reply.getException();
        if (proposal.enteredLog) {
            return MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, String.valueOf(cause));
        }
        boolean leads = reply != null && reply.getNotLeaderException() == null;
        return leads
                ? MasterAnswer.failed(ErrorCode.UNAVAILABLE, String.valueOf(cause))
                : MasterAnswer.failed(ErrorCode.NOT_LEADER, leaderAddress());
    }

    private void count(MasterCommand command, MasterAnswer answer) {
        metrics.commands
                .labels(command.getClass().getSimpleName(), answer.code().name())
                .inc();
    }

    @Override
    public String cluster() {
        Group its = group;
        return its == null ? "" : its.cluster();
    }

    @Override
    public MasterState state() {
        return machine.applied().state();
    }

    @Override
    public long appliedIndex() {
        return machine.applied().index();
    }

    @Override
    public long leaderTerm() {
        DivisionInfo role = info;
        return role != null && role.isLeader() && role.isLeaderReady() ? role.getCurrentTerm() : 0;
    }

    @Override
    public String leaderAddress() {
        DivisionInfo role = info;
        RaftPeerId leader = role == null ? null : role.getLeaderId();
        return leader == null ? "" : rpcAddress(leader.toString());
    }

    @Override
    public KnownMasters masters() {
        MasterStateMachine.Configuration applied = machine.configuration();
        return new KnownMasters(leaderAddress(), applied.index(), applied.rpcAddresses());
    }

    private String rpcAddress(String id) {
        if (id.equals(config.id())) {
            return selfRpc;
        }
        Group its = group;
        Peer peer = its == null ? null : its.peers().get(id);
        return peer == null ? "" : peer.rpc();
    }

    @Override
    public List<MasterPeer> peers() {
        DivisionInfo role = info;
        Map<String, String> roles = role == null ? Map.of() : roles(role.getRoleInfoProto());
        List<MasterPeer> told = new ArrayList<>();
        Group its = group;
        if (its == null) {
            return List.of();
        }
        for (String id : its.peers().keySet()) {
            told.add(MasterPeer.newBuilder()
                    .setId(id)
                    .setAddress(rpcAddress(id))
                    .setRole(roles.getOrDefault(id, "UNKNOWN"))
                    .build());
        }
        return told;
    }

    /** This peer's role, and what it knows of others: a leader who answers it lately, a follower who leads. */
    private Map<String, String> roles(RoleInfoProto role) {
        Map<String, String> roles = new TreeMap<>();
        roles.put(config.id(), role.getRole().name());
        if (role.hasLeaderInfo()) {
            for (ServerRpcProto follower : role.getLeaderInfo().getFollowerInfoList()) {
                if (follower.getLastRpcElapsedTimeMs() < HEARD_MILLIS_MAX) {
                    roles.put(follower.getId().getId().toStringUtf8(), "FOLLOWER");
                }
            }
        }
        if (role.hasFollowerInfo() && role.getFollowerInfo().hasLeaderInfo()) {
            ServerRpcProto leader = role.getFollowerInfo().getLeaderInfo();
            if (leader.hasId() && leader.getLastRpcElapsedTimeMs() < HEARD_MILLIS_MAX) {
                roles.put(leader.getId().getId().toStringUtf8(), "LEADER");
            }
        }
        return roles;
    }
}
