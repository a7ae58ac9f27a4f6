package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.state.Bookies;
import cleave.dfs.bookkeeper.state.NameTree;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.zookeeper.ZooKeeperClient;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections to ZooKeeper and the bookies. They renew themselves, whatever goes away. Immutable. */
record Engine(ZooKeeperClient zooKeeper, BookKeeper bookKeeper, Names names, Ledgers ledgers) {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    /** As long as the sessions of ZooKeeper last. Nothing of a client's hangs on its session, so a longer one would only delay news. */
    private static final int SESSION_MILLIS = 10_000;

    private static final long ANSWER_SECONDS = 10;

    /** Waits for ZooKeeper, for at most some seconds; the bookies need not be there yet. */
    static Engine connect(BookKeeperUri uri) throws IOException, InterruptedException {
        try {
            ZooKeeperClient zooKeeper = ZooKeeperClient.newBuilder()
                    .connectString(uri.connectString())
                    .sessionTimeoutMs(SESSION_MILLIS)
                    .build();
            try {
                BookKeeper bookKeeper = bookKeeper(uri);
                Names names = new Names(zooKeeper, new NameTree(uri.path()));
                return new Engine(zooKeeper, bookKeeper, names, new Ledgers(bookKeeper, zooKeeper, uri));
            } catch (IOException | InterruptedException | RuntimeException failed) {
                zooKeeper.close();
                throw failed;
            }
        } catch (KeeperException failed) {
            throw new IOException("ZooKeeper: " + failed.getMessage(), failed);
        }
    }

    /** How failed bookies are replaced depends on how many there are, and is a setting of the client. */
    private static BookKeeper bookKeeper(BookKeeperUri uri) throws IOException, InterruptedException {
        BookKeeper first = opened(uri, false);
        int registered = registered(first);
        boolean spares = registered > Bookies.COPIES;
        LOG.info("connected to bookkeeper zookeeper={} bookies={}", uri.connectString(), registered);
        if (spares) {
            return opened(uri, true, first);
        }
        return first;
    }

    private static BookKeeper opened(BookKeeperUri uri, boolean spares, BookKeeper replaced)
            throws IOException, InterruptedException {
        close(replaced);
        return opened(uri, spares);
    }

    private static BookKeeper opened(BookKeeperUri uri, boolean spares) throws IOException, InterruptedException {
        try {
            return new BookKeeper(Ledgers.settings(uri, SESSION_MILLIS, spares));
        } catch (BKException failed) {
            throw new IOException(
                    "BookKeeper's metadata in " + uri.ledgersPath() + " of ZooKeeper: " + failed.getMessage(), failed);
        }
    }

    private static int registered(BookKeeper bookKeeper) throws IOException, InterruptedException {
        try {
            return bookKeeper
                    .getMetadataClientDriver()
                    .getRegistrationClient()
                    .getAllBookies()
                    .get(ANSWER_SECONDS, TimeUnit.SECONDS)
                    .getValue()
                    .size();
        } catch (ExecutionException | TimeoutException failed) {
            close(bookKeeper);
            throw new IOException("the bookies could not be counted: " + Failures.cause(failed), failed);
        }
    }

    /** Gives up what is under way. */
    void close() {
        try {
            close(bookKeeper);
            zooKeeper.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(BookKeeper bookKeeper) throws InterruptedException {
        try {
            bookKeeper.close();
        } catch (BKException failed) {
            LOG.warn("bookkeeper's client did not close cleanly", failed);
        }
    }
}
