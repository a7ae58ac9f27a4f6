package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides which files of ranges, and which fences, are garbage. Immutable.
 *
 * <p>Invariant I9: a manifest names only files of the manifests that it replaces, and files created under the epoch
 * that its command names. So a file whose epoch had ended at some version of the map, and which no manifest of that
 * version referenced, can never be referenced again, and a late judgement is still true. A file's name begins with the
 * id and epoch of the range for which it was created (in a handoff, of a source).
 *
 * <p>A fence is garbage once its incarnation has armed a newer one, or is dead and known to be fenced.
 */
public final class Sweep {
    /** The prefix of the names of ranges' files. */
    public static final String PREFIX = "ranges/";

    private static final Pattern NAME = Pattern.compile("ranges/(\\d{1,15}\\.\\d{1,4})/(\\d{1,18})-.+");
    private static final Pattern FENCE = Pattern.compile(Fence.PREFIX + "(.+)\\.(\\d{1,18})-([1-9]\\d{0,17})");

    private final MasterState state;
    private final Set<String> reached;

    /**
     * @param state as it was when a proof of leadership was answered, or later
     * @param reached the manifests of its rows and every file that they name
     */
    public Sweep(MasterState state, Set<String> reached) {
        this.state = state;
        this.reached = new TreeSet<>(reached);
    }

    /** The judgement of a file. */
    public enum FileState {
        REACHED,
        /** Its epoch has not ended: only its creator may delete it. */
        CURRENT,
        GARBAGE,
        /** Its name is not one of a range's file: its owner is unknown. */
        FOREIGN
    }

    public FileState judge(String path) {
        if (reached.contains(path)) {
            return FileState.REACHED;
        }
        Matcher fence = FENCE.matcher(path);
        if (fence.matches()) {
            Incarnation incarnation = new Incarnation(fence.group(1), Long.parseLong(fence.group(2)));
            return judge(new Fence(incarnation, Long.parseLong(fence.group(3))));
        }
        Matcher name = NAME.matcher(path);
        if (!name.matches()) {
            return FileState.FOREIGN;
        }
        long range;
        try {
            range = Row.parseId(name.group(1));
        } catch (IllegalArgumentException noId) {
            return FileState.FOREIGN;
        }
        return hasEnded(range, Long.parseLong(name.group(2))) ? FileState.GARBAGE : FileState.CURRENT;
    }

    /** A live incarnation may have made a newer fence than the one that it has armed. */
    private FileState judge(Fence fence) {
        Fence armed = state.fences().of(fence.incarnation());
        if (fence.equals(armed)) {
            return FileState.REACHED;
        }
        boolean isReplaced = armed != null && fence.number() < armed.number();
        return isReplaced || state.isKnownDead(fence.incarnation()) ? FileState.GARBAGE : FileState.CURRENT;
    }

    private boolean hasEnded(long range, long epoch) {
        Row row = state.rows().row(range);
        if (row != null) {
            return epoch < row.epoch();
        }
        // An id contains the index of the command that created the range: an epoch that this map had not reached has
        // not ended.
        return Row.index(range) <= state.mapVersion();
    }
}
