package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects a {@link BookKeeperDfs} to BookKeeper, and gives it threads: one for timers, which also renews
 * certificates and never waits, and one that connects, and later lists ledgers. None belongs to a file.
 */
final class BookKeeperShell {
    private static final Logger LOG = LoggerFactory.getLogger(BookKeeperShell.class);
    private static final long CONNECT_MILLIS = 500;
    private static final long KEYS_NANOS = 1_000_000_000;

    private final BookKeeperUri uri;
    private final Connections connections;
    private final Connector connector;
    private final ThreadLoop timers = new ThreadLoop(
            "dfs-bookkeeper-timers", failed -> LOG.warn("a task of the DFS on bookkeeper failed", failed));
    private final ScheduledThreadPoolExecutor background = new ScheduledThreadPoolExecutor(1, work -> {
        Thread thread = new Thread(work, "dfs-bookkeeper-background");
        thread.setDaemon(true);
        return thread;
    });
    private final BookKeeperDfs dfs;
    private volatile boolean closed;

    /** Connects once, or fails. */
    interface Connector {
        Engine connect(BookKeeperUri uri, EventLoop timers, Executor background)
                throws IOException, InterruptedException;
    }

    private BookKeeperShell(
            BookKeeperUri uri,
            Connections connections,
            DfsMetrics metrics,
            long boundNanos,
            Retention retention,
            Connector connector) {
        this.uri = uri;
        this.connections = connections;
        this.connector = connector;
        this.dfs = new BookKeeperDfs(timers, metrics, boundNanos, retention, this::close);
    }

    /** Connects in the background; calls wait for that. */
    static BookKeeperDfs open(
            BookKeeperUri uri, Transport transport, DfsMetrics metrics, long boundNanos, Retention retention) {
        return open(uri, new Connections(transport, scratch()), metrics, boundNanos, retention);
    }

    static BookKeeperDfs open(
            BookKeeperUri uri, Connections connections, DfsMetrics metrics, long boundNanos, Retention retention) {
        return new BookKeeperShell(
                        uri,
                        connections,
                        metrics,
                        boundNanos,
                        retention,
                        (its, timers, background) -> Engine.connect(its, connections, timers, background))
                .begun();
    }

    /** In the clear. */
    static BookKeeperDfs open(
            BookKeeperUri uri, DfsMetrics metrics, long boundNanos, Retention retention, Connector connector) {
        Connections connections = new Connections(Transport.PLAIN, scratch());
        return new BookKeeperShell(uri, connections, metrics, boundNanos, retention, connector).begun();
    }

    private static Path scratch() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    private BookKeeperDfs begun() {
        background.execute(this::connect);
        if (connections.isSecure()) {
            background.scheduleWithFixedDelay(this::refreshKeys, KEYS_NANOS, KEYS_NANOS, TimeUnit.NANOSECONDS);
        }
        return dfs;
    }

    /** On no loop, for it may wait for a disk. */
    private void refreshKeys() {
        try {
            connections.refresh();
        } catch (RuntimeException failed) {
            LOG.warn("cannot renew the keys for bookkeeper, which stay as they are cause={}", failed.toString());
        }
    }

    private void connect() {
        try {
            Engine connected = connector.connect(uri, timers, background);
            if (closed) {
                connected.close();
                return;
            }
            dfs.connected(connected);
            if (closed) { // Meanwhile, and close() did not find it.
                connected.close();
                return;
            }
            dfs.watchSpace(connected);
        } catch (IOException | RuntimeException failed) {
            String cause = String.valueOf(failed.getMessage());
            dfs.calls().notConnected(cause);
            LOG.warn("cannot connect to bookkeeper zookeeper={} cause={}", uri.connectString(), cause);
            if (!closed) {
                background.schedule(this::connect, CONNECT_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (Error failed) {
            // Nobody looks at the future of this task. A library that is missing is missing the next time, too.
            dfs.calls().cannotConnect(failed);
            LOG.error("this process cannot connect to bookkeeper; restart it when the cause is mended", failed);
        }
    }

    private void close() {
        closed = true;
        timers.close();
        background.shutdownNow();
        Engine connected = dfs.calls().engine();
        if (connected != null) {
            connected.close();
        }
        connections.close();
    }
}
