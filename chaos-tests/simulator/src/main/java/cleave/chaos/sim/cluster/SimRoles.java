package cleave.chaos.sim.cluster;

import static cleave.chaos.sim.world.Intercepted.changed;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.bugs.Mutants;
import cleave.chaos.sim.raft.SimRaft;
import cleave.chaos.sim.raft.SimRaftMember;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.NodeClock;
import cleave.chaos.sim.world.SimLoop;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.SimVersion;
import cleave.chaos.sim.world.World;
import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.frontend.core.FrontEndCore;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.rpc.GrpcTableMaster;
import cleave.frontend.throttle.AccountThrottle;
import cleave.master.core.MasterCore;
import cleave.master.dfs.DfsClusterFiles;
import cleave.master.dfs.DfsSweepFiles;
import cleave.master.membership.GroupMembership;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.HighWater;
import cleave.master.rpc.GrpcMasterCalls;
import cleave.master.rpc.GrpcRangeCalls;
import cleave.master.rpc.MapFeed;
import cleave.master.rpc.MasterServices;
import cleave.master.servers.RangeCalls;
import cleave.master.settings.MasterConfig.Peer;
import cleave.master.settings.MasterSelf;
import cleave.master.sweep.SweepFiles;
import cleave.model.ClusterId;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Readiness;
import cleave.route.RangeTransport;
import cleave.route.rpc.MapWatcher;
import cleave.route.rpc.MasterClient;
import cleave.route.rpc.UnaryCalls;
import cleave.runtime.rpc.Channels;
import cleave.server.ServerCore;
import cleave.server.dfs.DfsProbe;
import cleave.server.membership.Membership;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.Masters;
import cleave.server.outside.Readers;
import cleave.server.range.Belief;
import cleave.server.rpc.GrpcMasters;
import cleave.server.rpc.GrpcTargetServers;
import cleave.wire.HandoffOutcome;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The roles on a cluster's machines: masters, partition servers and front ends, wired from the production cores like in
 * their root classes, on simulated loops, channels, DFS and replicated log.
 */
public final class SimRoles {
    private static final Accounts ACCOUNTS = Accounts.development();

    private static final String OTHER_CLUSTER = "ffffffff-0000-4000-8000-000000000000";

    private final World world;
    private final Random random;
    private final SimSettings settings;
    private final Bug bug;
    private final TreeMap<String, SimMedium> otherDfs = new TreeMap<>();
    private final SimRaft raft;
    private SimMedium dfs;
    private HighWater noted = HighWater.NONE;
    private final Mutants mutants;
    private final TreeMap<String, SimDisk> disks = new TreeMap<>();
    private final TreeMap<String, RunningFrontEnd> running = new TreeMap<>();
    private final TreeMap<String, ServerCore> servers = new TreeMap<>();
    /** The core of the newest process on each server's node. */
    private final TreeMap<String, ServerMetrics> serverMetrics = new TreeMap<>();

    private final TreeMap<String, SimVersion> versions = new TreeMap<>();
    private final List<String> masterAddresses = new ArrayList<>();
    private final List<Peer> peers = new ArrayList<>();
    private final List<String> seeds = new ArrayList<>();

    /** A front end that takes requests. */
    record RunningFrontEnd(SimProcess process, SimLoop loop, FrontEndCore core) {}

    SimRoles(World world, Random random, SimSettings settings, Bug bug, SimMedium dfs, SimRaft raft) {
        this.world = world;
        this.random = random;
        this.settings = settings;
        this.bug = bug;
        this.dfs = dfs;
        this.raft = raft;
        this.mutants = new Mutants(bug, raft);
    }

    /** Adds a master that the settings of all processes name. */
    void addFounder(String id) {
        peers.add(new Peer(id, id + ":2", id + ":1"));
        addMaster(id);
    }

    /** Adds a master to the settings of processes that start from now on. */
    void addMaster(String id) {
        masterAddresses.add(id + ":1");
        seeds.add(id + ":1");
    }

    /** Adds a server from which front ends that start from now on get the map, too. */
    void addSeed(String server) {
        seeds.add(server + ":1");
    }

    String firstMaster() {
        return masterAddresses.get(0);
    }

    /** All processes that start from now on use this DFS, unless their node is set to another. */
    public void use(SimMedium next) {
        dfs = next;
        otherDfs.clear();
    }

    /** The processes that start on that node from now on use this DFS. */
    public void use(String node, SimMedium other) {
        otherDfs.put(node, other);
    }

    private SimMedium dfs(String node) {
        return otherDfs.getOrDefault(node, dfs);
    }

    /** The disk of a server's machine. */
    public SimDisk disk(String node) {
        return disks.computeIfAbsent(node, name -> new SimDisk(world, name));
    }

    /** Bits of the servers' disks rot no more. */
    public void calmDisks() {
        disks.values().forEach(SimDisk::calmDown);
    }

