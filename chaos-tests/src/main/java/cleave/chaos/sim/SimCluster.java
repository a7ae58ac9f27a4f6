package cleave.chaos.sim;

import cleave.dfs.Dfs;
import cleave.frontend.core.FrontEndCore;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.Accounts;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.rpc.MasterTables;
import cleave.frontend.throttle.AccountThrottle;
import cleave.master.dfs.DfsClusterFiles;
import cleave.master.dfs.DfsSweepFiles;
import cleave.master.loop.MasterCore;
import cleave.master.membership.GroupMembership;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.HighWater;
import cleave.master.rpc.GrpcMasterCalls;
import cleave.master.rpc.GrpcRangeCalls;
import cleave.master.rpc.MapFeed;
import cleave.master.rpc.MasterServices;
import cleave.master.servers.RangeCalls;
import cleave.master.settings.MasterConfig.Peer;
import cleave.model.ClusterId;
import cleave.model.FeatureLevels;
import cleave.model.UnknownFormat;
import cleave.route.RangeTransport;
import cleave.route.rpc.MapWatcher;
import cleave.route.rpc.MasterClient;
import cleave.route.rpc.UnaryCalls;
import cleave.runtime.rpc.CallTimeout;
import cleave.runtime.rpc.Channels;
import cleave.server.ServerCore;
import cleave.server.membership.Membership;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.Masters;
import cleave.server.outside.Readers;
import cleave.server.rpc.GrpcMasters;
import cleave.server.rpc.GrpcTargets;
import cleave.wire.ErrorCode;
import cleave.wire.FoundRequest;
import cleave.wire.MasterGroupGrpc;
import cleave.wire.RegisterReply;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Masters, partition servers and front ends, put together as their root classes do it, on simulated loops, channels, DFS and
 * replicated log. Confined to the simulation.
 */
final class SimCluster {
    private static final long CLOCK_SKEW_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** So long does a server wait for answers to its heartbeats before it opens another stream. */
    private static final int SILENT_HEARTBEATS = 15;

    private static final long RESTART_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FOUNDING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final double DRIFT_MAX = 0.0005;
    private static final Accounts ACCOUNTS = Accounts.development();

    private final World world;
    private final Random random;
    private final SimSettings settings;
    private final Bug bug;
    private final SimMedium dfs;
    private final SimRaft raft;
    private final List<Node> masters = new ArrayList<>();
    private final List<Node> servers = new ArrayList<>();
    private final List<Node> frontEnds = new ArrayList<>();
    private final List<NodeClock> masterClocks = new ArrayList<>();
    private final List<NodeClock> serverClocks = new ArrayList<>();
    private HighWater noted = HighWater.NONE;
    private int replaced;
    private final TreeMap<String, RegisterReply> registrations = new TreeMap<>();
    private final TreeSet<String> believed = new TreeSet<>();
    private final TreeMap<String, SimDisk> disks = new TreeMap<>();
    private final TreeMap<String, RunningFrontEnd> running = new TreeMap<>();
    /** Of the newest process of each server's node. */
    private final TreeMap<String, ServerMetrics> serverMetrics = new TreeMap<>();

    private final TreeMap<String, SimVersion> versions = new TreeMap<>();

    private final List<String> masterAddresses = new ArrayList<>();
    private final List<Peer> peers = new ArrayList<>();
    private final List<String> seeds = new ArrayList<>();

    /** A front end that takes requests. */
    record RunningFrontEnd(SimProcess process, SimLoop loop, FrontEndCore core) {}

    /** How many of what. Immutable. */
    record Size(int masters, int servers, int frontEnds) {}

    SimCluster(World world, Size size, SimSettings settings, Bug bug, SimMedium dfs, SimRaft raft) {
        this.world = world;
        this.random = world.newRandom();
        this.settings = settings;
        this.bug = bug;
        this.dfs = dfs;
        this.raft = raft;
        world.onHalt(this::halted);
        for (int i = 1; i <= size.masters(); i++) {
            masterAddresses.add("m" + i + ":1");
            peers.add(new Peer("m" + i, "m" + i + ":2", "m" + i + ":1"));
        }
        seeds.addAll(masterAddresses);
        for (int i = 1; i <= size.masters(); i++) {
            raft.join("m" + i, "m" + i + ":1");
            masters.add(node("m" + i, this::master));
        }
        raft.onForgotten(this::restart);
        for (int i = 1; i <= size.servers(); i++) {
            seeds.add("s" + i + ":1");
            servers.add(node("s" + i, this::server));
        }
        for (int i = 1; i <= size.frontEnds(); i++) {
            frontEnds.add(node("f" + i, this::frontEnd));
        }
    }

    /** Another machine takes a server's place, under the same id; it is still to be started. */
    Node replace(Node server) {
        replaced++;
        Node next = node(idOf(server.name()) + "." + (1 + replaced), this::server);
        install(next.name(), version(server.name()));
        servers.set(servers.indexOf(server), next);
        return next;
    }

    /** That of a server's machine, whatever runs there. */
    SimDisk disk(String node) {
        return disks.computeIfAbsent(node, name -> new SimDisk());
    }

