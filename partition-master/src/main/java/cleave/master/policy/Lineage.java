package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Row;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whether the files of ranges can have been made under a map, or show that it has gone back: that its masters once had a later one,
 * and have forgotten it. Stateless.
 *
 * <p>The name of a file tells the range, the epoch and the incarnation that it was made under. All three are versions of the map that
 * its maker had been told of. So a map that is newer than the file, as one is whose leader has proven that it leads after the file was
 * listed, has them behind it. Old folders of masters that were restored, and empty ones, give maps that have not.
 */
public final class Lineage {
    private static final Pattern NAME = Pattern.compile("ranges/(\\d{1,15}\\.\\d{1,4})/(\\d{1,18})-(.+)");
    private static final Pattern MAKER = Pattern.compile(".+\\.(\\d{1,18})-[a-z]+-\\d+");

    private Lineage() {}

    /**
     * What shows that the map has gone back; null if nothing does.
     *
     * @param state as it was when a proof of leadership was answered that was asked for after the files were listed
     */
    public static @Nullable String flaw(MasterState state, List<String> paths) {
        for (String path : paths) {
            long seen = newerThan(state, path);
            if (seen > 0) {
                return "the masters' map has gone back: " + path + " was made under version " + seen
                        + " of the map or a later one, but theirs is version " + state.mapVersion();
            }
        }
        return null;
    }

    /** The version that the file shows and the map does not have; 0 if it shows none. */
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
