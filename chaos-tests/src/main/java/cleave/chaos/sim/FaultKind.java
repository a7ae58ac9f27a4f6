package cleave.chaos.sim;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What can go wrong in a simulation: some kinds strike now and then, some last from the first fault to the last. Immutable. */
public enum FaultKind {
    CRASH_OF_A_SERVER(6),
    CRASH_OF_A_MASTER(3),
    CRASH_OF_A_FRONT_END(2),
    CRASH_OF_ALL_MASTERS(1),
    CRASH_OF_ALL_SERVERS(1),
    /** Of any process, in place of one of its next events. */
    CRASH_AT_AN_EVENT(8),
    /** A server is cut off and lives on, while another process with its id starts elsewhere. */
    ZOMBIE(3),
    PAUSE(5),
    PARTITION_OF_TWO(4),
    PARTITION_ONE_WAY(4),
    PARTITION_IN_HALVES(5),
    /** Some nodes are cut off one after the other, and come back in another order. */
    SWIZZLE(3),
    ISOLATION(4),
    CUT_FROM_THE_MASTERS(4),
    CUT_FROM_THE_DFS(3),
    /** A server loses its ranges and does not know, nor does a front end, whose clients go on to ask it. */
    STALE_OWNER(8),
    CONNECTION_RESET(5),
    /** The streams that a node listens to bring it nothing for a while: no map, or no orders. */
    DEAFNESS(6),
    DELAY_STORM(3),
    LOSS_STORM(3),
    SLOW_NODE(2),
    LOST_LEADER(3),
    /** Masters start with empty folders, and get back those that they had. */
    LOST_FOLDERS(2),
    /** All masters start with folders of the past, and get back the newest. */
    OLD_FOLDERS(2),
    CLOCK_JUMP(2),
    CLOCK_DRIFT(3),
    /** A server's wall clock is seconds to hours off, mostly for a while; in some seeds a master's instead. */
    CLOCK_WRONG(4),
    /** The disk of a server's stores has no space left, often for good; at least one server's always has some. */
    FULL_DISK(5),
    /** The DFS node's process ends; its disk may forget what was not synced. */
    DFS_CRASH(8, Dfs.NODE),
    /** Between two steps of the DFS node's disk, whose writes are forgotten or torn. */
    DFS_POWER_FAILURE(9, Dfs.NODE),
    DFS_PAUSE(7, Dfs.NODE),
    DFS_SYNC_FAILURE(8, Dfs.NODE),
    /** Something else fills the DFS node's disk for a while, nearly or to the last byte. */
    DFS_DISK_FULL(6, Dfs.NODE),
    /** An operator asks for it, often; so for the next four. */
    SPLIT(0),
    MERGE(0),
    MOVE(0),
    /** A server gives its ranges away, and a while later may have ranges again. */
    DRAIN(0),
    /** Of a handoff that is under way. */
    CANCEL(0),
    /** An operator adds, removes and replaces masters, in some of the seeds that have this kind. */
    CHANGED_MASTERS(0),
    SLOW_MESSAGES(0),
    /** Processes are replaced by another version, while all goes on; in some of the seeds that have this kind. */
    UPGRADE(0),
    /** Requests that may be repeated arrive twice. */
    REPEATED_REQUESTS(0),
    /** The masters' proposals get no answer, or are committed late, or twice. */
    PROPOSALS_IN_DOUBT(0),
    SLOW_SYNCS(0),
    APPENDS_IN_DOUBT(0, Dfs.CONTRACT),
    DFS_CALLS_IN_DOUBT(0, Dfs.CONTRACT),
    SLOW_SEALS(0, Dfs.CONTRACT),
    /** A server that would make a file finds that another cluster has made it. */
    PATHS_IN_USE(0, Dfs.CONTRACT);

    /** On which DFS it can strike. */
    private enum Dfs {
        ANY,
        NODE,
        CONTRACT
    }

    /** What the operator asks for. */
    static final Set<FaultKind> ASKED_FOR = Collections.unmodifiableSet(EnumSet.of(SPLIT, MERGE, MOVE, DRAIN, CANCEL));

    private static final String NONE = "none";

    private final int weight;
    private final Dfs dfs;

    FaultKind(int weight) {
        this(weight, Dfs.ANY);
    }

    FaultKind(int weight, Dfs dfs) {
        this.weight = weight;
        this.dfs = dfs;
    }

    /** How often it strikes, compared with others; 0 for those that last. */
    int weight() {
        return weight;
    }

    /** Whether it is about the node that is the DFS of some seeds. */
    boolean needsDfsNode() {
        return dfs == Dfs.NODE;
    }

    /** Kinds as the command takes them. */
    static String text(Set<FaultKind> kinds) {
        return kinds.isEmpty()
                ? NONE
                : new TreeSet<>(kinds).stream().map(FaultKind::name).collect(Collectors.joining(","));
    }

    /** Kinds by their names, with commas between them, or none; a wrong name is an IllegalArgumentException that lists all. */
    static SortedSet<FaultKind> parse(String text) {
        TreeSet<FaultKind> kinds = new TreeSet<>();
        for (String name : text.equalsIgnoreCase(NONE) ? List.<String>of() : List.of(text.split(",", -1))) {
            kinds.add(Arrays.stream(values())
                    .filter(kind -> kind.name().equalsIgnoreCase(name.trim()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there is no fault '" + name.trim()
                            + "'; there are " + NONE + ", "
                            + Arrays.stream(values()).map(FaultKind::name).collect(Collectors.joining(", ")))));
        }
        return kinds;
    }

    boolean happens(boolean onDfsNode) {
        return dfs == Dfs.ANY || onDfsNode == (dfs == Dfs.NODE);
    }
}
