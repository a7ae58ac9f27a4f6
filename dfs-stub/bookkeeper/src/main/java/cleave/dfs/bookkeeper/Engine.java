package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.NameTree;
import cleave.runtime.loop.EventLoop;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.meta.LedgerLayout;
import org.apache.bookkeeper.meta.LongHierarchicalLedgerManagerFactory;
import org.apache.bookkeeper.util.BookKeeperConstants;
import org.apache.bookkeeper.zookeeper.ZooKeeperClient;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ZooKeeper and the bookies, as files use them. Immutable.
 *
 * @param connections to be closed, the first one first. They renew themselves after every loss
 */
record Engine(Nodes nodes, Names names, Ledgers ledgers, List<AutoCloseable> connections) {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    /** The length of ZooKeeper's sessions. No state of a client depends on its session, so a longer one would only delay news. */
    private static final int SESSION_MILLIS = 10_000;

    private static final long ANSWER_SECONDS = 10;

    static Engine of(
            Nodes nodes, LedgerClient client, BookKeeperUri uri, EventLoop timers, List<AutoCloseable> connections) {
        return new Engine(
                nodes,
                new Names(nodes, new NameTree(uri.path()), uri.ledgersPath(), timers),
                new Ledgers(client, nodes, uri.path(), uri.ledgersPath()),
                connections);
    }

    /**
     * Waits for ZooKeeper, for at most some seconds; the bookies need not be there yet.
     *
     * @param background where later calls wait
     */
    static Engine connect(BookKeeperUri uri, Connections connections, EventLoop timers, Executor background)
            throws IOException, InterruptedException {
        Deque<AutoCloseable> made = new ArrayDeque<>();
        Engine engine = null;
        try {
            ZooKeeperClient zooKeeper = connections.zooKeeper(uri.connectString(), SESSION_MILLIS);
            made.push(zooKeeper);
            checkIsPrepared(zooKeeper, uri.ledgersPath());
            BookKeeper bookKeeper = opened(uri, connections, false);
            made.push(bookKeeper);
            BookKeeper replacing = opened(uri, connections, true);
            made.push(replacing);
            LedgerClient client = new BookKeeperLedgers(bookKeeper, replacing, background);
            // The number of bookies decides how failed ones are replaced, also for the first file.
            client.bookies().get(ANSWER_SECONDS, TimeUnit.SECONDS);
            engine = of(new ZooKeeperNodes(zooKeeper), client, uri, timers, List.copyOf(made));
        } catch (KeeperException failed) {
            throw new IOException(
                    "ZooKeeper: " + failed.getMessage() + " (" + connections.troubleWithZooKeeper(uri.servers()) + ")",
                    failed);
        } catch (ExecutionException | TimeoutException failed) {
            throw new IOException("the bookies could not be counted: " + Failures.cause(failed), failed);
        } finally {
            if (engine == null) {
                made.forEach(Engine::end);
            }
        }
        LOG.info("connected to bookkeeper zookeeper={}", uri.connectString());
        return engine;
    }

    /** BookKeeper's client would fail as well, but leave its threads and its session behind, at each attempt. */
    private static void checkIsPrepared(ZooKeeper zooKeeper, String ledgersPath)
            throws IOException, KeeperException, InterruptedException {
        if (zooKeeper.exists(ledgersPath + "/available", false) == null) {
            throw new IOException("BookKeeper is not prepared in " + ledgersPath
                    + " of ZooKeeper: prepare it, or give its place there with ?ledgers=");
        }
        String node = ledgersPath + "/" + BookKeeperConstants.LAYOUT_ZNODE;
        if (zooKeeper.exists(node, false) == null) {
            return; // BookKeeper's client makes it.
        }
        String layout =
                LedgerLayout.parseLayout(zooKeeper.getData(node, false, null)).getManagerFactoryClass();
        if (!layout.equals(LongHierarchicalLedgerManagerFactory.class.getName())) {
            throw new IOException(
                    "BookKeeper was prepared in " + ledgersPath + " of ZooKeeper for another kind of metadata, "
                            + layout
                            + ": prepare it with metadataServiceUri=zk+longhierarchical://... in another place, and give"
                            + " that with ?ledgers=");
        }
    }

    private static BookKeeper opened(BookKeeperUri uri, Connections connections, boolean replacesAtOnce)
            throws IOException, InterruptedException, KeeperException {
        try {
            return connections.bookKeeper(uri, BookKeeperLedgers.settings(uri, SESSION_MILLIS, replacesAtOnce));
        } catch (BKException failed) {
            throw new IOException(
                    "BookKeeper's metadata in " + uri.ledgersPath() + " of ZooKeeper: " + failed.getMessage(), failed);
        }
    }

    /**
     * Finds why the ledger of a name is missing. Either the file was deleted meanwhile, or the session of BookKeeper's client with
     * ZooKeeper lags behind, or somebody deleted a ledger behind Cleave's back.
     */
    <T> CompletableFuture<T> missing(String path, Name name) {
        CompletableFuture<T> laterPerhaps = names.newest(() -> ledgers.metadata(name.ledger())
                .thenCompose(metadata -> Failures.<T>failed(Reason.UNAVAILABLE, path + ": its ledger is new")));
        return Failures.recover(
                laterPerhaps,
                Failures::isMissingLedger,
                () -> names.look(path)
                        .thenCompose(newest -> newest.isFile() && newest.ledger() == name.ledger()
                                ? CompletableFuture.failedFuture(Failures.lostLedger(path, name.ledger()))
                                : Failures.failed(Reason.UNAVAILABLE, path + " has changed meanwhile")));
    }

    /** Deletes the ledger of a path, unless the path names it; true if it is deleted. UNAVAILABLE if either has changed meanwhile. */
    CompletableFuture<Boolean> deletedUnnamed(String path, long ledger, int version) {
        return names.look(path)
                .thenCompose(name -> name.ledger() == ledger
                        ? CompletableFuture.completedFuture(false)
                        : names.deleteUnnamed(path, name, ledger, version));
    }

    /** Gives up all pending calls. */
    void close() {
        connections.forEach(Engine::end);
    }

    private static void end(AutoCloseable connection) {
        try {
            connection.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (Exception failed) {
            LOG.warn("a connection to bookkeeper did not close cleanly", failed);
        }
    }
}
