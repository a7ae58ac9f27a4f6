package cleave.master.raft;

import cleave.master.membership.GroupMembership;
import cleave.master.membership.GroupMembership.Phase;
import cleave.master.membership.MasterGroup;
import cleave.master.metrics.MasterMetrics;
import cleave.master.replication.Replication;
import cleave.master.settings.MasterConfig;
import cleave.master.settings.MasterConfig.Peer;
import cleave.master.state.AnswerCodec;
import cleave.master.state.CommandCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.model.FeatureLevels;
import cleave.model.KnownMasters;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.rpc.Transport;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import com.google.protobuf.InvalidProtocolBufferException;
import io.prometheus.client.Histogram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.protocol.exceptions.TransferLeadershipException;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServer.Division;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.ProtoUtils;
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
    private final FeatureLevels levels;
    private final MasterMetrics metrics;
    private final Transport transport;
    private final Consumer<MasterState> onState;
    private final Consumer<Throwable> onFault;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final ConcurrentHashMap<Long, Proposal> pending = new ConcurrentHashMap<>();
    private volatile String selfRpc = "";
    private volatile @Nullable Part part;

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
        this.levels = levels;
        this.transport = transport;
        this.metrics = metrics;
        this.onState = onState;
        this.onFault = onFault;
    }

    /** What this master is in a group: from its joining to its leaving, or to the end of the process. Immutable. */
    private record Part(
            RaftServer server,
            Division division,
            DivisionInfo info,
            MasterStateMachine machine,
            GroupMembership membership) {
        RaftGroupId group() {
            return division.getGroup().getGroupId();
        }

        String member() {
            return membership.member();
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
        stop();
        boolean alone = membership.founders().size() == 1;
        String host = MasterConfig.host(config.raftListen());
        int port = MasterConfig.port(config.raftListen());
        int bound = port == 0 ? freePort(host) : port;
        List<RaftPeer> founders = new ArrayList<>();
        for (Peer peer : membership.founders()) {
            founders.add(RaftPeer.newBuilder()
                    .setId(peer.id())
                    .setAddress(alone ? host + ":" + bound : peer.raft())
                    .setClientAddress(peer.id().equals(config.id()) ? selfRpc : peer.rpc())
                    .build());
        }
        PrivateFiles.make(MemberFile.raft(config.dir()));
        MasterStateMachine machine = new MasterStateMachine(levels, metrics, this::entersLog, onState, onFault);
        RaftGroupId group = RaftGroupId.valueOf(membership.cluster().uuid());
        Parameters parameters = new Parameters();
        RaftTransport.secure(parameters, transport);
        RaftServer made = RaftServer.newBuilder()
                .setParameters(parameters)
                .setServerId(RaftPeerId.valueOf(membership.member()))
                .setGroup(RaftGroup.valueOf(group, founders))
                .setProperties(RaftSettings.of(config, alone, host, bound))
                .setStateMachineRegistry(id -> machine)
                .setOption(StartupOption.RECOVER)
                .build();
        Division division = made.getDivision(group);
        part = new Part(made, division, division.getInfo(), machine, membership);
        made.start();
        machine.serving(true);
        Collection<RaftPeer> members = division.getRaftConf().getAllPeers();
        LOG.info(
                "raft peer started member={} cluster={} listen={}:{} members={}",
                membership.member(),
                membership.cluster(),
                host,
                bound,
                members);
        warnOfOtherAddress(division.getRaftConf().getPeer(made.getId()), bound);
        tellOfSettings(members);
    }

    /** The settings named the members when the cluster was founded. */
    private void tellOfSettings(Collection<RaftPeer> members) {
        TreeSet<String> named = new TreeSet<>();
        config.peers().forEach(peer -> named.add(peer.text()));
        TreeSet<String> known = new TreeSet<>();
        for (RaftPeer member : members) {
            String id = GroupMembership.idOf(member.getId().toString());
            known.add(new Peer(id, member.getAddress(), String.valueOf(member.getClientAddress())).text());
        }
        if (named.size() > 1 && !known.isEmpty() && !named.equals(known)) {
            LOG.info(
                    "master.peers counted when the cluster was founded; its members now are others, which"
                            + " 'cleave admin masters' changes members={} settings={}",
                    known,
                    named);
        }
    }

    /** The others go by what they agreed on when this master joined. */
    private void warnOfOtherAddress(@Nullable RaftPeer self, int bound) {
        if (self != null && config.peers().size() > 1 && MasterConfig.port(self.getAddress()) != bound) {
            LOG.warn(
                    "the others look for this master's Raft service elsewhere: have it replaced by itself"
                            + " ('cleave admin masters replace') listens={} known={}",
                    bound,
                    self.getAddress());
        }
    }

    @Override
    public CompletableFuture<Void> leave(GroupMembership membership) {
        return attempt(() -> {
            stop();
            MemberFile.putAside(config.dir(), membership);
        });
    }

    private void stop() throws IOException {
        Part ended = part;
        part = null;
        if (ended != null) {
            ended.machine().serving(false);
            ended.server().close();
        }
    }

    @Override
    public long term() {
        Part its = part;
        return its == null ? 0 : its.info().getCurrentTerm();
    }

    /** This member's part ended by itself: it learnt from the others, or from its log, that it is a member no more. */
    @Override
    public boolean hasEnded() {
        Part its = part;
        return its != null && its.machine().hasEnded();
    }

    /** Only for a peer that is alone, whose port nobody else needs to know. */
    private static int freePort(String host) throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getByName(host))) {
            return probe.getLocalPort();
        }
    }

    @Override
    public void close() throws IOException {
        stop();
    }

    @Override
    public CompletableFuture<MasterAnswer> propose(MasterCommand command) {
        Part its = part;
        String refusal = null;
        if (its == null || !its.info().isLeader()) {
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
        return submit(its, command, bytes);
    }

    private CompletableFuture<MasterAnswer> refused(MasterCommand command, ErrorCode code, String message) {
        MasterAnswer answer = MasterAnswer.failed(code, message);
        count(command, answer);
        return CompletableFuture.completedFuture(answer);
    }

    private CompletableFuture<MasterAnswer> submit(Part its, MasterCommand command, byte[] bytes) {
        long call = calls.incrementAndGet();
        Proposal proposal = new Proposal();
        pending.put(call, proposal);
        Histogram.Timer timer = metrics.commandSeconds.startTimer();
        CompletableFuture<RaftClientReply> reply;
        try {
            reply = its.server()
                    .submitClientRequestAsync(RaftClientRequest.newBuilder()
                            .setClientId(client)
                            .setServerId(its.server().getId())
                            .setGroupId(its.group())
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
                .copy(); // A caller that gives it up must not stop what is to be done when the answer comes.
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
        Part its = part;
        return its == null ? "" : its.membership().cluster().text();
    }

    @Override
    public MasterState state() {
        Part its = part;
        return its == null ? MasterState.EMPTY : its.machine().applied().state();
    }

    @Override
    public long appliedIndex() {
        Part its = part;
        return its == null ? 0 : its.machine().applied().index();
    }

    @Override
    public long leaderTerm() {
        Part its = part;
        return its != null && its.info().isLeader() && its.info().isLeaderReady()
                ? its.info().getCurrentTerm()
                : 0;
    }

    @Override
    public String leaderAddress() {
        Part its = part;
        RaftPeerId leader = its == null ? null : its.info().getLeaderId();
        RaftPeer peer = its == null || leader == null
                ? null
                : its.division().getRaftConf().getPeer(leader);
        return its == null || leader == null
                ? ""
                : rpcAddress(its, leader.toString(), peer == null ? "" : peer.getClientAddress());
    }

    @Override
    public KnownMasters masters() {
        Part its = part;
        if (its == null) {
            return KnownMasters.NONE;
        }
        MasterStateMachine.Configuration applied = its.machine().configuration();
        List<String> addresses = new ArrayList<>();
        applied.rpcAddresses().forEach((member, address) -> addresses.add(rpcAddress(its, member, address)));
        if (addresses.isEmpty()) { // Nothing was applied since the start; what was not committed yet has no version.
            its.division()
                    .getRaftConf()
                    .getAllPeers()
                    .forEach(peer -> addresses.add(rpcAddress(its, peer.getId().toString(), peer.getClientAddress())));
        }
        return new KnownMasters(leaderAddress(), applied.index(), addresses);
    }

    /** A port that was free at the start is another one after each start. */
    private String rpcAddress(Part its, String member, @Nullable String known) {
        boolean isOwn = member.equals(its.member());
        boolean portIsFixed = !config.listen().endsWith(":0");
        return known == null || known.isEmpty() || (isOwn && !portIsFixed) ? (isOwn ? selfRpc : "") : known;
    }

    @Override
    public String self() {
        Part its = part;
        return its == null ? "" : its.member();
    }

    @Override
    public List<MasterPeer> peers() {
        Part its = part;
        if (its == null) {
            return List.of();
        }
        RoleInfoProto role = its.info().getRoleInfoProto();
        Map<String, String> roles = roles(its.member(), role);
        Map<String, Long> committed = new TreeMap<>();
        its.division()
                .getCommitInfos()
                .forEach(info -> committed.put(info.getServer().getId().toStringUtf8(), info.getCommitIndex()));
        TreeMap<String, RaftPeer> known = new TreeMap<>();
        RaftConfiguration configuration = its.division().getRaftConf();
        configuration.getAllPeers().forEach(peer -> known.put(peer.getId().toString(), peer));
        for (ServerRpcProto follower : role.getLeaderInfo().getFollowerInfoList()) {
            RaftPeer peer = ProtoUtils.toRaftPeer(follower.getId());
            if (known.putIfAbsent(peer.getId().toString(), peer) == null) {
                roles.put(peer.getId().toString(), "JOINING");
            }
        }
        long newest = committed.getOrDefault(its.member(), -1L);
        List<MasterPeer> told = new ArrayList<>();
        known.forEach((member, peer) -> {
            long behind = newest - committed.getOrDefault(member, newest + 1);
            told.add(MasterPeer.newBuilder()
                    .setId(GroupMembership.idOf(member))
                    .setMember(member)
                    .setAddress(rpcAddress(its, member, peer.getClientAddress()))
                    .setRaft(known.size() == 1 ? ownRaft(peer) : peer.getAddress())
                    .setRole(roles.getOrDefault(member, "UNKNOWN"))
                    .setBehind(Math.max(-1, behind))
                    .build());
        });
        return told;
    }

    /** The only member may listen on another port than it once told: nobody else had to know. */
    private String ownRaft(RaftPeer only) {
        int port = MasterConfig.port(config.raftListen());
        return config.peers().stream()
                .filter(peer -> peer.id().equals(config.id()) && MasterConfig.port(only.getAddress()) != port)
                .map(Peer::raft)
                .findFirst()
                .orElse(only.getAddress());
    }

    /** This peer's role, and what it knows of others: a leader who answers it lately, a follower who leads. */
    private static Map<String, String> roles(String self, RoleInfoProto role) {
        Map<String, String> roles = new TreeMap<>();
        roles.put(self, role.getRole().name());
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

    @Override
    public CompletableFuture<MasterAnswer> reconfigure(List<String> before, List<MasterPeer> after) {
        Part its = part;
        if (its == null) {
            return CompletableFuture.completedFuture(MasterAnswer.failed(ErrorCode.NOT_LEADER, ""));
        }
        TreeMap<String, RaftPeer> known = new TreeMap<>();
        its.division()
                .getRaftConf()
                .getAllPeers()
                .forEach(peer -> known.put(peer.getId().toString(), peer));
        if (!List.copyOf(known.keySet()).equals(before.stream().sorted().toList())) {
            return CompletableFuture.completedFuture(
                    MasterAnswer.failed(ErrorCode.STALE_VERSION, "the members are " + known.keySet()));
        }
        List<RaftPeer> wanted = after.stream()
                .map(member -> RaftPeer.newBuilder()
                        .setId(member.getMember())
                        .setAddress(member.getRaft())
                        .setClientAddress(member.getAddress())
                        .build())
                .toList();
        LOG.info("changes the members from={} to={}", before, wanted);
        SetConfigurationRequest.Arguments change = SetConfigurationRequest.Arguments.newBuilder()
                .setServersInNewConf(wanted)
                .setServersInCurrentConf(List.copyOf(known.values()))
                .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                .build();
        SetConfigurationRequest request =
                new SetConfigurationRequest(client, its.server().getId(), its.group(), calls.incrementAndGet(), change);
        return administered(() -> its.server().setConfigurationAsync(request));
    }

    @Override
    public CompletableFuture<MasterAnswer> transferLeadership(String member) {
        Part its = part;
        if (its == null) {
            return CompletableFuture.completedFuture(MasterAnswer.failed(ErrorCode.NOT_LEADER, ""));
        }
        LOG.info("transfers the leadership to={}", member);
        TransferLeadershipRequest request = new TransferLeadershipRequest(
                client,
                its.server().getId(),
                its.group(),
                calls.incrementAndGet(),
                RaftPeerId.valueOf(member),
                ANSWER_MILLIS_MAX);
        return administered(() -> its.server().transferLeadershipAsync(request));
    }

    /** What Ratis is asked in this process. */
    private interface Asking {
        CompletableFuture<RaftClientReply> ask() throws IOException;
    }

    private CompletableFuture<MasterAnswer> administered(Asking asking) {
        CompletableFuture<RaftClientReply> asked;
        try {
            asked = asking.ask();
        } catch (IOException refused) {
            asked = CompletableFuture.failedFuture(refused);
        }
        return asked.handle((reply, failure) -> {
            if (reply != null && reply.isSuccess()) {
                return MasterAnswer.ok(reply.getLogIndex());
            }
            Throwable cause = reply != null
                    ? reply.getException()
                    : failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure;
            if (cause instanceof NotLeaderException) {
                return MasterAnswer.failed(ErrorCode.NOT_LEADER, leaderAddress());
            }
            if (cause instanceof ReconfigurationTimeoutException) {
                return MasterAnswer.failed(
                        ErrorCode.CONDITION_FAILED,
                        "the master that joins does not answer the leader at its Raft address: is it right, and open to the"
                                + " other masters?");
            }
            boolean again = cause instanceof ReconfigurationInProgressException
                    || cause instanceof LeaderNotReadyException
                    || cause instanceof TransferLeadershipException;
            return MasterAnswer.failed(again ? ErrorCode.BUSY : ErrorCode.UNKNOWN_OUTCOME, String.valueOf(cause));
        });
    }
}
