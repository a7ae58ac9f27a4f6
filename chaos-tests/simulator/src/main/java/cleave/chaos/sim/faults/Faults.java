package cleave.chaos.sim.faults;

import static cleave.chaos.sim.world.World.any;

import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.cluster.SimDisk;
import cleave.chaos.sim.dfs.SimDfs;
import cleave.chaos.sim.dfs.SimDfsNode;
import cleave.chaos.sim.world.Dice;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Injects the faults of one seed, of some kinds, about one per second, until everything is repaired; or those of a list, instead of
 * what the seed would draw.
 */
public final class Faults {
    /** The note at the end. */
    public static final String HEALED = "HEAL";

    private static final long SECOND = 1_000_000_000L;
    private static final double DRIFT_MAX = 0.2;
    private static final int UPGRADES_SELDOM = 3;
    private static final long STALE_MIN = 6 * SECOND;
    private static final long WRONG_MIN = 6 * SECOND;
    private static final int WRONG_DOUBLINGS = 12;
    private static final int CHANGES_SELDOM = 2;
    private static final int BLANK_MASTERS = 2;

    private final World world;
    private final SimCluster cluster;
    private final Agenda agenda;
    private final SimMedium dfs;
    private final @Nullable SimDfsNode dfsNode;
    private final @Nullable SimDfs engine;
    private final Operator operator;
    private final Dice random;
    private final Cuts cuts;
    private final Crashes crashes;
    private final DiskMistakes mistakes;
    private final EnumSet<FaultKind> kinds;
    private final boolean chosen;
    private final Upgrades upgrades;
    private final boolean upgrading;
    private final boolean mastersClocksWrong;
    private final @Nullable MasterChanges changes;
    /** Whom the fault that strikes now has chosen. */
    private StringJoiner struck = new StringJoiner(" ");

    private boolean over;

