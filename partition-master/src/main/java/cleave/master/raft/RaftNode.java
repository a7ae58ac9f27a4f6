package cleave.master.raft;

import cleave.master.membership.GroupMembership;
import cleave.master.membership.GroupMembership.Phase;
import cleave.master.membership.MasterGroup;
import cleave.master.metrics.MasterMetrics;
import cleave.master.metrics.RaftFigures;
import cleave.master.replication.Replication;
import cleave.master.settings.MasterConfig;
import cleave.master.settings.MasterConfig.Peer;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterState;
import cleave.model.FeatureLevels;
import cleave.model.KnownMasters;
import cleave.model.UnknownFormat;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.FolderLock;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.rpc.Advertised;
import cleave.runtime.rpc.Transport;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServer.Division;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.util.function.CheckedRunnable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One peer of the masters' Raft group: starts and ends its participation. Thread-safe.
 *
 * <p>The Raft group has the cluster's id, so members of different clusters ignore each other. A master that is not a
 * member runs no Raft server.
 *
 * <p>Commands are submitted to the local server in-process ({@link Proposals}). Nothing is read through Ratis: an
 * isolated leader was observed to answer reads, so only the answer to a replicated command counts.
 */
public final class RaftNode implements Replication, MasterGroup, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RaftNode.class);
    /** After this many maximum election timeouts, a silent member gets a new connection. */
    private static final int SILENT_ELECTIONS = 2;

    private final MasterConfig config;
    private final FeatureLevels levels;
    private final MasterMetrics metrics;
    private final Transport transport;
    private final Consumer<MasterState> onState;
    private final Consumer<Throwable> onFault;
    private final Proposals proposals;
    private final GroupAdmin admin = new GroupAdmin();
    private volatile String selfRpc = "";
    private volatile @Nullable FolderLock folder;
    private volatile @Nullable RaftPart part;
    private volatile @Nullable SilentMembers silentMembers;

    /**
     * @param onState called with each state whose map is newer, in order, by the thread that applies commands
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

    /** @param levels that it supports; it halts on commands and snapshots of other levels */
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
        proposals = new Proposals(metrics, onFault);
        metrics.raft(this::figures);
    }

    /**
     * Takes the folder, reads it, and joins the group that it belongs to, if any. IOException if the folder is in use or does
     * not fit this master, or the address is in use.
     *
     * @param rpcAddress of this master's own gRPC services
     * @return the content of the folder's file; null for a blank master
     */
    public @Nullable GroupMembership start(String rpcAddress) throws IOException {
        selfRpc = rpcAddress;
        folder = FolderLock.take(config.dir());
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

    private static CompletableFuture<Void> attempt(CheckedRunnable<IOException> action) {
        try {
            action.run();
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
                    .setAddress(alone ? Advertised.at(config.self().raft(), bound) : peer.raft())
                    .setClientAddress(peer.id().equals(config.id()) ? selfRpc : peer.rpc())
                    .build());
        }
        PrivateFiles.make(MemberFile.raft(config.dir()));
        MasterStateMachine machine = new MasterStateMachine(levels, metrics, proposals::entersLog, onState, onFault);
        RaftGroupId group = RaftGroupId.valueOf(membership.cluster().uuid());
        Parameters parameters = new Parameters();
        RaftTransport.secure(parameters, transport);
        RaftPart begun;
        try {
            RaftServer server = RaftServer.newBuilder()
                    .setParameters(parameters)
                    .setServerId(RaftPeerId.valueOf(membership.member()))
                    .setGroup(RaftGroup.valueOf(group, founders))
                    .setProperties(RaftSettings.of(config, alone, host, bound))
                    .setStateMachineRegistry(id -> machine)
                    .setOption(StartupOption.RECOVER)
                    .build();
            begun = new RaftPart(config, selfRpc, server, server.getDivision(group), machine, membership);
            part = begun;
            server.start();
        } catch (IOException | RuntimeException failed) {
            throw notStarted(failed);
        }
        RaftServer server = begun.server();
        Division division = begun.division();
        machine.serving(true);
        SilentMembers watched = new SilentMembers(begun, SILENT_ELECTIONS * config.electionMaxNanos() / 1_000_000);
        silentMembers = watched;
        watched.start();
        LOG.info(
                "raft peer started member={} cluster={} listen={}:{} members={}",
                membership.member(),
                membership.cluster(),
                host,
                bound,
                begun.members());
        warnOfOtherAddress(division.getRaftConf().getPeer(server.getId()), bound);
        reportOtherSettings(begun.members());
    }

    /** Ratis starts on nothing but a whole storage, and names what it misses, but not what to do. */
    private IOException notStarted(Exception failed) throws IOException {
        boolean isOfStorage = UnknownFormat.in(failed) == null;
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            isOfStorage &= !(cause instanceof SocketException)
                    && !String.valueOf(cause.getMessage()).contains("bind");
        }
        if (!isOfStorage) {
            throw failed instanceof IOException known ? known : new IOException(failed.getMessage(), failed);
        }
        return new IOException(
                "its Raft storage in " + MemberFile.raft(config.dir()) + " cannot be used: " + FileProblem.whole(failed)
                        + ". It holds this master's votes and its copy of the masters' log, and without them it would break its"
                        + " promises to the others. If a file of it is damaged or lost: "
                        + MemberFile.remedy(config.dir()),
                failed);
    }

    /** The settings name the members at the founding of the cluster; the log has the current ones. */
    private void reportOtherSettings(Collection<RaftPeer> members) {
        TreeSet<String> named = new TreeSet<>();
        config.peers().forEach(peer -> named.add(peer.text()));
        TreeSet<String> known = new TreeSet<>();
        for (RaftPeer member : members) {
            String id = GroupMembership.idOf(member.getId().toString());
            known.add(new Peer(id, member.getAddress(), String.valueOf(member.getClientAddress())).text());
        }
        if (named.size() > 1 && !known.isEmpty() && !named.equals(known)) {
            LOG.info(
                    "the members are no longer those of setting master.peers, which counts only at the founding of a cluster;"
                            + " 'cleave admin masters' changes them members={} settings={}",
                    known,
                    named);
        }
    }

    /** Other masters use the address with which this master joined. */
    private void warnOfOtherAddress(@Nullable RaftPeer self, int bound) {
        if (self != null && config.peers().size() > 1 && MasterConfig.port(self.getAddress()) != bound) {
            LOG.warn(
                    "the other masters look for this master's Raft service at another port: replace this master by itself"
                            + " ('cleave admin masters replace') listens={} known={}",
                    bound,
                    self.getAddress());
        }
    }

    /** Only for the only member of a group, because no other needs to know its port. */
    private static int freePort(String host) throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getByName(host))) {
            return probe.getLocalPort();
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
        RaftPart ended = part;
        part = null;
        if (ended != null) {
            ended.machine().serving(false);
            SilentMembers watched = silentMembers;
            if (watched != null) {
                watched.stop();
            }
            RaftShutdown.close(ended.server(), ended.division());
        }
    }

    @Override
    public void close() throws IOException {
        FolderLock held = folder;
        folder = null;
        try {
            stop();
        } finally {
            if (held != null) {
                held.close();
            }
        }
    }

    /** From this master's participation in the group, or else a value for one that takes part in none. */
    private <T> T ofPart(Function<RaftPart, T> read, T otherwise) {
        RaftPart its = part;
        return its == null ? otherwise : read.apply(its);
    }

    @Override
    public long term() {
        return ofPart(its -> its.info().getCurrentTerm(), 0L);
    }

    /**
     * True if Ratis ended this member's participation, because it is no longer a member according to the others or its
     * own log.
     */
    @Override
    public boolean hasEnded() {
        return ofPart(its -> its.machine().hasEnded(), false);
    }

    @Override
    public CompletableFuture<MasterAnswer> propose(MasterCommand command) {
        return proposals.propose(part, command);
    }

    /** Its part in the group. Thread-safe. */
    public RaftFigures figures() {
        return ofPart(its -> its.figures(proposals.pendingCount()), RaftFigures.NONE);
    }

    /** The number of proposals without an answer. */
    int pendingCount() {
        return proposals.pendingCount();
    }

    @Override
    public String cluster() {
        return ofPart(its -> its.membership().cluster().text(), "");
    }

    @Override
    public MasterState state() {
        return ofPart(its -> its.machine().applied().state(), MasterState.EMPTY);
    }

    @Override
    public long appliedIndex() {
        return ofPart(its -> its.machine().applied().index(), 0L);
    }

    @Override
    public long leaderTerm() {
        return ofPart(RaftPart::leaderTerm, 0L);
    }

    @Override
    public String leaderAddress() {
        return ofPart(RaftPart::leaderAddress, "");
    }

    @Override
    public KnownMasters masters() {
        return ofPart(RaftPart::masters, KnownMasters.NONE);
    }

    @Override
    public String self() {
        return ofPart(RaftPart::member, "");
    }

    @Override
    public List<MasterPeer> peers() {
        return ofPart(RaftPart::peers, List.of());
    }

    @Override
    public CompletableFuture<MasterAnswer> reconfigure(List<String> before, List<MasterPeer> after) {
        return ofPart(its -> admin.reconfigure(its, before, after), notMember());
    }

    @Override
    public CompletableFuture<MasterAnswer> transferLeadership(String member) {
        return ofPart(its -> admin.transferLeadership(its, member), notMember());
    }

    private static CompletableFuture<MasterAnswer> notMember() {
        return CompletableFuture.completedFuture(MasterAnswer.failed(ErrorCode.NOT_LEADER, ""));
    }
}
