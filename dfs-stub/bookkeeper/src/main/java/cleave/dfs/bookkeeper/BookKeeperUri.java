package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.runtime.rpc.Address;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a DFS on BookKeeper: {@code bookkeeper://zk1:2181,zk2:2181/cleave}. Immutable.
 *
 * <p>The hosts are the servers of one ZooKeeper ensemble. The path is the ZooKeeper node under which the names of files lie: clusters with
 * different paths share the bookies and nothing else. The ledgers' metadata lie where the bookies keep them, which is {@code /ledgers}
 * unless {@code ?ledgers=/another/path} says otherwise.
 *
 * @param isClear {@code ?clear=true}: the connections are not encrypted even if those between the other processes are
 */
public record BookKeeperUri(List<String> servers, String path, String ledgersPath, boolean isClear) {
    static final String SCHEME = "bookkeeper";

    private static final String FORM =
            "bookkeeper://host:port,.../path, perhaps with ?ledgers=/path, ?clear=true or ?ledgers=/path&clear=true";
    private static final Pattern PARTS =
            Pattern.compile(SCHEME + "://([^/?]*)(/[^?]*)?(?:\\?(?:ledgers=([^&]*)(&clear=true)?|(clear=true)))?");
    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+");

    public BookKeeperUri {
        servers = List.copyOf(servers);
    }

    /** @throws DfsException INVALID, with the fault */
    public static BookKeeperUri parse(String uri) {
        Matcher parts = PARTS.matcher(uri);
        if (!parts.matches()) {
            throw invalid(uri, "it is not of the form " + FORM);
        }
        List<String> servers = List.of(parts.group(1).split(",", -1));
        servers.forEach(server -> checkServer(uri, server));
        String path = parts.group(2);
        if (path == null || path.equals("/")) {
            throw invalid(
                    uri,
                    "the path is missing: the ZooKeeper node for the names of this cluster's files, such as /cleave");
        }
        String ledgers = parts.group(3) == null ? "/ledgers" : parts.group(3);
        checkPath(uri, path);
        checkPath(uri, ledgers);
        if ((path + "/").startsWith(ledgers + "/") || (ledgers + "/").startsWith(path + "/")) {
            throw invalid(uri, "the names in " + path + " and BookKeeper's metadata in " + ledgers + " must lie apart");
        }
        return new BookKeeperUri(servers, path, ledgers, parts.group(4) != null || parts.group(5) != null);
    }

    private static void checkServer(String uri, String server) {
        try {
            if (Address.parse(server).isInProcess()) {
                throw new IllegalArgumentException("address '" + server + "' is not host:port");
            }
        } catch (IllegalArgumentException malformed) {
            throw invalid(uri, malformed.getMessage() + "; each ZooKeeper server needs its port, usually 2181");
        }
    }

    private static void checkPath(String uri, String path) {
        if (!PATH.matcher(path).matches()) {
            throw invalid(
                    uri, "the path '" + path + "' must be segments of letters, digits and . - _, each behind a slash");
        }
        if ((path + "/").startsWith("/zookeeper/")) {
            throw invalid(uri, "the path /zookeeper belongs to ZooKeeper itself");
        }
    }

    private static DfsException invalid(String uri, String why) {
        return new DfsException(Reason.INVALID, "'" + uri + "': " + why);
    }

    /** The servers as ZooKeeper's client takes them. */
    String connectString() {
        return String.join(",", servers);
    }

    /** The URI as BookKeeper's client and the bookies take it. */
    public String metadataServiceUri() {
        return "zk+longhierarchical://" + String.join(";", servers) + ledgersPath;
    }
}
