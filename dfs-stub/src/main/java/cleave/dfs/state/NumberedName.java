package cleave.dfs.state;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The numbers in the name of a partition server's file: {@code ranges/17.0/42-s1.9-log-3} is the third file that the ninth incarnation
 * of s1 made, whatever range, epoch and kind it is for. Immutable.
 *
 * @param server its id
 * @param incarnation of the server; the masters give a higher one only when the ones before it are dead
 * @param ordinal of the file among all that the incarnation makes: never used twice
 */
record NumberedName(String server, long incarnation, long ordinal) {
    private static final String NUMBER = "(0|[1-9]\\d{0,17})";
    private static final Pattern LAST_SEGMENT =
            Pattern.compile("\\d+-([A-Za-z0-9_-]+)\\." + NUMBER + "-[a-z]+-" + NUMBER);

    /** Null if the path is of another form. */
    static @Nullable NumberedName of(String path) {
        Matcher name = LAST_SEGMENT.matcher(path).region(path.lastIndexOf('/') + 1, path.length());
        return name.matches()
                ? new NumberedName(name.group(1), Long.parseLong(name.group(2)), Long.parseLong(name.group(3)))
                : null;
    }
}
