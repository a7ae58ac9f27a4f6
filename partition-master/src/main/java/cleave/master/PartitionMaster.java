package cleave.master;

import cleave.dfs.Dfs;
import cleave.master.core.MasterCore;
import cleave.master.dfs.DfsClusterFiles;
import cleave.master.dfs.DfsSweepFiles;
import cleave.master.membership.GroupMembership;
import cleave.master.metrics.MasterMetrics;
import cleave.master.metrics.RaftFigures;
import cleave.master.raft.RaftNode;
import cleave.master.rpc.GrpcMasterCalls;
import cleave.master.rpc.GrpcRangeCalls;
import cleave.master.rpc.MapFeed;
import cleave.master.rpc.MasterServices;
import cleave.master.settings.MasterConfig;
import cleave.master.settings.MasterSelf;
import cleave.master.state.MasterState;
import cleave.model.ClusterId;
import cleave.model.Facts;
import cleave.model.FeatureLevels;
import cleave.model.KnownMasters;
import cleave.model.Readiness;
import cleave.runtime.files.FileProblem;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Advertised;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.PortProbe;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import cleave.wire.FoundReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One master. Thread-safe; started and closed once. Wiring only. */
public final class PartitionMaster implements AutoCloseable {
    private static final Duration STREAMS_GRACE = Duration.ofMillis(50);

    private final MasterConfig config;
    private final ThreadLoop loop;
    private final ThreadLoop feedLoop;
    private final Transport transport;
    private final Channels channels;
    private final PortProbe probe = new PortProbe();
    private final RaftNode raft;
    private final MapFeed feed;
    private final MasterCore core;
    private volatile String admin = "";
    private volatile boolean leadsNothing;
    private volatile @Nullable RpcServer rpc;

    /** @param dfs whose files it sweeps; stays open when the master is closed */
    public PartitionMaster(MasterConfig config, Transport transport, MasterMetrics metrics, Dfs dfs) {
        this(config, transport, metrics, dfs, ThreadLoop::haltOnFault);
    }

    /** @param onFault called with a bug; must end the process */
    public PartitionMaster(
            MasterConfig config, Transport transport, MasterMetrics metrics, Dfs dfs, Consumer<Throwable> onFault) {
        this.config = config;
        this.transport = transport;
        this.channels = new Channels(transport);
        loop = new ThreadLoop("master-" + config.id(), onFault);
        feedLoop = new ThreadLoop("master-map-" + config.id(), onFault);
        feed = new MapFeed(feedLoop, metrics, this::knownMasters);
        channels.keep(() -> feed.current().peers());
        channels.ofCluster(this::cluster);
        raft = new RaftNode(config, transport, metrics, feed::changed, onFault);
        core = MasterCore.of(
                loop,
                new MasterSelf(
                        config.id(),
                        config.dir().toAbsolutePath().toString(),
                        config.peers(),
                        config.timing(),
                        config.clockSkewNanos(),
                        config.balancer(),
                        FeatureLevels.SUPPORTED,
                        config.featureLevel()),
                new MasterCore.Outside(
                        raft,
                        raft,
                        new GrpcRangeCalls(loop, channels, feed, new Random(), probe::refuses),
                        new GrpcMasterCalls(channels),
                        new DfsSweepFiles(dfs, () -> UUID.randomUUID().toString()),
                        new DfsClusterFiles(dfs),
                        () -> new ClusterId(UUID.randomUUID().toString()),
                        metrics));
    }

    /** Has those who ask for the status know where the process serves its metrics. Called before the start, if at all. */
    public void metricsAt(String address) {
        admin = address;
    }

    /** UncheckedIOException if an address is taken or the folder cannot be used; then nothing runs. */
    public void start() {
        boolean started = false;
        try {
            RpcServer listening = RpcServer.start(
                    transport, List.of(config.listen()), this::cluster, MasterServices.of(core, feed, admin));
            rpc = listening;
            GroupMembership found = raft.start(Advertised.at(config.self().rpc(), listening.port()));
            feed.start();
            core.start(found);
            started = true;
        } catch (IOException failure) {
            throw new UncheckedIOException(
                    "master " + config.id() + " cannot start: " + FileProblem.text(failure), failure);
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /** The id of the cluster that it is a member of; empty while it is blank. */
    private String cluster() {
        return raft.cluster();
    }

    private KnownMasters knownMasters() {
        return raft.masters();
    }

    /** Where gRPC is served, with the port it got. */
    public String address() {
        RpcServer listening = rpc;
        return listening == null ? config.listen() : listening.address();
    }

    /** Founds a cluster of the masters that the settings name, or goes on with that: what an operator asks for once. */
    public CompletableFuture<FoundReply> found() {
        return core.founding().found(null);
    }

    /** Ready once it is a member, knows a leader and takes part in what that leader replicates. */
    public Readiness readiness() {
        return core.readiness();
    }

    /** What an operator wants to know of it first. What the cluster has decided is as this master has applied it: a follower may be behind. */
    public Facts status() {
        RaftFigures group = raft.figures();
        MasterState state = raft.state();
        Facts balancer = Facts.NONE;
        for (Map.Entry<String, String> setting :
                state.effectiveSettings().texts().entrySet()) {
            balancer = balancer.and(setting.getKey(), setting.getValue());
        }
        return Facts.NONE
                .and("id", config.id())
                .and("member", raft.self())
                .and("cluster", raft.cluster())
                .and("dfs", state.dfs())
                .and("leads", raft.leaderTerm() != 0)
                .and("leader", raft.leaderAddress())
                .and("term", group.term())
                .and("committedIndex", group.committed())
                .and("appliedIndex", group.applied())
                .and("pendingCommands", group.pending())
                .andEach(
                        "otherMasters",
                        group.others().stream()
                                .map(other -> Facts.NONE
                                        .and("member", other.id())
                                        .and("behind", other.behind())
                                        .and("silentMillis", other.silentMillis()))
                                .toList())
                .and("featureLevel", state.level())
                .and("mapVersion", state.mapVersion())
                .and("ranges", state.rows().size())
                .andTexts(
                        "servers",
                        state.servers().values().stream()
                                .map(server -> server.incarnation() + " " + server.address()
                                        + (server.draining() ? " draining" : ""))
                                .toList())
                .and("balancer", balancer);
    }

    /** Whether all ranges are served, as far as this master knows, which must lead. */
    public CompletableFuture<Readiness> serving() {
        return core.master().serving();
    }

    /** Called before {@link #close}: if it leads, has another master lead. True once it does not lead; false if no other can. */
    public CompletableFuture<Boolean> handOver() {
        return core.master().handOver().thenApply(answer -> {
            leadsNothing = answer.isOk();
            return leadsNothing;
        });
    }

    /** Its loops, by their names. */
    public Map<String, Executor> loops() {
        return Map.of("master", loop::submit, "master-map", feedLoop::submit);
    }

    @Override
    public void close() {
        core.stop();
        feed.stop();
        RpcServer listening = rpc;
        if (listening != null && leadsNothing) {
            // Of the calls that are open, streams never end by themselves, and the others are refused by who does not
            // lead.
            listening.close(STREAMS_GRACE);
        } else if (listening != null) {
            listening.close();
        }
        try {
            raft.close();
        } catch (IOException failure) {
            throw new UncheckedIOException("master " + config.id() + " did not close well", failure);
        } finally {
            loop.close();
            feedLoop.close();
            channels.close();
            probe.close();
        }
    }
}
