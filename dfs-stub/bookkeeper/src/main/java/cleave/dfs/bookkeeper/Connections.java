package cleave.dfs.bookkeeper;

import cleave.runtime.rpc.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.zookeeper.RetryPolicy;
import org.apache.bookkeeper.zookeeper.ZooKeeperClient;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/** Connects to ZooKeeper and the bookies: in the clear, or over mutual TLS with the certificates of the process. Thread-safe. */
final class Connections implements AutoCloseable {
    /**
     * By default a client repeats unanswered requests to ZooKeeper for ever, and an append that needs another bookie would wait for as
     * long.
     */
    private static final int SESSIONS_OF_PATIENCE = 3;

    private final Transport transport;
    private final Path scratch;
    private final ReentrantLock making = new ReentrantLock();
    private @Nullable ZooKeeperKeys keys;
    private boolean closed;

    /** @param scratch for the files that ZooKeeper's client reads */
    Connections(Transport transport, Path scratch) {
        this.transport = transport;
        this.scratch = scratch;
    }

    boolean isSecure() {
        return transport.keys() != null;
    }

    /** The newest keys. A connection that is being made while this is closed would leave them behind, so it fails. */
    private ZooKeeperKeys keys() throws IOException {
        making.lock();
        try {
            if (closed) {
                throw new IOException("the DFS was closed");
            }
            ZooKeeperKeys made = keys;
            if (made == null) {
                made = new ZooKeeperKeys(transport, scratch);
                keys = made;
            }
            made.refresh();
            return made;
        } finally {
            making.unlock();
        }
    }

    /** A client that renews its session. Waits for ZooKeeper. */
    ZooKeeperClient zooKeeper(String servers, int sessionMillis)
            throws IOException, KeeperException, InterruptedException {
        return zooKeeper(servers, sessionMillis, Patience.NONE);
    }

    private ZooKeeperClient zooKeeper(String servers, int sessionMillis, RetryPolicy operations)
            throws IOException, KeeperException, InterruptedException {
        return RenewingZooKeeper.connect(servers, sessionMillis, operations, isSecure() ? keys().settings() : Map.of());
    }

    /** BookKeeper's client, which has its own session of ZooKeeper. */
    BookKeeper bookKeeper(BookKeeperUri uri, ClientConfiguration settings)
            throws IOException, InterruptedException, BKException, KeeperException {
        return bookKeeper(uri, settings, patience(settings));
    }

    /** The repetition of requests that ZooKeeper does not answer. */
    static Patience patience(ClientConfiguration settings) {
        return new Patience(SESSIONS_OF_PATIENCE * (long) settings.getZkTimeout());
    }

    @SuppressWarnings({"deprecation", "try"
    }) // The method that takes a session takes no URI; BookKeeper's close() may be interrupted.
    BookKeeper bookKeeper(BookKeeperUri uri, ClientConfiguration settings, RetryPolicy operations)
            throws IOException, InterruptedException, BKException, KeeperException {
        if (isSecure()) {
            PeerTls.secure(settings, transport);
        }
        settings.setZkLedgersRootPath(uri.ledgersPath());
        ZooKeeperClient zooKeeper = zooKeeper(uri.connectString(), settings.getZkTimeout(), operations);
        try {
            return new BookKeeper(settings, zooKeeper) {
                @Override
                public void close() throws BKException, InterruptedException {
                    try {
                        super.close();
                    } finally {
                        zooKeeper.close();
                    }
                }
            };
        } catch (IOException | InterruptedException | BKException | RuntimeException failed) {
            zooKeeper.close();
            throw failed;
        }
    }

    /** New connections to ZooKeeper are made with the newest certificate. */
    void refresh() {
        making.lock();
        try {
            if (isSecure() && !closed) {
                keys();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } finally {
            making.unlock();
        }
    }

    /** Why no session was opened. Blocks. */
    String troubleWithZooKeeper(List<String> servers) {
        return TlsTrouble.ofZooKeeper(servers, transport);
    }

    @Override
    public void close() {
        making.lock();
        try {
            closed = true;
            if (keys != null) {
                keys.close();
            }
        } finally {
            making.unlock();
        }
    }
}
