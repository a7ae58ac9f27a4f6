package cleave.chaos.sim.dfs;

import static cleave.chaos.sim.world.Intercepted.changed;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.NodeClock;
import cleave.chaos.sim.world.SimLoop;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.client.ClientLimits;
import cleave.dfs.client.StreamClient;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.CoreLink;
import cleave.dfs.node.NodeCore;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.node.ReadPlan;
import cleave.dfs.node.SpaceMarks;
import cleave.dfs.rpc.DfsStubService;
import cleave.dfs.rpc.GrpcLink;
import cleave.dfs.state.ExtentPlace;
import cleave.dfs.state.FileEntry;
import cleave.dfs.state.NamesCommand;
import cleave.dfs.store.ExtentFiles;
import cleave.dfs.store.ForgetfulDisk;
import cleave.dfs.store.NodeId;
import cleave.dfs.store.NodeRecovery;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A dfs-stub node on a disk that loses unsynced writes, used by the production clients. Its process crashes with and
 * without a loss of power, even between two steps of its disk and during recovery.
 */
public final class SimDfsNode extends SimMedium {
    private static final String NODE = "d1";
    private static final String ADDRESS = NODE + ":1";
    private static final long MILLI = 1_000_000;
    public static final long PLENTY_BYTES = 1L << 40;
    public static final SpaceMarks MARKS = new SpaceMarks(4 << 20, 2 << 20);

    private final World world;
    private final Random random;
    private final NodeLimits limits;
    private final ClientLimits patience;
    private final ForgetfulDisk disk = new ForgetfulDisk();
    private final Node node;
    private final Deletions deletions;
    private final DfsMetrics metrics = new DfsMetrics(new CollectorRegistry());
    private boolean fearful;
    private boolean powerLost;
    private @Nullable Life life;

    /** The parts that a crash ends. */
    private record Life(SimProcess process, SimLoop loop, NodeCore core, ExtentFiles extents) {}

    public SimDfsNode(World world, Bug bug) {
        this.world = world;
        this.deletions = new Deletions(world, bug);
        this.random = world.newRandom();
        int bulkBytes = 256 << random.nextInt(10);
        this.limits = new NodeLimits(Math.max(bulkBytes, 1L << (11 + random.nextInt(5))), bulkBytes, MARKS);
        this.patience =
                new ClientLimits(4_000 * MILLI, 10 * MILLI, 300 * MILLI, 3_000 * MILLI, 256 << random.nextInt(15));
        this.node = new Node(world, NODE, new NodeClock(world.scheduler(), 0), this::begin);
    }

    /** The machine on which it runs. */
    public Node machine() {
        return node;
    }

    @Override
    public String node() {
        return NODE;
    }

    /** From now on power may also fail during recovery. */
    public void fear() {
        fearful = true;
    }

    /** Ends all faults of the disk. */
    public void calmDown() {
        fearful = false;
        disk.failSyncs(false);
        disk.leaveFree(PLENTY_BYTES);
        disk.powerStays();
    }

    /** Makes power fail after this many more steps of the disk. */
    public void powerFailsAfter(int steps) {
        disk.powerFailsAfter(steps);
    }

    /** Sets the space that other programs use. */
    public void leaveFree(long bytes) {
        disk.leaveFree(bytes);
    }

    /** Makes syncs fail or succeed. */
    public void failSyncs(boolean fails) {
        disk.failSyncs(fails);
    }

    @Override
    public Dfs at(SimProcess process) {
        GrpcLink link = new GrpcLink(() -> world.rpc().channel(process, ADDRESS), () -> {}, () -> {});
        return StreamClient.of(
                patience,
                new StreamClient.Outside(new SimLoop(process), link, new Random(random.nextLong()), metrics, () -> {}));
    }

    private void begin(SimProcess process) {
        if (life != null && (powerLost || random.nextInt(3) > 0)) {
            world.note(NODE, "forgets", "what was not synced");
            world.count("crashes that lost what was not synced");
            disk.crash(random);
        }
        powerLost = false;
        if (fearful && random.nextInt(6) == 0) {
            disk.powerFailsAfter(random.nextInt(20));
        }
        try {
            life = recovered(process);
            returned();
        } catch (IOException failed) {
            failed(failed);
        } catch (UncheckedIOException failed) {
            failed(Objects.requireNonNull(failed.getCause()));
        }
    }

