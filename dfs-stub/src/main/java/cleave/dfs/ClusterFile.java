package cleave.dfs;

import cleave.model.ClusterIdentity;
import cleave.model.Damaged;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of a DFS that identify its cluster: its identity, and the masters that started as its founders. Stateless.
 */
public final class ClusterFile {
    private static final WriteOnce IDENTITY = new WriteOnce("cluster/identity-", ClusterFile::isIdentity);
    private static final Pattern TOKEN = Pattern.compile("cleave founder 1 (\\S+)\n");

    private ClusterFile() {}

    private static boolean isIdentity(String text) {
        return ClusterIdentity.ofLine(text) != null;
    }

    /** The cluster of this DFS; empty if none was founded on it. */
    public static CompletableFuture<Optional<ClusterIdentity>> read(Dfs dfs) {
        return IDENTITY.read(dfs).thenApply(line -> line.map(ClusterFile::identity));
    }

    /** Makes this the cluster of the DFS, unless it has one; answers the cluster that it has then. May be repeated. */
    public static CompletableFuture<ClusterIdentity> found(Dfs dfs, ClusterIdentity identity) {
        return IDENTITY.write(dfs, identity.line()).thenApply(ClusterFile::identity);
    }

    private static ClusterIdentity identity(String line) {
        ClusterIdentity identity = ClusterIdentity.ofLine(line);
        if (identity == null) {
            throw new Damaged("this is not the identity of a cluster: " + line);
        }
        return identity;
    }

    /**
     * Notes that a master starts as a founder, with a token that only its folder knows; answers the token of the first
     * time. So a master that has lost its folder cannot start again. May be repeated.
     */
    public static CompletableFuture<String> claim(Dfs dfs, String master, String token) {
        return new WriteOnce(
                        "cluster/founder/" + master + "/",
                        text -> TOKEN.matcher(text).matches())
                .write(dfs, "cleave founder 1 " + token + "\n")
                .thenApply(ClusterFile::token);
    }

    private static String token(String line) {
        Matcher token = TOKEN.matcher(line);
        return token.matches() ? token.group(1) : "";
    }
}
