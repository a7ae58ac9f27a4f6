package cleave.dfs.bookkeeper;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsContract;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** On ZooKeeper and three bookies in this JVM, which all tests share; each has a root of its own. */
final class BookKeeperDfsContractIT extends DfsContract {
    private static final AtomicInteger ROOTS = new AtomicInteger();

    @TempDir
    static Path storage;

    private static EmbeddedBookies bookies;

    private final String root = "/contract/" + ROOTS.incrementAndGet();
    private final List<Dfs> clients = new ArrayList<>();

    @BeforeAll
    static void startBookies() throws Exception {
        bookies = new EmbeddedBookies(storage, 3);
    }

    @AfterAll
    static void stopBookies() {
        bookies.close();
    }

    @Override
    protected Dfs open() {
        return openAnother();
    }

    @Override
    protected Dfs openAnother() {
        Dfs client = DfsClients.open(bookies.uri(root), metrics());
        clients.add(client);
        return client;
    }

    @Override
    protected void stop() {
        clients.forEach(Dfs::close);
        clients.clear();
        bookies.makeWritable(3);
    }

    /** The last append is announced within a second. */
    @Override
    protected int looks() {
        return 5_000;
    }

    @Override
    protected Dfs openWithLowSpace() {
        stop();
        bookies.makeReadOnly(3);
        Dfs opened = open();
        while (opened.space() == Dfs.Space.ROOMY) {
            opened.probe().join();
        }
        return opened;
    }
}
