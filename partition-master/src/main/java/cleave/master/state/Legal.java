package cleave.master.state;

import cleave.model.Key;
import cleave.model.KeyRange;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The legal names, paths and bounds of the replicated state. Invariant I10: others are refused, never stored. */
public final class Legal {
    /** Room for the longest PartitionKey behind the table id. */
    public static final int BOUND_BYTES_MAX = 4096;

    private static final int TEXT_MAX = 1024;
    /** Server ids stand in the names of files. */
    private static final Pattern SERVER_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private Legal() {}

    static @Nullable String serverProblem(String server, String address) {
        if (!SERVER_ID.matcher(server).matches()) {
            return "a server id is up to 64 letters, digits and . - _, not '" + brief(server) + "'";
        }
        if (address.isBlank() || address.length() > TEXT_MAX) {
            return "server " + server + " gave no usable address: '" + brief(address) + "'";
        }
        return null;
    }

    static boolean isText(String text) {
        return !text.isBlank() && text.length() <= TEXT_MAX;
    }

    /** Why these cannot be the bounds of a range; null if they can. */
    static @Nullable String boundsProblem(KeyRange range) {
        String start = boundProblem(range.start());
        Key end = range.end();
        return start != null || end == null ? start : boundProblem(end);
    }

    /** Why this cannot be the bound of a range; null if it can. */
    public static @Nullable String boundProblem(Key bound) {
        if (!bound.isBound()) {
            return "a bound must lie between partitions, and " + bound + " divides one";
        }
        return bound.bytes().length > BOUND_BYTES_MAX
                ? "a bound has at most " + BOUND_BYTES_MAX + " bytes, not " + bound.bytes().length
                : null;
    }

    private static String brief(String text) {
        return text.length() <= 80 ? text : text.substring(0, 80) + "...";
    }
}
