package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Transport;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The common part of tests on real bookies: clients with a separate root, and waits that end. */
abstract class OnBookies {
    /** The time within which a client's call is repeated. */
    static final long BOUND = TimeUnit.SECONDS.toNanos(20);

    static final long MILLI = 1_000_000;

    private static final long ANSWER_SECONDS = 30;

    private final SharedBookies shared;
    private final String root;
    private final List<BookKeeperDfs> clients = new ArrayList<>();

    OnBookies(SharedBookies shared) {
        this.shared = shared;
        this.root = shared.newRoot();
    }

    /** A bookie may still be recovering from the previous test. */
    @BeforeEach
    void awaitBookies() {
        until(() -> bookies().areWritable());
    }

    @AfterEach
    void closeClients() {
        clients.forEach(Dfs::close);
    }

    final EmbeddedBookies bookies() {
        return shared.servers();
    }

    /** The node of ZooKeeper under which the names of the test's files lie. */
    final String root() {
        return root;
    }

    final BookKeeperDfs client() {
        return client(Retention.STANDARD);
    }

    final BookKeeperDfs client(Retention retention) {
        return client(retention, new CollectorRegistry());
    }

    final BookKeeperDfs client(Retention retention, CollectorRegistry registry) {
        BookKeeperDfs client = BookKeeperShell.open(uri(), Transport.PLAIN, new DfsMetrics(registry), BOUND, retention);
        clients.add(client);
        return client;
    }

    final BookKeeperUri uri() {
        return BookKeeperUri.parse(shared.uri(root));
    }

    /** Connected. */
    static Engine engine(BookKeeperDfs client) {
        get(client.listPaths(""));
        return client.engine();
    }

    static ZooKeeper zooKeeper(Engine engine) {
        return ((ZooKeeperNodes) engine.nodes()).zooKeeper();
    }

    static LedgerFile create(BookKeeperDfs client, String path) {
        return (LedgerFile) get(client.create(path));
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof DfsException known) {
                throw known;
            }
            throw new AssertionError(failed);
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    static void assertFails(CompletableFuture<?> future, Reason... reasons) {
        assertThatThrownBy(() -> get(future))
                .isInstanceOfSatisfying(
                        DfsException.class,
                        failure -> assertThat(failure.reason())
                                .as(failure.toString())
                                .isIn((Object[]) reasons));
    }

    static void until(Callable<Boolean> condition) {
        Await.until("the condition", condition);
    }

    static ByteString text(String text) {
        return ByteString.copyFromUtf8(text);
    }
}
