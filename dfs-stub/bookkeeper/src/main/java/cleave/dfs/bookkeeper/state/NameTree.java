package cleave.dfs.bookkeeper.state;

import java.util.ArrayList;
import java.util.List;

/**
 * The places of files' names in ZooKeeper. Immutable.
 *
 * <p>An answer of ZooKeeper is at most 1 MiB long ({@code jute.maxbuffer}), and one answer holds all children of a node. A tree of the
 * paths' own segments would exceed that with some ten thousand ranges. So {@code ranges/17.0/42-s1.9-log-3} is the node
 * {@code names/ranges:/2b7/17.0:42-s1.9-log-3:}: the first segment, one of 1,024 buckets, and the rest in one piece. Twenty million names
 * fit, and few small folders have few buckets. The colon, which no path contains, stands for a slash, and ends each piece, since
 * ZooKeeper refuses {@code .} and {@code ..}.
 *
 * <p>Names of deleted files are in a tree of the same form, so that a list of files meets none of them.
 *
 * @param root the node under which everything lies
 */
public record NameTree(String root) {
    private static final int BUCKET_BITS = 10;
    private static final int THREE_DIGITS = 0x1000;
    private static final int SPREAD = 0x9E3779B9;

    public String files() {
        return root + "/names";
    }

    public String deleted() {
        return root + "/deleted";
    }

    /** The node for the sweep, of which at most one runs at a time. */
    public String sweep() {
        return root + "/sweep";
    }

    public String file(String path) {
        return files() + "/" + place(path);
    }

    public String deleted(String path) {
        return deleted() + "/" + place(path);
    }

    private static String place(String path) {
        return folder(path) + "/" + bucket(path) + "/" + rest(path);
    }

    /** The first segment, with a colon; the colon alone if there is only one. */
    private static String folder(String path) {
        return path.substring(0, path.indexOf('/') + 1).replace('/', ':') + (path.contains("/") ? "" : ":");
    }

    private static String rest(String path) {
        return path.substring(path.indexOf('/') + 1).replace('/', ':') + ":";
    }

    private static String bucket(String path) {
        int bucket = (path.hashCode() * SPREAD) >>> (Integer.SIZE - BUCKET_BITS);
        return Integer.toHexString(THREE_DIGITS | bucket).substring(1);
    }

    /** The nodes that must exist before a node for this path can, top down. */
    public List<String> parents(String path) {
        List<String> parents = new ArrayList<>();
        for (int slash = root.indexOf('/', 1); slash > 0; slash = root.indexOf('/', slash + 1)) {
            parents.add(root.substring(0, slash));
        }
        parents.add(root);
        for (String tree : List.of(files(), deleted())) {
            parents.add(tree);
            parents.add(tree + "/" + folder(path));
            parents.add(tree + "/" + folder(path) + "/" + bucket(path));
        }
        return parents;
    }

    /** The folder with all paths that begin with the prefix, or null if several folders may have some. */
    public static @org.jspecify.annotations.Nullable String folderOfPrefix(String prefix) {
        return prefix.contains("/") ? folder(prefix) : null;
    }

    /** The path that a node stands for. */
    public static String path(String folder, String leaf) {
        String first = folder.equals(":") ? "" : folder.substring(0, folder.length() - 1) + "/";
        return first + leaf.substring(0, leaf.length() - 1).replace(':', '/');
    }
}
