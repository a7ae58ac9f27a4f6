package cleave.chaos.sim.cluster;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.raft.SimRaft;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.NodeClock;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.SimVersion;
import cleave.chaos.sim.world.World;
import cleave.master.state.MasterState;
import cleave.model.UnknownFormat;
import cleave.runtime.rpc.CallTimeout;
import cleave.wire.ErrorCode;
import cleave.wire.FoundRequest;
import cleave.wire.MasterGroupGrpc;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The machines of a cluster: masters, partition servers and front ends, which are restarted when they halt. */
public final class SimCluster {
    /** How long a server waits for heartbeat replies before it opens another stream. */
    private static final int SILENT_HEARTBEATS = 15;

    private static final long RESTART_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FOUNDING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final double DRIFT_MAX = 0.0005;
    private final World world;
    private final Random random;
    private final SimSettings settings;
    private final SimRoles roles;
    private final SimMedium dfs;
    private final Auditor auditor;
    private final SimRaft raft;
    private final List<Node> masters = new ArrayList<>();
    private final List<Node> servers = new ArrayList<>();
    private final List<Node> frontEnds = new ArrayList<>();
    private final List<NodeClock> masterClocks = new ArrayList<>();
    private final List<NodeClock> serverClocks = new ArrayList<>();
    private int replaced;

    /** The number of machines of each role. Immutable. */
    public record Size(int masters, int servers, int frontEnds) {}

    public SimCluster(World world, Size size, SimSettings settings, Bug bug, SimMedium dfs) {
        this.world = world;
        this.settings = settings;
        this.dfs = dfs;
        this.auditor = new Auditor(world, dfs);
        this.raft = new SimRaft(world, bug, auditor::look);
        this.random = world.newRandom();
        this.roles = new SimRoles(world, random, settings, bug, dfs, raft);
        world.onHalt(this::halted);
        for (int i = 1; i <= size.masters(); i++) {
            roles.addFounder("m" + i);
        }
        for (int i = 1; i <= size.masters(); i++) {
            raft.join("m" + i, "m" + i + ":1");
            masters.add(node("m" + i, roles::master));
        }
        raft.onForgotten(this::restart);
        for (int i = 1; i <= size.servers(); i++) {
            roles.addSeed("s" + i);
            servers.add(node("s" + i, roles::server));
        }
        for (int i = 1; i <= size.frontEnds(); i++) {
            frontEnds.add(node("f" + i, roles::frontEnd));
        }
    }

    /** Replaces a server by another machine with the same id, which is not started yet. */
    public Node replace(Node server) {
        replaced++;
        Node next = node(SimRoles.idOf(server.name()) + "." + (1 + replaced), roles::server);
        roles.install(next.name(), roles.version(server.name()));
        servers.set(servers.indexOf(server), next);
        return next;
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
     * The maximum lead of timestamps over true time by now, in ticks. It is the sum of the error of a leader's clock or
     * of most servers' clocks; the limit, twice for a server that has not received a leader's clock; the duration of an
     * answer; and the gain of a server's monotonic clock since.
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
        return leader + (2 * NodeClock.SKEW_NANOS + SILENT_HEARTBEATS * settings.heartbeatNanos()) / 100 + gained;
    }

    /** Starts all machines and founds a cluster on the first master. */
    public void start() {
        nodes().forEach(Node::start);
        found(new SimProcess(world, "founder"));
    }

    private void found(SimProcess operator) {
        boolean[] founded = new boolean[1];
        CallTimeout.on(MasterGroupGrpc.newStub(world.rpc().channel(operator, roles.firstMaster())), FOUNDING_NANOS)
                .found(
                        FoundRequest.getDefaultInstance(),
                        Admin.on(reply -> founded[0] = reply.getStatus().getCode() == ErrorCode.OK));
        world.after(FOUNDING_NANOS, () -> {
            if (!founded[0]) {
                found(operator);
            }
        });
    }

    /** A process that is too old ends and an operator starts the newer version; no other process may meet something unknown. */
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
            world.after(RESTART_NANOS, node::start); // First restarts the same version, which halts again.
            world.after(2 * RESTART_NANOS + random.nextInt(1_000_000_000), () -> {
                roles.install(node.name(), SimVersion.NEWER);
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

    /** A core that throws ends its process, which restarts. */
    public void restartAfterFaults() {
        world.onFault(process -> nodes().stream()
                .filter(node -> node.process() == process)
                .forEach(node -> {
                    node.crash();
                    world.after(RESTART_NANOS, node::start);
                }));
    }

    public World world() {
        return world;
    }

    /** The DFS on which it was founded. */
    public SimMedium dfs() {
        return dfs;
    }

    public Auditor auditor() {
        return auditor;
    }

    /** The masters' log. */
    public SimRaft raft() {
        return raft;
    }

    /** The newest map and all that the masters keep with it. */
    public MasterState audited() {
        return raft.audited();
    }

    /** The programs on the machines. */
    public SimRoles roles() {
        return roles;
    }

    public List<Node> masters() {
        return masters;
    }

    /** Adds machines for masters without a cluster, which are not started yet. */
    public void addBlankMasters(int count) {
        for (int i = 0; i < count; i++) {
            String id = "m" + (masters.size() + 1);
            roles.addMaster(id);
            Node master = node(id, roles::master);
            raft.join(id, id + ":1");
            masters.add(master);
        }
    }

    public List<Node> servers() {
        return servers;
    }

    public List<Node> frontEnds() {
        return frontEnds;
    }

    public List<Node> nodes() {
        List<Node> all = new ArrayList<>(masters);
        all.addAll(servers);
        all.addAll(frontEnds);
        return all;
    }
}
