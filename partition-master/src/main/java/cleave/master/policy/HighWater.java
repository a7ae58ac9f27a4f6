package cleave.master.policy;

import cleave.master.state.MasterState;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How far a map had come when a leader last noted it in the DFS. Immutable. A leader whose map has not come as far has an older copy.
 *
 * @param version the map's
 * @param nextTable the least table id that was never given out
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

    /** With its line feed, so that what was cut off is none. */
    public String line() {
        return "version " + version + " table " + nextTable + "\n";
    }

    /** The highest of the whole lines; what is no line says nothing. */
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

    /** What shows that a map has gone back behind this; null if it has not. */
    public @Nullable String flaw(MasterState state) {
        HighWater theirs = of(state);
        return theirs.or(this).equals(theirs)
                ? null
                : "the masters' map has gone back: it had come to version " + version + " and table id " + nextTable
                        + ", as noted in the DFS, but theirs is version " + theirs.version + " and table id "
                        + theirs.nextTable;
    }
}
