package cleave.dfs;

import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.rpc.Transport;

/**
 * A form of the DFS in a module of its own. {@link DfsClients} finds it with {@link java.util.ServiceLoader}, so a process that does not
 * use it need not carry its libraries.
 */
public interface DfsProvider {
    /** The scheme of its URIs, without the colon. */
    String scheme();

    /**
     * Opens a client, which need not have reached the storage yet.
     *
     * @param uri with the scheme
     * @param boundNanos after which calls other than appends and barriers answer UNAVAILABLE
     * @throws DfsException INVALID if the URI is malformed
     */
    Dfs open(String uri, Transport transport, DfsMetrics metrics, long boundNanos);
}
