package cleave.chaos.sim.stories;

import cleave.chaos.history.EntityKey;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.cluster.Admin;
import cleave.chaos.sim.cluster.FinalCheck;
import cleave.chaos.sim.cluster.SimClient;
import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.cluster.SimSettings;
import cleave.chaos.sim.cluster.SimWorkload;
import cleave.chaos.sim.cluster.TimestampCheck;
import cleave.chaos.sim.dfs.SimDfs;
import cleave.chaos.sim.faults.DfsMistakes;
import cleave.chaos.sim.faults.DiskMistakes;
import cleave.chaos.sim.raft.SimMembers;
import cleave.chaos.sim.raft.SimRaft;
import cleave.chaos.sim.world.Message;
import cleave.chaos.sim.world.MessageScript;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.deploy.CommandFailure;
import cleave.deploy.backup.Waiting;
import cleave.dfs.Dfs;
import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import cleave.wire.AdminGrpc.AdminStub;
import cleave.wire.MasterPeer;
import cleave.wire.StatusRequest;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * A cluster whose only faults are those of a script, and the steps of scripts. A step that waits in vain ends the
 * script and is reported by name.
 */
public final class Stage implements MessageScript {
    /** The operator who requests handoffs and changes of the masters. */
    static final String OPERATOR = "admin";

    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;
    private static final long PATIENCE_NANOS = 30 * SECOND;
    /** The id of the first table. */
    private static final long TABLE_ID = 1;

    private final World world;
    private final SimRaft raft;
    private final SimCluster cluster;
    private final DiskMistakes mistakes;
    private final DfsMistakes dfsMistakes;
    private final SimWorkload workload = SimWorkload.ofOneTable();
    private final Timeline timeline;
    private final SimProcess operator;
    private final List<Trap> traps = new ArrayList<>();
    private final TreeMap<String, Actor> actors = new TreeMap<>();
    private final SimClient judge;

