package cleave.master.policy;

import cleave.master.state.MasterState;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The high-water mark of a map that leaders note in the DFS. Immutable. A leader whose map is below it has an older
 * copy.
 *
 * @param version the version of the map
 * @param nextTable the lowest table id that was never allocated
 */
public record HighWater(long version, long nextTable) {
    public static final HighWater NONE = new HighWater(0, 0);

    private static final Pattern LINE = Pattern.compile("version (\\d{1,18}) table (\\d{1,18})");

    public static HighWater of(MasterState state) {
        return new HighWater(state.mapVersion(), state.nextTable());
    }

    /** The higher of each. */
    public HighWater or(HighWater other) {
        return new HighWater(Math.max(version, other.version), Math.max(nextTable, other.nextTable));
    }

    /** One line with its line feed, so that a truncated one is invalid. */
    public String line() {
        return "version " + version + " table " + nextTable + "\n";
    }

    /** The highest of the complete lines; anything else is ignored. */
    public static HighWater ofLines(String text) {
        HighWater highest = NONE;
        String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        for (String line : whole.split("\n", -1)) {
            highest = highest.or(ofLine(line).orElse(NONE));
        }
        return highest;
    }

    private static Optional<HighWater> ofLine(String text) {
        Matcher line = LINE.matcher(text);
        return line.matches()
                ? Optional.of(new HighWater(Long.parseLong(line.group(1)), Long.parseLong(line.group(2))))
                : Optional.empty();
    }

    /** The evidence that a map is older than this mark; null if it is not. */
    public @Nullable String problem(MasterState state) {
        HighWater theirs = of(state);
        return theirs.or(this).equals(theirs)
                ? null
                : "the masters' map has gone back: it had come to version " + version + " and table id " + nextTable
                        + ", as noted in the DFS, but theirs is version " + theirs.version + " and table id "
                        + theirs.nextTable;
    }
}
