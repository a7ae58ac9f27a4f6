package cleave.chaos.sim.faults;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The faults that a simulation injects: some kinds strike repeatedly, others last from the first fault to the last. Immutable. */
public enum FaultKind {
    CRASH_OF_A_SERVER(6),
    CRASH_OF_A_MASTER(3),
    CRASH_OF_A_FRONT_END(2),
    CRASH_OF_ALL_MASTERS(1),
    CRASH_OF_ALL_SERVERS(1),
    /** Any process crashes instead of executing one of its next events. */
    CRASH_AT_AN_EVENT(8),
    /** A server is cut off but keeps running, while another process with its id starts elsewhere. */
    ZOMBIE(3),
    PAUSE(5),
    PARTITION_OF_TWO(4),
    PARTITION_ONE_WAY(4),
    PARTITION_IN_HALVES(5),
    /** Some nodes are cut off one after the other, and reconnect in a different order. */
    SWIZZLE(3),
    ISOLATION(4),
    CUT_FROM_THE_MASTERS(4),
    CUT_FROM_THE_DFS(3),
    /** A server loses its ranges without noticing, and a front end keeps sending it requests. */
    STALE_OWNER(8),
    CONNECTION_RESET(5),
    /** A node's incoming streams deliver nothing for a while: no map, or no orders. */
    DEAFNESS(6),
    DELAY_STORM(3),
    LOSS_STORM(3),
    SLOW_NODE(2),
    LOST_LEADER(3),
    /** Masters start with empty folders; their own are restored later. */
    LOST_FOLDERS(2),
    /** All masters start with outdated folders; the newest are restored later. */
    OLD_FOLDERS(2),
    CLOCK_JUMP(2),
    CLOCK_DRIFT(3),
    /** A server's wall clock is wrong by seconds to hours, usually for a while; in some seeds a master's instead. */
    CLOCK_WRONG(4),
    /** The disk of a server's stores is full, often to the end; at least one server always has space. */
    FULL_DISK(5),
    /** Bits of a server flip: in local files, before their checkpoint or after it, under upload, and on their way from the DFS. */
    BIT_ROT(5),
    /** The DFS node's process ends; its disk may forget what was not synced. */
    DFS_CRASH(8, Dfs.NODE),
    /** The DFS node loses power between two steps of its disk; unsynced writes are lost or torn. */
    DFS_POWER_FAILURE(9, Dfs.NODE),
    DFS_PAUSE(7, Dfs.NODE),
    DFS_SYNC_FAILURE(8, Dfs.NODE),
    /** Something else fills the DFS node's disk for a while, nearly or to the last byte. */
    DFS_DISK_FULL(6, Dfs.NODE),
    /** Open files of the DFS break, even idle ones: those of a server, or all. */
    BROKEN_FILES(4, Dfs.CONTRACT),
    /** The names of the DFS are unavailable for a while, and often files break, too. */
    DFS_NAMES_AWAY(3, Dfs.CONTRACT),
    /** Requested by an operator, frequently, as are the next four. */
    SPLIT(0),
    MERGE(0),
    MOVE(0),
    /** A server is drained of its ranges; the drain is undone a while later. */
    DRAIN(0),
    /** Cancels a handoff in progress. */
    CANCEL(0),
    /** An operator adds, removes and replaces masters, in some of the seeds that have this kind. */
    CHANGED_MASTERS(0),
    SLOW_MESSAGES(0),
    /** A rolling upgrade replaces processes by another version; in some of the seeds that have this kind. */
    UPGRADE(0),
    /** Requests that may be repeated arrive twice. */
    REPEATED_REQUESTS(0),
    /** Proposals of the masters are not answered, committed late, or committed twice. */
    PROPOSALS_IN_DOUBT(0),
    SLOW_SYNCS(0),
    APPENDS_IN_DOUBT(0, Dfs.CONTRACT),
    DFS_CALLS_IN_DOUBT(0, Dfs.CONTRACT),
    SLOW_SEALS(0, Dfs.CONTRACT),
    /** Readers see less of an open file than is acknowledged, and see a sealed file as open for a while. */
    LAGGING_READERS(0, Dfs.CONTRACT),
    /** The engine of the DFS forgets the fences of deleted files, and later the deletions. */
    FORGOTTEN_FENCES(0, Dfs.CONTRACT),
    /** A server that creates a file finds that another cluster uses the path. */
    PATHS_IN_USE(0, Dfs.CONTRACT);

    /** The kind of DFS that it applies to. */
    private enum Dfs {
        ANY,
        NODE,
        CONTRACT
    }

    /** Kinds that the operator requests. */
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

    /** Its frequency relative to other kinds; 0 for kinds that last. */
    int weight() {
        return weight;
    }

    /** True if it concerns the DFS node, which only some seeds have. */
    public boolean needsDfsNode() {
        return dfs == Dfs.NODE;
    }

    /** The names of kinds on the command line. */
    public static String text(Set<FaultKind> kinds) {
        return kinds.isEmpty()
                ? NONE
                : new TreeSet<>(kinds).stream().map(FaultKind::name).collect(Collectors.joining(","));
    }

    /** Parses names separated by commas, or none; an unknown name is an IllegalArgumentException that lists all names. */
    public static SortedSet<FaultKind> parse(String text) {
        TreeSet<FaultKind> kinds = new TreeSet<>();
        for (String name : text.equalsIgnoreCase(NONE) ? List.<String>of() : List.of(text.split(",", -1))) {
            kinds.add(named(name.trim()));
        }
        return kinds;
    }

    /** The kind of a name; an unknown name is an IllegalArgumentException that lists all names. */
    static FaultKind named(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no fault '" + name + "'; there are " + NONE
                        + ", " + Arrays.stream(values()).map(FaultKind::name).collect(Collectors.joining(", "))));
    }

    boolean happens(boolean onDfsNode) {
        return dfs == Dfs.ANY || onDfsNode == (dfs == Dfs.NODE);
    }
}
