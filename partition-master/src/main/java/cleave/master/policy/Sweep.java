package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Row;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Judges which files are garbage. Immutable.
 *
 * <p>Invariant I9: a manifest names only files of the manifests that it replaces, and files made under the epoch that its command
 * names. So a file whose epoch had ended at some version of the map, and which no manifest of that version reached, can never be
 * reached again, and a judgement that comes late is still true. The name tells the epoch: it begins with the id and epoch of the
 * range that the file was made for (in a handoff, of a source).
 */
public final class Sweep {
    /** What files of ranges begin with. */
    public static final String PREFIX = "ranges/";

    private static final Pattern NAME = Pattern.compile("ranges/(\\d{1,15}\\.\\d{1,4})/(\\d{1,18})-.+");

    private final MasterState state;
    private final Set<String> reached;

    /**
     * @param state as it was when a proof of leadership was answered, or later
     * @param reached every file that the manifests of its rows name, and these manifests
     */
    public Sweep(MasterState state, Set<String> reached) {
        this.state = state;
        this.reached = new TreeSet<>(reached);
    }

    /** What the map says about a file. */
    public enum FileState {
        REACHED,
        /** Its epoch goes on: only its maker may delete it. */
        CURRENT,
        GARBAGE,
        /** Its name is not one that ranges give: its owner is unknown. */
        FOREIGN
    }

    public FileState judge(String path) {
        if (reached.contains(path)) {
            return FileState.REACHED;
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

    private boolean hasEnded(long range, long epoch) {
        Row row = state.rows().row(range);
        if (row != null) {
            return epoch < row.epoch();
        }
        // Ids are made of the index of the command that made the range: what that map had not seen yet has not ended.
        return Row.index(range) <= state.mapVersion();
    }
}
