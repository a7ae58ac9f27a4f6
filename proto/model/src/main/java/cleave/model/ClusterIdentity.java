package cleave.model;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that owns the files of a DFS, as stored in a file of the DFS: one line of text with a line feed, so that a truncated one is
 * detected. Immutable.
 *
 * @param founder id of the master that founded the cluster
 */
public record ClusterIdentity(ClusterId cluster, String founder) {
    private static final Pattern LINE = Pattern.compile("cleave cluster 1 (\\S+) founded by (\\S{1,255})\n");
    private static final Pattern OF_ANOTHER_FORMAT = Pattern.compile("cleave cluster (\\S+) .*\n", Pattern.DOTALL);

    public ClusterIdentity {
        if (!LINE.matcher(line(cluster, founder)).matches()) {
            throw new IllegalArgumentException("'" + founder + "' is not a master id");
        }
    }

    private static String line(ClusterId cluster, String founder) {
        return "cleave cluster 1 " + cluster + " founded by " + founder + "\n";
    }

    /** The content of the file. */
    public String line() {
        return line(cluster, founder);
    }

    /** Null if the line is incomplete; {@link UnknownFormat} if a later version of Cleave wrote it. */
    public static @Nullable ClusterIdentity ofLine(String text) {
        Matcher line = LINE.matcher(text);
        if (line.matches()) {
            return new ClusterIdentity(new ClusterId(line.group(1)), line.group(2));
        }
        Matcher other = OF_ANOTHER_FORMAT.matcher(text);
        if (other.matches()) {
            throw new UnknownFormat("the file that tells the cluster has format " + other.group(1), "format 1");
        }
        return null;
    }

    @Override
    public String toString() {
        return cluster + " (founded by " + founder + ")";
    }
}