    /** A step of the script did not happen as described. */
    public static final class NotAsTold extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotAsTold(String step) {
            super(step);
        }
    }

    public Stage(long seed, Bug bug, SimSettings settings) {
        world = new World(seed, null);
        timeline = new Timeline(world);
        world.script(this);
        SimDfs dfs = new SimDfs(world, bug);
        cluster = new SimCluster(world, new SimCluster.Size(3, 3, 2), settings, bug, dfs);
        raft = cluster.raft();
        mistakes = new DiskMistakes(cluster);
        dfsMistakes = new DfsMistakes(cluster, bug, dfs);
        workload.watch(new TimestampCheck(cluster)::look);
        operator = new SimProcess(world, OPERATOR);
        judge = newClient("judge", List.of("f1", "f2"), 99);
    }

    private SimClient newClient(String name, List<String> frontEnds, int number) {
        return new SimClient(cluster, workload, name, frontEnds, number);
    }

    /** A cluster that serves an empty table. */
    public void begin() {
        cluster.start();
        ScriptedRequest[] created = new ScriptedRequest[1];
        until("the table was created", () -> {
            if (created[0] == null || (created[0].isAnswered() && created[0].outcome() != Outcome.DONE)) {
                created[0] = actor("c1", "f1")
                        .sends("create the table", workload.requests().createTable(SimWorkload.TABLE));
            }
            return created[0].outcome() == Outcome.DONE;
        });
        workload.tableExistsNow(SimWorkload.TABLE);
        cluster.frontEnds().forEach(this::shows);
        pass(2_000);
        timeline.record(true);
    }

    /** A front end reads the registry once, so that it knows the table. */
    private void shows(Node frontEnd) {
        boolean[] known = new boolean[1];
        SimClient client = newClient("c0", List.of(frontEnd.name()), 0);
        client.operate(new EntityKey(SimWorkload.TABLE, "p0", "r0"), OperationKind.GET, result -> known[0] = true);
        until(frontEnd + " knows the table", () -> known[0]);
    }

    /** Repairs everything and runs the final checks. */
    public void end() {
        timeline.record(false);
        traps.forEach(Trap::release);
        world.network().heal();
        mistakes.putRight();
        dfsMistakes.putRight();
        dfs().has(Dfs.Space.ROOMY);
        for (Node node : cluster.nodes()) {
            node.process().resume();
            node.start();
        }
        world.runFor(15 * SECOND);
        new FinalCheck(cluster, judge, operator).pass(world.now() + FinalCheck.CONVERGENCE_NANOS_MAX);
    }

    @Override
    public void carry(Message message, Runnable arrival, Runnable copy) {
        for (Trap trap : traps) {
            if (trap.takes(message, arrival, copy)) {
                return;
            }
        }
        timeline.arrives(message);
        arrival.run();
    }

    public SimWorkload workload() {
        return workload;
    }

    public SimCluster cluster() {
        return cluster;
    }

    public World world() {
        return world;
    }

    /** The operators' mistakes with masters' disks. */
    DiskMistakes mistakes() {
        return mistakes;
    }

    public Timeline timeline() {
        return timeline;
    }

    /** The client of that name, which uses this front end. */
    Actor actor(String name, String frontEnd) {
        return actors.computeIfAbsent(name, unused -> {
            int number = Integer.parseInt(name.substring(1));
            return new Actor(newClient(name, List.of(frontEnd), number), frontEnd, timeline);
        });
    }

    /** @param text names the messages that it catches */
    Trap trap(String text, Predicate<Message> which, Trap.Mode mode) {
        Trap trap = new Trap(text, which, mode, timeline);
        traps.add(trap);
        return trap;
    }

    void until(String what, BooleanSupplier condition) {
        world.runUntil(world.now() + PATIENCE_NANOS, condition);
        if (!condition.getAsBoolean()) {
            throw new NotAsTold(
                    world.violations().isEmpty()
                            ? "waited " + PATIENCE_NANOS / SECOND + " s in vain until " + what
                            : "something went wrong before " + what);
        }
    }

    void untilHeld(Trap trap) {
        until(trap + " came", trap::hasSprung);
    }

    /** Ends the script unless this holds now. */
    void must(String what, boolean holds) {
        if (!holds) {
            throw new NotAsTold("it is not so that " + what);
        }
    }

    /** Waits for an answer that must be one of these. */
    void expects(ScriptedRequest asked, Outcome... outcomes) {
        until("there is an answer to " + asked, asked::isAnswered);
        pass(1); // Lets time pass, because adjacent events may be observed in either order.
        Outcome had = asked.outcome();
        must(
                asked + " is one of " + List.of(outcomes),
                had != null && List.of(outcomes).contains(had));
    }

    void pass(long millis) {
        world.runFor(millis * MILLI);
    }

    Node node(String name) {
        for (Node node : cluster.nodes()) {
            if (node.name().equals(name)) {
                return node;
            }
        }
        throw new NotAsTold("there is no node " + name);
    }

    List<String> masters() {
        return cluster.masters().stream().map(Node::name).toList();
    }

    List<String> servers() {
        return cluster.servers().stream().map(Node::name).toList();
    }

    SimDfs dfs() {
        return dfsMistakes.current();
    }

    /** Mistakes with the setting that names the DFS. */
    DfsMistakes dfsMistakes() {
        return dfsMistakes;
    }

    /** The newest map. */
    MasterState map() {
        return raft.audited();
    }

    /** The row of a key's partition. */
    Row row(String key) {
        Row row = map().rows().at(Key.beforePartition(TABLE_ID, Actor.keyOf(key).partition()));
        if (row == null) {
            throw new NotAsTold("the map is empty");
        }
        return row;
    }

    /** The server that owns a key. */
    String owner(String key) {
        Incarnation owner = row(key).owner();
        if (owner == null) {
            throw new NotAsTold("nobody owns " + key);
        }
        return owner.server();
    }

    private Manifest manifest(String key) {
        ByteString bytes = dfs().peek(String.valueOf(row(key).manifest()));
        if (bytes == null) {
            throw new NotAsTold("the row of " + key + " has no manifest");
        }
        return ManifestCodec.decode(bytes.toByteArray());
    }

    /** The files with entities of the checkpoint that the map names for a key, oldest first; empty if there is none. */
    List<String> checkpoint(String key) {
        return manifest(key).checkpoints().stream()
                .filter(each -> each.interval()
                        .contains(Key.beforePartition(TABLE_ID, Actor.keyOf(key).partition())))
                .flatMap(each -> each.files().stored().stream())
                .filter(file -> file.localName().endsWith(".sst"))
                .map(Manifest.File::path)
                .toList();
    }

    /** The files of a key's range that the DFS holds damaged, as far as the leader has heard of them. */
    List<String> damagedFiles(String key) {
        List<String> found = new ArrayList<>();
        boolean[] answered = new boolean[1];
        asks(leader()).getStatus(StatusRequest.getDefaultInstance(), Admin.on(reply -> {
            answered[0] = true;
            reply.getStatesList().stream()
                    .filter(state -> state.getRange() == row(key).id())
                    .forEach(state -> found.addAll(state.getDamagedFilesList()));
        }));
        until("the leader has reported its status", () -> answered[0]);
        return found;
    }

    /** The logs that the map names for a key. */
    List<String> logs(String key) {
        return manifest(key).logs().stream().map(Manifest.Log::path).toList();
    }

    /** The stored length of a file, durable or not; -1 if there is none. */
    long length(String path) {
        ByteString bytes = dfs().peek(path);
        return bytes == null ? -1 : bytes.size();
    }

    String leader() {
        until("there is a leader", () -> raft.leaderNode() != null);
        return String.valueOf(raft.leaderNode());
    }

    /** The masters that do not lead. */
    List<String> followers() {
        String leader = leader();
        return masters().stream().filter(each -> !each.equals(leader)).toList();
    }

    /** An operator asks a master; the map shows the outcome. */
    AdminStub asks(String master) {
        return Admin.of(world, operator, master);
    }

    /** An operator asks a master to split the table before a partition. */
    void splits(String master, String partition) {
        asks(master).split(Admin.split(List.of(partition)), Admin.on(reply -> {}));
    }

    /** The DFS is copied, or the copy of it. */
    void copies(BiConsumer<SimProcess, Waiting> how) {
        try {
            how.accept(operator, this::await);
        } catch (CommandFailure refused) {
            throw new NotAsTold("the DFS is copied: " + refused.getMessage());
        }
    }

    private <T> T await(CompletableFuture<T> work) {
        until("the DFS has answered", work::isDone);
        return work.join();
    }

    /** Starts a master that belongs to no cluster; returns its name. */
    String startsBlankMaster() {
        cluster.addBlankMasters(1);
        Node blank = cluster.masters().get(cluster.masters().size() - 1);
        blank.start();
        pass(100);
        return blank.name();
    }

    /** An operator asks the leader to remove one master, to add one, or both; an empty name is none. */
    void changesMasters(String out, String in) {
        asks(leader()).changeMasters(Admin.change(out.isEmpty() ? "" : member(out), in), Admin.on(reply -> {}));
    }

    private String member(String master) {
        return raft.members().all().stream()
                .filter(peer -> peer.getId().equals(master))
                .map(MasterPeer::getMember)
                .findFirst()
                .orElseThrow(() -> new NotAsTold(master + " is no member"));
    }

    /** The masters that are members, once no change is under way. */
    boolean hasMembers(String... masters) {
        SimMembers members = raft.members();
        List<String> ids =
                members.now().stream().map(MasterPeer::getId).sorted().toList();
        return !members.isChanging()
                && ids.equals(Arrays.stream(masters).sorted().toList());
    }

    /** An operator asks a master to merge a key's range with its right neighbour. */
    void merges(String master, String key) {
        asks(master).merge(Admin.merge(row(key)), Admin.on(reply -> {}));
    }

    /** An operator asks a master to move a key's range. */
    void moves(String master, String key, String server) {
        asks(master).move(Admin.move(row(key), server), Admin.on(reply -> {}));
    }

    /** A server that is none of these. */
    String otherThan(String... some) {
        return servers().stream()
                .filter(each -> !List.of(some).contains(each))
                .findFirst()
                .orElseThrow();
    }

    /** Deletes a file that is no longer referenced, as a sweep would. */
    void sweeps(String path) {
        boolean[] done = new boolean[1];
        dfs().at(operator).delete(path).whenComplete((nothing, failure) -> done[0] = true);
        until(path + " was deleted", () -> done[0]);
    }
}