    /**
     * @param only the requested kinds; null for a random selection
     * @param given the faults of a list, drawn earlier by the same seed with the same kinds; null if the seed draws
     */
    public Faults(SimCluster cluster, SimProcess operator, @Nullable Set<FaultKind> only, @Nullable List<Fault> given) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.agenda = new Agenda(world, given);
        this.dfs = cluster.dfs();
        this.mistakes = new DiskMistakes(cluster);
        this.dfsNode = dfs instanceof SimDfsNode node ? node : null;
        this.engine = dfs instanceof SimDfs one ? one : null;
        this.random = world.newDice();
        this.cuts = new Cuts(world);
        this.crashes = new Crashes(cluster, cuts);
        this.chosen = only != null;
        this.kinds = EnumSet.noneOf(FaultKind.class);
        for (FaultKind kind : FaultKind.values()) {
            boolean wanted = only == null ? random.nextInt(4) > 0 : only.contains(kind);
            if (wanted && kind.happens(dfsNode != null)) {
                kinds.add(kind);
            }
        }
        if (engine != null && agenda.lasts(FaultKind.FORGOTTEN_FENCES, kinds.contains(FaultKind.FORGOTTEN_FENCES))) {
            world.count("fault " + FaultKind.FORGOTTEN_FENCES);
            engine.forgetsFences(); // Set at the beginning, because all handles depend on its times.
        }
        this.operator = new Operator(cluster, operator, kinds, agenda);
        this.upgrades = new Upgrades(cluster, agenda);
        boolean upgraded = kinds.contains(FaultKind.UPGRADE) && (chosen || random.nextInt(UPGRADES_SELDOM) == 0);
        this.upgrading = agenda.lasts(FaultKind.UPGRADE, upgraded) || agenda.has(FaultKind.UPGRADE);
        this.mastersClocksWrong = random.nextInt(4) == 0;
        boolean changing = kinds.contains(FaultKind.CHANGED_MASTERS) && (chosen || random.nextInt(CHANGES_SELDOM) == 0);
        this.changes = changing ? new MasterChanges(cluster, operator, agenda) : null;
    }

    public void begin() {
        world.network().slowness(part(FaultKind.SLOW_MESSAGES, 0.05));
        world.rpc().duplicates(part(FaultKind.REPEATED_REQUESTS, 0.25));
        cluster.raft().faultRates(part(FaultKind.PROPOSALS_IN_DOUBT, 0.25));
        dfs.inject(new SimMedium.FaultRates(
                part(FaultKind.APPENDS_IN_DOUBT, 0.05),
                part(FaultKind.DFS_CALLS_IN_DOUBT, 0.05),
                part(FaultKind.SLOW_SYNCS, 0.15),
                part(FaultKind.SLOW_SEALS, 0.3),
                part(FaultKind.PATHS_IN_USE, 0.05),
                part(FaultKind.LAGGING_READERS, 0.95)));
        if (dfsNode != null && agenda.lasts(FaultKind.DFS_POWER_FAILURE, kinds.contains(FaultKind.DFS_POWER_FAILURE))) {
            dfsNode.fear();
        }
        operator.begin();
        if (upgrading) {
            upgrades.begin();
        }
        MasterChanges masters = changes;
        if (masters != null) {
            boolean lasts = agenda.lasts(FaultKind.CHANGED_MASTERS, true);
            if (lasts) {
                world.count("fault " + FaultKind.CHANGED_MASTERS);
            }
            masters.begin(lasts ? BLANK_MASTERS : 0);
        }
        mistakes.begin();
        agenda.replay(kind -> kind.weight() > 0, dice(), kind -> {
            if (!over) {
                begins(kind);
            }
        });
        later();
    }

    /** All that chooses whom a fault strikes. */
    private List<Dice> dice() {
        return List.of(random, cuts.dice(), crashes.dice(), mistakes.dice());
    }

    /** The faults of this run so far, by which it can be repeated. */
    public List<Fault> struck() {
        return agenda.kept();
    }

    /** The share of messages or calls that a lasting fault affects. */
    private double part(FaultKind kind, double most) {
        double part = (chosen ? 0.2 + 0.8 * random.nextDouble() : random.nextDouble()) * most;
        double share = agenda.lasting(kind, kinds.contains(kind) ? part : 0);
        if (share > 0) {
            world.count("fault " + kind);
        }
        return share;
    }

    private void later() {
        long pause = (long) (random.nextDouble() * 2 * SECOND);
        if (agenda.isGiven()) {
            return;
        }
        world.after(pause, () -> {
            if (!over) {
                strike();
                later();
            }
        });
    }

    private void strike() {
        int total = 0;
        for (FaultKind kind : kinds) {
            total += kind.weight();
        }
        if (total == 0) {
            return;
        }
        int dice = random.nextInt(total);
        for (FaultKind kind : kinds) {
            dice -= kind.weight();
            if (dice < 0) {
                begins(kind);
                return;
            }
        }
    }

    private void begins(FaultKind kind) {
        world.note("fault", kind.name(), "");
        world.count("fault " + kind);
        struck = new StringJoiner(" ");
        List<Long> states = Agenda.states(dice());
        strike(kind);
        agenda.struck(kind, states, struck.toString());
    }

    /** One of these, which is named to readers. */
    private Node one(List<Node> all) {
        Node chosen = any(all, random);
        struck.add(chosen.name());
        return chosen;
    }

    private String oneName(List<String> all) {
        String chosen = any(all, random);
        struck.add(chosen);
        return chosen;
    }

    private void strike(FaultKind kind) {
        switch (kind) {
            case CRASH_OF_A_SERVER -> crashes.crash(one(cluster.servers()));
            case CRASH_OF_A_MASTER -> crashes.crash(one(cluster.masters()));
            case CRASH_OF_A_FRONT_END -> crashes.crash(one(cluster.frontEnds()));
            case CRASH_OF_ALL_MASTERS -> cluster.masters().forEach(crashes::crash);
            case CRASH_OF_ALL_SERVERS -> cluster.servers().forEach(crashes::crash);
            case CRASH_AT_AN_EVENT -> crashes.crashAtAnEvent(one(machines()));
            case ZOMBIE -> crashes.makeZombie(one(cluster.servers()));
            case PAUSE -> pause(one(cluster.nodes()));
            case PARTITION_OF_TWO -> cuts.between(oneName(names()), oneName(names()), false, cuts.someTime());
            case PARTITION_ONE_WAY -> cuts.between(oneName(names()), oneName(names()), true, cuts.someTime());
            case PARTITION_IN_HALVES -> cuts.divide(namesOf(cluster.nodes()));
            case SWIZZLE -> cuts.swizzle(names());
            case ISOLATION -> isolate(one(cluster.nodes()).name());
            case CUT_FROM_THE_MASTERS ->
                cutFrom(random.nextInt(3) == 0 ? cluster.frontEnds() : cluster.servers(), namesOf(cluster.masters()));
            case STALE_OWNER ->
                makeStale(
                        one(cluster.servers()).name(), one(cluster.frontEnds()).name());
            case CUT_FROM_THE_DFS -> cutFrom(cluster.servers(), List.of(dfs.node()));
            case CONNECTION_RESET -> world.rpc().reset(oneName(names()), oneName(names()));
            case DEAFNESS -> {
                Node deaf = one(random.nextBoolean() ? cluster.frontEnds() : cluster.nodes());
                world.rpc().deafen(deaf.process(), cuts.someTime());
            }
            case DELAY_STORM -> storm(world.network()::delays, 0.5);
            case LOSS_STORM -> storm(world.network()::loses, 0.05);
            case SLOW_NODE -> slow(one(cluster.nodes()).name());
            case LOST_LEADER -> cluster.raft().depose();
            case LOST_FOLDERS -> mistakes.lose();
            case OLD_FOLDERS -> mistakes.age();
            case CLOCK_JUMP -> one(machines()).clock().jump((long) ((random.nextDouble() - 0.5) * 8 * SECOND));
            case CLOCK_DRIFT -> one(machines()).clock().drift((random.nextDouble() * 2 - 1) * DRIFT_MAX);
            case CLOCK_WRONG -> setWrong(one(mastersClocksWrong ? cluster.masters() : cluster.servers()));
            case FULL_DISK -> fillDisk();
            case BIT_ROT -> rot(cluster.roles().disk(one(cluster.servers()).name()));
            case DFS_CRASH, DFS_POWER_FAILURE, DFS_PAUSE, DFS_SYNC_FAILURE, DFS_DISK_FULL -> strikeNode(kind);
            case BROKEN_FILES, DFS_NAMES_AWAY -> strikeEngine(kind);
            default -> throw new IllegalArgumentException(kind + " lasts");
        }
    }

    /** By 6 seconds to about 7 hours, ahead or behind; one in four clocks stays wrong to the end. */
    private void setWrong(Node node) {
        long size = (long) (WRONG_MIN * Math.pow(2, random.nextDouble() * WRONG_DOUBLINGS));
        long by = random.nextBoolean() ? size : -size;
        node.clock().jump(by);
        if (random.nextInt(4) > 0) {
            world.after(SECOND + random.nextInt(8) * SECOND, () -> {
                if (!over) {
                    node.clock().jump(-by);
                }
            });
        }
    }

    /** Half of them stay full to the end, so that other servers must take over the ranges. */
    private void fillDisk() {
        List<SimDisk> empty = cluster.servers().stream()
                .map(node -> cluster.roles().disk(node.name()))
                .filter(disk -> !disk.isFull())
                .toList();
        if (empty.size() < 2) {
            return;
        }
        SimDisk disk = any(empty, random);
        disk.fill(random.nextBoolean());
        if (random.nextBoolean()) {
            world.after(cuts.someTime(), disk::makeRoom);
        }
    }

    private void rot(SimDisk disk) {
        switch (random.nextInt(4)) {
            case 0 -> disk.rots(false);
            case 1 -> disk.rots(true);
            case 2 -> disk.rotsUnderUpload();
            default -> disk.changesWhatArrives();
        }
    }

    private void strikeNode(FaultKind kind) {
        SimDfsNode node = dfsNode;
        if (node == null) {
            return;
        }
        switch (kind) {
            case DFS_CRASH -> crashes.crash(node.machine());
            case DFS_POWER_FAILURE -> node.powerFailsAfter(random.nextInt(1 << random.nextInt(9)));
            case DFS_PAUSE -> pause(node.machine());
            case DFS_DISK_FULL -> {
                long low = SimDfsNode.MARKS.low();
                node.leaveFree(random.nextInt(4) == 0 ? random.nextInt(20_000) : (long) (random.nextDouble() * low));
                world.after((long) (random.nextDouble() * 5 * SECOND), () -> node.leaveFree(SimDfsNode.PLENTY_BYTES));
            }
            default -> {
                node.failSyncs(true);
                world.after(random.nextInt(500_000_000), () -> node.failSyncs(false));
            }
        }
    }

    private void strikeEngine(FaultKind kind) {
        SimDfs struck = engine;
        if (struck == null) {
            return;
        }
        if (kind == FaultKind.DFS_NAMES_AWAY) {
            struck.losesNames((long) (random.nextDouble() * 4 * SECOND));
        }
        if (kind == FaultKind.BROKEN_FILES || random.nextBoolean()) {
            struck.breakFiles(
                    random.nextInt(3) == 0 ? "" : "-" + one(cluster.servers()).name() + ".");
        }
    }

    private List<Node> machines() {
        List<Node> all = cluster.nodes();
        if (dfsNode != null) {
            all.add(dfsNode.machine());
        }
        return all;
    }

    private static List<String> namesOf(List<Node> nodes) {
        return new ArrayList<>(nodes.stream().map(Node::name).toList());
    }

    private List<String> names() {
        List<String> names = namesOf(cluster.nodes());
        names.add(dfs.node());
        return names;
    }

    private void pause(Node node) {
        node.process().pause((long) (random.nextDouble() * 5 * SECOND));
    }

    private void isolate(String node) {
        List<String> others = random.nextBoolean() ? names() : namesOf(cluster.nodes());
        cuts.around(node, others, random.nextInt(3) == 0, cuts.someTime());
    }

    private void cutFrom(List<Node> whom, List<String> others) {
        cuts.around(one(whom).name(), others, random.nextBoolean(), cuts.someTime());
    }

    /**
     * The front end keeps sending requests to the server, while others take its ranges; the server learns of it from nobody, not
     * even the DFS.
     */
    private void makeStale(String server, String frontEnd) {
        List<String> masters = namesOf(cluster.masters());
        long nanos = STALE_MIN + cuts.someTime();
        cuts.around(server, masters, false, nanos);
        cuts.between(server, dfs.node(), false, nanos);
        cuts.around(frontEnd, masters, false, nanos);
    }

    private void storm(DoubleConsumer storm, double most) {
        storm.accept(random.nextDouble() * most);
        world.after((long) (random.nextDouble() * 4 * SECOND), () -> storm.accept(0));
    }

    private void slow(String node) {
        world.network().slow(node);
        world.after(2 * SECOND + cuts.someTime(), () -> world.network().fast(node));
    }

    /** Ends all faults and repairs everything. */
    public void end() {
        over = true;
        operator.end();
        mistakes.end();
        world.note("fault", HEALED, "");
        cuts.heal();
        world.rpc().duplicates(0);
        cluster.raft().faultRates(0);
        dfs.inject(SimMedium.FaultRates.NONE);
        cluster.roles().calmDisks();
        if (dfsNode != null) {
            dfsNode.calmDown();
        }
        machines().forEach(node -> node.clock().repair());
        if (upgrading) {
            upgrades.end();
        }
        crashes.end(machines());
        MasterChanges masters = changes;
        if (masters != null) {
            masters.end();
        }
    }
}