    /** Somebody deletes what fills the servers' disks. */
    void makeRoom() {
        disks.values().forEach(SimDisk::makeRoom);
    }

    private static String idOf(String node) {
        return node.contains(".") ? node.substring(0, node.indexOf('.')) : node;
    }

    private Node node(String name, Consumer<SimProcess> program) {
        double drift = (random.nextDouble() * 2 - 1) * DRIFT_MAX;
        NodeClock clock = new NodeClock(world.scheduler(), drift);
        if (name.startsWith("m")) {
            masterClocks.add(clock);
        } else if (name.startsWith("s")) {
            serverClocks.add(clock);
        }
        return new Node(world, name, clock, program);
    }

    /**
     * How far, in ticks, timestamps may have come ahead of true time by now: by the error of a leader's clock, or of most servers'
     * clocks; the bound, once more for a server that has not heard a leader's clock; the time of an answer; and what a server's
     * monotonic clock gained since.
     */
    long timestampsAheadMax() {
        List<Long> servers = new ArrayList<>(serverClocks.stream()
                .map(NodeClock::aheadMost)
                .sorted(Comparator.reverseOrder())
                .toList());
        long leader = servers.get((servers().size() + 1) / 2);
        long gained = 0;
        for (NodeClock clock : masterClocks) {
            leader = Math.max(leader, clock.aheadMost());
        }
        for (NodeClock clock : serverClocks) {
            gained = Math.max(gained, clock.gainedMost());
        }
        return leader + (2 * CLOCK_SKEW_NANOS + SILENT_HEARTBEATS * settings.heartbeatNanos()) / 100 + gained;
    }

    /** Starts all, and has the first master found a cluster. */
    void start() {
        nodes().forEach(Node::start);
        found(new SimProcess(world, "founder", new NodeClock(world.scheduler(), 0)));
    }

    private void found(SimProcess operator) {
        boolean[] founded = new boolean[1];
        CallTimeout.on(MasterGroupGrpc.newStub(world.rpc().channel(operator, masterAddresses.get(0))), FOUNDING_NANOS)
                .found(
                        FoundRequest.getDefaultInstance(),
                        Admin.on(reply -> founded[0] = reply.getStatus().getCode() == ErrorCode.OK));
        world.after(FOUNDING_NANOS, () -> {
            if (!founded[0]) {
                found(operator);
            }
        });
    }

    /** Which version the next process on that node is of. */
    void install(String node, SimVersion version) {
        versions.put(node, version);
    }

    SimVersion version(String node) {
        return versions.getOrDefault(node, SimVersion.PRESENT);
    }

    /** What is too old ends, and an operator starts the newer version; nothing else may meet what it does not know. */
    private void halted(SimProcess process, UnknownFormat unknown) {
        if (process.version() == SimVersion.NEWER) {
            world.violation(Finding.By.CORE, process + " halts, though it is of the newest version: " + unknown);
        }
        if (masters.stream().anyMatch(node -> node.process() == process) && raft.wasRaisedOver(process)) {
            world.violation(
                    Finding.By.CORE, "the feature level was raised over " + process + ", which does not support it");
        }
        nodes().stream().filter(node -> node.process() == process).forEach(node -> {
            node.crash();
            world.after(RESTART_NANOS, node::start); // The same version first: it halts again.
            world.after(2 * RESTART_NANOS + random.nextInt(1_000_000_000), () -> {
                install(node.name(), SimVersion.NEWER);
                node.start();
            });
        });
    }

    private void restart(String master) {
        masters.stream().filter(node -> node.name().equals(master)).forEach(node -> {
            node.crash();
            world.after(RESTART_NANOS, node::start);
        });
    }

    /** A core that throws ends its process, which begins again. */
    void restartAfterFaults() {
        world.onFault(process -> nodes().stream()
                .filter(node -> node.process() == process)
                .forEach(node -> {
                    node.crash();
                    world.after(RESTART_NANOS, node::start);
                }));
    }

    List<Node> masters() {
        return masters;
    }

    /** More machines with masters that belong to no cluster yet; they are still to be started. */
    void addBlankMasters(int count) {
        for (int i = 0; i < count; i++) {
            String id = "m" + (masters.size() + 1);
            masterAddresses.add(id + ":1");
            seeds.add(id + ":1");
            Node master = node(id, this::master);
            raft.join(id, id + ":1");
            masters.add(master);
        }
    }

    List<Node> servers() {
        return servers;
    }

    List<Node> frontEnds() {
        return frontEnds;
    }

    List<Node> nodes() {
        List<Node> all = new ArrayList<>(masters);
        all.addAll(servers);
        all.addAll(frontEnds);
        return all;
    }

    /** Null while none runs on that node. */
    @Nullable
    RunningFrontEnd frontEnd(String node) {
        RunningFrontEnd found = running.get(node);
        return found == null || found.process().isDead() ? null : found;
    }

    /** Requests that a server has admitted and not answered. */
    long requestsInside(Node server) {
        ServerMetrics metrics = serverMetrics.get(server.name());
        return metrics == null ? 0 : (long) metrics.requestsInside.get();
    }