    /** Replaces the servers' disks by ones with room, and without what has rotten unseen. */
    void renewDisks() {
        disks.values().forEach(SimDisk::makeRoom);
        disks.values().forEach(SimDisk::mend);
    }

    /** The version of the next process on that node. */
    public void install(String node, SimVersion version) {
        versions.put(node, version);
    }

    public SimVersion version(String node) {
        return versions.getOrDefault(node, SimVersion.PRESENT);
    }

    /** Null if none runs on that node. */
    @Nullable
    RunningFrontEnd frontEnd(String node) {
        RunningFrontEnd found = running.get(node);
        return found == null || found.process().isDead() ? null : found;
    }

    /** The incarnation of the newest process on a server's node; null while it is not registered. */
    public @Nullable Incarnation incarnation(String node) {
        ServerCore server = servers.get(node);
        return server == null ? null : server.membership().incarnation();
    }

    /** What the newest process on a server's node believes of its ranges. */
    public List<Belief> beliefs(String node) {
        ServerCore server = servers.get(node);
        return server == null ? List.of() : Belief.of(server);
    }

    /** The number of requests that a server has admitted and not answered. */
    long requestsInside(Node server) {
        ServerMetrics metrics = serverMetrics.get(server.name());
        return metrics == null ? 0 : (long) metrics.requestsInside.get();
    }

    Channels channelsOf(SimProcess process) {
        return new Channels((address, handshake) -> world.rpc().channel(process, address, handshake));
    }

    /** The highest map version noted in the DFS. */
    public HighWater noted() {
        return noted;
    }

    static String idOf(String node) {
        return node.contains(".") ? node.substring(0, node.indexOf('.')) : node;
    }

    void master(SimProcess process) {
        process.runs(version(process.node()));
        SimVersion version = process.version();
        String address = process.node() + ":1";
        SimLoop loop = new SimLoop(process);
        SimLoop feedLoop = new SimLoop(process);
        MasterMetrics metrics = new MasterMetrics(new CollectorRegistry());
        SimRaftMember replication = raft.join(process.node(), address);
        MapFeed feed = new MapFeed(feedLoop, metrics, replication::masters);
        Channels channels = channelsOf(process);
        channels.ofCluster(replication::cluster);
        Dfs files = dfs(process.node()).at(process);
        RangeCalls calls = new GrpcRangeCalls(
                loop,
                channels,
                feed,
                new Random(random.nextLong()),
                asked -> world.rpc().refuses(process, asked));
        SweepFiles sweepFiles =
                new DfsSweepFiles(files, () -> new UUID(random.nextLong(), random.nextLong()).toString());
        MasterCore core = MasterCore.of(
                loop,
                new MasterSelf(
                        process.node(),
                        process.node(),
                        settingsOf(process.node()),
                        settings.masters(),
                        NodeClock.SKEW_NANOS,
                        settings.balancer(),
                        version.levels(),
                        allowed(version)),
                new MasterCore.Outside(
                        replication,
                        replication,
                        counted(mutants.rangeCalls(calls, replication)),
                        new GrpcMasterCalls(channels),
                        counted(mutants.sweepFiles(sweepFiles, replication)),
                        new DfsClusterFiles(files),
                        () -> new ClusterId(new UUID(random.nextLong(), random.nextLong()).toString()),
                        metrics));
        world.rpc().serve(address, process, replication::cluster, MasterServices.of(core, feed, ""));
        GroupMembership found = replication.begin(process, version, feed::changed);
        feed.changed(replication.state());
        feed.start();
        core.start(found);
    }

    private RangeCalls counted(RangeCalls calls) {
        return changed(calls, "handoff", call -> {
            HandoffShares.begun(world);
            return call.<HandoffOutcome>then(outcome -> {
                HandoffShares.ended(world, outcome);
                return outcome;
            });
        });
    }

    private SweepFiles counted(SweepFiles files) {
        return changed(
                files,
                Map.of(
                        "note",
                        call -> call.<CompletableFuture<Void>>go().thenRun(() -> noted = noted.or(call.argument(0))),
                        "delete",
                        call -> call.<CompletableFuture<Void>>go().thenRun(() -> world.count("files swept")),
                        "list",
                        call -> call.<List<String>>then(paths -> {
                            world.count("sweeps");
                            return paths;
                        })));
    }

    private int allowed(SimVersion version) {
        return world.now() < settings.levelHeldNanos()
                ? FeatureLevels.INLINE_FILES - 1
                : version.levels().max();
    }

    /** A master that is added later names only itself. */
    private List<Peer> settingsOf(String master) {
        boolean isFounder = peers.stream().anyMatch(peer -> peer.id().equals(master));
        return isFounder ? peers : List.of(new Peer(master, master + ":2", master + ":1"));
    }

