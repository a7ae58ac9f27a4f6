package cleave.dfs.bookkeeper;

import cleave.dfs.Dfs;
import cleave.dfs.DfsProvider;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.rpc.Transport;

/** Opens {@code bookkeeper:} URIs; {@link BookKeeperUri} has their form. */
public final class BookKeeperProvider implements DfsProvider {
    @Override
    public String scheme() {
        return BookKeeperUri.SCHEME;
    }

    @Override
    public Dfs open(String uri, Transport transport, DfsMetrics metrics, long boundNanos) {
        BookKeeperUri parsed = BookKeeperUri.parse(uri);
        return BookKeeperShell.open(
                parsed, parsed.isClear() ? Transport.PLAIN : transport, metrics, boundNanos, Retention.STANDARD);
    }
}
