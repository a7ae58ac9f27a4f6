package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Row;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the files of ranges can have been created under a map, or prove that the map has gone back: that its
 * masters once had a later one and have lost it. Stateless.
 *
 * <p>The name of a file contains the range, the epoch and the incarnation under which it was created. All three are
 * versions of the map that its creator knew. So they are not above the version of any map that is newer than the file;
 * and a map is newer if its leader has proven its leadership after the file was listed. A master's folder that is
 * empty, or restored from an old copy, yields a map with a lower version.
 */
public final class Lineage {
    private static final Pattern NAME = Pattern.compile("ranges/(\\d{1,15}\\.\\d{1,4})/(\\d{1,18})-(.+)");
    private static final Pattern MAKER = Pattern.compile(".+\\.(\\d{1,18})-[a-z]+-\\d+");

    private Lineage() {}

    /**
     * The evidence that the map has gone back; null if there is none.
     *
     * @param state as it was when a proof of leadership succeeded that was requested after the files were listed
     */
    public static @Nullable String problem(MasterState state, List<String> paths) {
        for (String path : paths) {
            long seen = newerThan(state, path);
            if (seen > 0) {
                return "the masters' map has gone back: " + path + " was made under version " + seen
                        + " of the map or a later one, but theirs is version " + state.mapVersion();
            }
        }
        return null;
    }

    /** The version that the file proves and the map has not reached; 0 if there is none. */
    private static long newerThan(MasterState state, String path) {
        Matcher name = NAME.matcher(path);
        if (!name.matches()) {
            return 0;
        }
        long range;
        try {
            range = Row.parseId(name.group(1));
        } catch (IllegalArgumentException noId) {
            return 0;
        }
        long epoch = Long.parseLong(name.group(2));
        Row row = state.rows().row(range);
        if (row != null && epoch > row.epoch()) {
            return epoch;
        }
        Matcher maker = MAKER.matcher(name.group(3));
        long life = maker.matches() ? Long.parseLong(maker.group(1)) : 0;
        long newest = Math.max(life, Math.max(epoch, Row.index(range)));
        return newest > state.mapVersion() ? newest : 0;
    }
}
