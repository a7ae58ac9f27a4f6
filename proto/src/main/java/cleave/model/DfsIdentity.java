package cleave.model;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a DFS, as stored in a file of it: one line of text with a line feed, so that a truncated one is detected. Immutable.
 *
 * @param id a random UUID in lower case
 * @param origin the id of the DFS whose files were copied to this one; empty if it began empty
 */
public record DfsIdentity(String id, String origin) {
    private static final String UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
    private static final Pattern LINE = Pattern.compile("cleave dfs 1 (" + UUID + ")(?: copy of (" + UUID + "))?\n");
    private static final Pattern OF_ANOTHER_FORMAT = Pattern.compile("cleave dfs (\\S+) .*\n", Pattern.DOTALL);

    public DfsIdentity {
        if (!LINE.matcher(line(id, origin)).matches()) {
            throw new IllegalArgumentException(
                    "'" + id + "' or '" + origin + "' is not the id of a DFS (a UUID in lower case)");
        }
    }

    /** Of a DFS that began empty. */
    public static DfsIdentity of(String id) {
        return new DfsIdentity(id, "");
    }

    private static String line(String id, String origin) {
        return "cleave dfs 1 " + id + (origin.isEmpty() ? "" : " copy of " + origin) + "\n";
    }

    /** The content of the file. */
    public String line() {
        return line(id, origin);
    }

    /** Null if the line is incomplete; {@link UnknownFormat} if a later version of Cleave wrote it. */
    public static @Nullable DfsIdentity ofLine(String text) {
        Matcher line = LINE.matcher(text);
        if (line.matches()) {
            return new DfsIdentity(line.group(1), line.group(2) == null ? "" : line.group(2));
        }
        Matcher other = OF_ANOTHER_FORMAT.matcher(text);
        if (other.matches() && !other.group(1).equals("1")) {
            throw new UnknownFormat("the file that tells the id of the DFS has format " + other.group(1), "format 1");
        }
        return null;
    }

    @Override
    public String toString() {
        return id + (origin.isEmpty() ? "" : " (a copy of " + origin + ")");
    }
}