    Channels channelsOf(SimProcess process) {
        return new Channels(address -> world.rpc().channel(process, address));
    }

    /** How far the map has come, as the DFS shows. */
    HighWater noted() {
        return noted;
    }

    private void master(SimProcess process) {
        process.runs(version(process.node()));
        SimVersion version = process.version();
        String address = process.node() + ":1";
        SimLoop loop = new SimLoop(process);
        SimLoop feedLoop = new SimLoop(process);
        MasterMetrics metrics = new MasterMetrics(new CollectorRegistry());
        SimRaftMember replication = raft.join(process.node(), address);
        MapFeed feed = new MapFeed(feedLoop, metrics, replication::masters);
        RangeCalls calls = new MutantRangeCalls(
                world,
                new GrpcRangeCalls(loop, channelsOf(process), feed, new Random(random.nextLong())),
                replication,
                bug);
        MasterCore core = MasterCore.of(
                loop,
                new MasterCore.Self(
                        process.node(),
                        process.node(),
                        settingsOf(process.node()),
                        settings.masters(),
                        CLOCK_SKEW_NANOS,
                        settings.balancer(),
                        version.levels(),
                        version.levels().max()),
                new MasterCore.Outside(
                        replication,
                        replication,
                        calls,
                        new GrpcMasterCalls(channelsOf(process)),
                        new MutantSweepFiles(
                                world,
                                new DfsSweepFiles(
                                        dfs.at(process),
                                        () -> new UUID(random.nextLong(), random.nextLong()).toString()),
                                replication,
                                bug,
                                reached -> noted = noted.or(reached)),
                        new DfsClusterFiles(dfs.at(process)),
                        () -> new ClusterId(new UUID(random.nextLong(), random.nextLong()).toString()),
                        metrics));
        world.rpc().serve(address, process, MasterServices.of(core, feed));
        GroupMembership found = replication.begin(process, version, feed::changed);
        feed.changed(replication.state());
        feed.start();
        core.start(found);
    }

    /** A master that comes later names itself alone. */
    private List<Peer> settingsOf(String master) {
        boolean isFounder = peers.stream().anyMatch(peer -> peer.id().equals(master));
        return isFounder ? peers : List.of(new Peer(master, master + ":2", master + ":1"));
    }

    private void server(SimProcess process) {
        String address = process.node() + ":1";
        SimLoop loop = new SimLoop(process);
        List<SimLoop> rangeLoops = new ArrayList<>();
        for (int i = 0; i < settings.loops(); i++) {
            rangeLoops.add(new SimLoop(process));
        }
        Channels channels = channelsOf(process);
        Dfs reached = new MutantDfs(dfs, dfs.at(process), idOf(process.node()), bug, believed);
        process.runs(version(process.node()));
        FeatureLevels levels = process.version().levels();
        MapWatcher map = new MapWatcher(loop, channels, masterAddresses, new Random(random.nextLong()), levels);
        MasterClient client = new MasterClient(loop, channels, masterAddresses, new Random(random.nextLong()));
        client.follow(map);
        ServerMetrics metrics = new ServerMetrics(new CollectorRegistry());
        serverMetrics.put(process.node(), metrics);
        Masters reachedMasters = new MutantMasters(new GrpcMasters(client), raft, bug, registrations, process.clock());
        ServerCore core = ServerCore.of(
                loop,
                new Membership.Self(idOf(process.node()), settings.heartbeatNanos(), 8, settings.ranges(), levels),
                new Membership.Outside(
                        reached,
                        reachedMasters,
                        new MutantTargets(process, dfs, new GrpcTargets(channels), reachedMasters, raft, bug, believed),
                        new SimStores(process, reached, bug, disk(process.node())),
                        new SimReaders(process, random.nextLong()),
                        metrics,
                        rangeLoops,
                        new MutantAnswerOrder(bug)));
        world.rpc().serve(address, process, core.services(map));
        map.start();
        core.membership().start(address);
    }

    private void frontEnd(SimProcess process) {
        SimLoop loop = new SimLoop(process);
        Channels channels = channelsOf(process);
        process.runs(version(process.node()));
        FeatureLevels levels = process.version().levels();
        MapWatcher map = new MapWatcher(loop, channels, seeds, new Random(random.nextLong()), levels);
        MasterClient client = new MasterClient(loop, channels, masterAddresses, new Random(random.nextLong()));
        client.follow(map);
        Random chance = new Random(random.nextLong());
        RangeTransport transport = new MutantTransport(new UnaryCalls(channels), map, bug);
        FrontEndCore core = FrontEndCore.of(
                new FrontEndCore.Outside(
                        loop,
                        transport,
                        map,
                        new MasterTables(loop, client),
                        new Authenticator(() -> ACCOUNTS, Trace.OFF),
                        Trace.OFF,
                        AccountThrottle.OFF,
                        chance,
                        new FrontEndMetrics(new CollectorRegistry())),
                new FrontEndCore.Settings("https://localhost/authorize", List.of(), settings.requests()));
        map.start();
        running.put(process.node(), new RunningFrontEnd(process, loop, core));
    }

    /** Scans beside the loops: a little later, on no loop; some make way for others, and go on later. */
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