    private Life recovered(SimProcess process) throws IOException {
        String id = NodeId.readOrMake(disk, NODE, random);
        ExtentFiles extents = new ExtentFiles(disk);
        NodeRecovery.Recovered recovered = NodeRecovery.recover(disk, extents);
        world.note(NODE, "recovers", "group " + recovered.image().sequence());
        SimLoop loop = new SimLoop(process);
        SimNodeIo io =
                new SimNodeIo(process, new Random(random.nextLong()), disk, extents, this::slowness, this::failed);
        CoreLink link = recovered.start(
                new NodeCore.Self(id, limits, random.nextLong()), new NodeCore.Outside(loop, io, io::read, metrics));
        deletions.begin(id, link);
        world.rpc().serve(ADDRESS, process, () -> "", new DfsStubService(watched(link), metrics));
        return new Life(process, loop, link.core(), extents);
    }

    private long slowness() {
        return random.nextDouble() < faultRates().slowSync() ? (long) (random.nextDouble() * 1.5e9) : 0;
    }

    /** The disk has failed, which ends the process; another one starts later. */
    private void failed(IOException why) {
        boolean told = why instanceof ForgetfulDisk.FullException
                || why instanceof ForgetfulDisk.PowerFailure
                || why instanceof java.io.SyncFailedException;
        if (!told) {
            world.violation(Finding.By.CORE, "the DFS node cannot go on: " + why);
        }
        powerLost |= why instanceof ForgetfulDisk.PowerFailure;
        world.note(NODE, "fails", why.toString());
        world.count(powerLost ? "power failures between two steps of the disk" : "failed syncs");
        node.crash();
        world.after(random.nextInt(random.nextBoolean() ? 200_000_000 : 2_000_000_000), node::start);
    }

    /** The link between the service and the core, whose calls are traced and checked. */
    private NodeLink watched(NodeLink link) {
        return changed(
                link,
                Map.of(
                        "connect",
                        call -> call.goWith(0, watched(call.<NodeLink.Events>argument(0))),
                        "names",
                        call -> {
                            List<NamesCommand> commands = call.argument(1);
                            commands.forEach(this::arrives);
                            return deletions.names(link, call.argument(0), commands);
                        },
                        "lookUp",
                        call -> deletions.lookUp(link, call.argument(0), call.argument(1))));
    }

    private NodeLink.Events watched(NodeLink.Events events) {
        return changed(
                events,
                Map.of(
                        "connected",
                        call -> call.goWith(1, watched(call.<NodeLink.Session>argument(1))),
                        "refused",
                        call -> call.after(() -> world.count(
                                call.argument(1) == ExtentStatus.NO_SPACE
                                        ? "appends refused by the DFS node for lack of space"
                                        : "appends and barriers refused by the DFS node"))));
    }

    private NodeLink.Session watched(NodeLink.Session session) {
        return changed(
                session,
                Map.of(
                        "append", call -> call.after(() -> world.count("appends")),
                        "barrier", call -> call.after(() -> world.count("barriers"))));
    }

    private void arrives(NamesCommand command) {
        world.note("dfs", "takes", command.toString());
        if (command instanceof NamesCommand.DeleteFile delete) {
            world.count("files deleted");
            deletes(delete.path());
        } else if (command instanceof NamesCommand.MarkSealing) {
            world.count("seals");
        }
    }

    @Override
    public boolean isVisible() {
        return life != null && !life.process().isDead();
    }

    private Life life() {
        Life now = life;
        if (now == null || now.process().isDead()) {
            throw new DfsException(Reason.UNAVAILABLE, "the node is down");
        }
        return now;
    }

    private @Nullable FileEntry entry(String path) {
        return life().core().names().state().files().get(path);
    }

    @Override
    public boolean exists(String path) {
        return entry(path) != null;
    }

    @Override
    public @Nullable ByteString peek(String path) {
        FileEntry file = entry(path);
        if (file == null) {
            return null;
        }
        return file.extents().isEmpty() ? ByteString.EMPTY : peek(life(), file.last());
    }

    private static ByteString peek(Life at, ExtentPlace place) {
        NodeLink.Piece all = new NodeLink.Piece(place.id(), 0, Integer.MAX_VALUE, place.length());
        ReadPlan plan = at.loop().look(() -> at.core().read(all));
        if (plan.status() != ExtentStatus.OK) {
            throw new IllegalStateException("extent " + place + " is " + plan.status());
        }
        return at.extents().read(plan);
    }

    @Override
    public boolean isSealed(String path) {
        FileEntry file = entry(path);
        return file != null && file.isSealed();
    }

    @Override
    public long durableLength(String path) {
        ByteString durable = peek(path);
        return durable == null ? 0 : durable.size();
    }

    @Override
    public void mend(String path) {} // The outcome of every append of a node is settled eventually.
}
