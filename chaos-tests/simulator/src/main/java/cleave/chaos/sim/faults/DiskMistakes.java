package cleave.chaos.sim.faults;

import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.raft.SimRaftDisk;
import cleave.chaos.sim.world.Dice;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.World;
import cleave.master.membership.GroupMembership;
import cleave.master.policy.Lineage;
import cleave.master.state.MasterState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Operators' mistakes with masters' disks, corrected a while later: masters start with empty folders, as if a disk was
 * not mounted, or all start with outdated folders. One mistake at a time.
 */
public final class DiskMistakes {
    private static final long SECOND = 1_000_000_000L;
    private static final long COPY_NANOS = 2 * SECOND;
    private static final int COPIES_MAX = 10;

    private final World world;
    private final SimCluster cluster;
    private final Dice random;
    private final List<SortedMap<String, SimRaftDisk>> copies = new ArrayList<>();
    private final TreeMap<String, SimRaftDisk> keptAside = new TreeMap<>();
    private boolean aged;
    private boolean over;

    public DiskMistakes(SimCluster cluster) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.random = world.newDice();
    }

    Dice dice() {
        return random;
    }

    void begin() {
        if (!over) {
            if (keptAside.isEmpty()) {
                copies.add(disks(cluster.masters()));
            }
            if (copies.size() > COPIES_MAX) {
                copies.remove(0);
            }
            world.after(COPY_NANOS, this::begin);
        }
    }

    private SortedMap<String, SimRaftDisk> disks(List<Node> masters) {
        TreeMap<String, SimRaftDisk> disks = new TreeMap<>();
        masters.forEach(master ->
                disks.put(master.name(), cluster.raft().member(master.name()).disk()));
        return disks;
    }

    /** Some masters start with empty folders. */
    public void lose() {
        if (keptAside.isEmpty()) {
            List<Node> some = new ArrayList<>(cluster.masters());
            Collections.shuffle(some, random);
            lose(some.subList(0, 1 + random.nextInt(some.size())));
            putRightLater();
        }
    }

    /** These masters start with empty folders. */
    public void lose(List<Node> masters) {
        keptAside.putAll(disks(masters));
        world.count("masters with an empty folder: " + masters.size());
        for (Node master : masters) {
            restart(master, SimRaftDisk.EMPTY);
        }
    }

    /** All masters start with outdated folders, if the DFS shows that they are outdated. */
    public void age() {
        List<SortedMap<String, SimRaftDisk>> old =
                copies.stream().filter(this::isShown).toList();
        if (keptAside.isEmpty() && !old.isEmpty()) {
            age(old.get(random.nextInt(old.size())));
            putRightLater();
        }
    }

    /** All masters start with these folders. */
    public void age(Map<String, SimRaftDisk> old) {
        keptAside.putAll(disks(cluster.masters()));
        aged = true;
        world.count("masters with folders of the past");
        cluster.masters().forEach(Node::crash);
        cluster.masters().forEach(master -> restart(master, Objects.requireNonNull(old.get(master.name()))));
    }

    /** The current folders. */
    public Map<String, SimRaftDisk> copy() {
        return disks(cluster.masters());
    }

    private static MasterState newest(SortedMap<String, SimRaftDisk> disks) {
        MasterState newest = MasterState.EMPTY;
        for (SimRaftDisk disk : disks.values()) {
            MasterState its = disk.state();
            newest = its.mapVersion() >= newest.mapVersion() ? its : newest;
        }
        return newest;
    }

    private boolean isShown(SortedMap<String, SimRaftDisk> copy) {
        MasterState newest = newest(copy);
        return cluster.roles().noted().problem(newest) != null
                || Lineage.problem(newest, List.copyOf(cluster.auditor().reachable())) != null;
    }

    private void restart(Node master, SimRaftDisk disk) {
        master.crash();
        cluster.raft().member(master.name()).restore(disk);
        master.start();
    }

    private void putRightLater() {
        world.after((long) ((2 + random.nextDouble() * 10) * SECOND), this::putRight);
    }

    /**
     * Puts the saved folders back, unless the masters have caught up from the outdated folders and continued, so that
     * their folders are now the newest.
     */
    public void putRight() {
        TreeMap<String, SimRaftDisk> back = new TreeMap<>(keptAside);
        boolean isAged = aged;
        keptAside.clear();
        aged = false;
        if (isAged && hasGoneBeyond(newest(disks(cluster.masters())), newest(back))) {
            world.count("masters that went on with folders of the past");
            return;
        }
        List<Node> masters = cluster.masters().stream()
                .filter(master -> back.containsKey(master.name()))
                .filter(master -> isAged || !hasJoinedAnew(master))
                .toList();
        if (masters.size() > 1) {
            masters.forEach(Node::crash);
        }
        masters.forEach(master -> restart(master, Objects.requireNonNull(back.get(master.name()))));
    }

    /** True if a leader with an outdated map did not notice, and has changed the map or allocated table ids since. */
    private static boolean hasGoneBeyond(MasterState now, MasterState before) {
        return now.mapVersion() > before.mapVersion() || now.nextTable() > before.nextTable();
    }

    /** True if the member has joined again meanwhile; its saved folder is not put back then. */
    private boolean hasJoinedAnew(Node master) {
        GroupMembership folder = cluster.raft().member(master.name()).disk().folder();
        return folder != null && folder.isMember();
    }

    void end() {
        over = true;
        putRight();
    }
}