    void server(SimProcess process) {
        String address = process.node() + ":1";
        SimLoop loop = new SimLoop(process);
        List<SimLoop> rangeLoops = new ArrayList<>();
        for (int i = 0; i < settings.loops(); i++) {
            rangeLoops.add(new SimLoop(process));
        }
        Channels channels = channelsOf(process);
        SimMedium medium = dfs(process.node());
        Dfs reached = mutants.dfs(medium, medium.at(process), idOf(process.node()));
        process.runs(version(process.node()));
        FeatureLevels levels = process.version().levels();
        MapWatcher map = new MapWatcher(loop, channels, masterAddresses, new Random(random.nextLong()), levels);
        MasterClient client = new MasterClient(loop, channels, masterAddresses, new Random(random.nextLong()));
        client.follow(map);
        ServerMetrics metrics = new ServerMetrics(new CollectorRegistry());
        serverMetrics.put(process.node(), metrics);
        Masters reachedMasters = mutants.masters(new GrpcMasters(client), reached, process.clock());
        ServerCore core = ServerCore.of(
                loop,
                new Membership.Self(idOf(process.node()), settings.heartbeatNanos(), 8, settings.ranges(), levels),
                new Membership.Outside(
                        reached,
                        reachedMasters,
                        mutants.targets(process, medium, new GrpcTargetServers(channels), reachedMasters),
                        new SimStores(process, reached, mutants, disk(process.node())),
                        new SimReaders(process, random.nextLong()),
                        metrics,
                        rangeLoops,
                        mutants.answerOrder()));
        channels.ofCluster(() -> map.current().cluster());
        world.rpc().serve(address, process, () -> map.current().cluster(), core.services(map));
        map.start();
        core.membership().start(address, host(loop, reached), identity -> {});
        servers.put(process.node(), core);
    }

    /** In most clusters no server probes the DFS, for a probe is a message that other rules do without. */
    private Membership.Host host(SimLoop loop, Dfs reached) {
        if (!settings.probing()) {
            return Membership.Host.UNTOLD;
        }
        Dfs probed = changed(
                reached,
                "probe",
                call -> ClusterFile.read(reached)
                        .handle((found, failure) ->
                                failure == null ? Readiness.READY : Readiness.missing("no answer")));
        DfsProbe probe = new DfsProbe(loop, probed);
        probe.start();
        return new Membership.Host("", () -> 0, probe::silentNanos);
    }

    void frontEnd(SimProcess process) {
        SimLoop loop = new SimLoop(process);
        Channels channels = channelsOf(process);
        process.runs(version(process.node()));
        FeatureLevels levels = process.version().levels();
        MapWatcher map = new MapWatcher(loop, channels, seeds, new Random(random.nextLong()), levels);
        channels.ofCluster(() -> map.current().cluster());
        MasterClient client = new MasterClient(loop, channels, masterAddresses, new Random(random.nextLong()));
        client.follow(map);
        Random chance = new Random(random.nextLong());
        RangeTransport transport = mutants.transport(new UnaryCalls(channels), map);
        FrontEndCore core = FrontEndCore.of(
                new FrontEndCore.Outside(
                        loop,
                        transport,
                        map,
                        new GrpcTableMaster(loop, client),
                        new Authenticator(() -> ACCOUNTS, Trace.OFF),
                        Trace.OFF,
                        AccountThrottle.OFF,
                        chance,
                        new FrontEndMetrics(new CollectorRegistry())),
                new FrontEndCore.Settings(
                        "https://localhost/authorize", List.of(), settings.requests(), Long.MAX_VALUE));
        map.start();
        running.put(process.node(), new RunningFrontEnd(process, loop, core));
    }

    /** Starts a server of another cluster at the address of a server that is down. */
    public void stranger(String node) {
        String cluster = bug == Bug.ANSWERED_BY_ANOTHER_CLUSTER ? "" : OTHER_CLUSTER;
        SimProcess process = new SimProcess(world, node);
        world.rpc().serve(node + ":1", process, () -> cluster, new Stranger());
    }

    /** Runs scans outside the loops, a little later; some yield to others and continue later. */
    private record SimReaders(SimProcess process, Random random) implements Readers {
        SimReaders(SimProcess process, long seed) {
            this(process, new Random(seed));
        }

        @Override
        public <T> CompletableFuture<T> submit(int account, Scan<T> scan) {
            CompletableFuture<T> result = new CompletableFuture<>();
            goOn(scan, result);
            return result;
        }

        private <T> void goOn(Scan<T> scan, CompletableFuture<T> result) {
            process.deliver(10_000L + random.nextInt(random.nextInt(10) == 0 ? 20_000_000 : 200_000), () -> {
                try {
                    T end = scan.go(now -> random.nextInt(4) == 0);
                    if (end == null) {
                        goOn(scan, result);
                    } else {
                        result.complete(end);
                    }
                } catch (RuntimeException failure) {
                    result.completeExceptionally(failure);
                }
            });
        }
    }
}
