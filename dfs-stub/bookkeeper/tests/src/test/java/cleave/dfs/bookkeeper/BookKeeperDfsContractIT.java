package cleave.dfs.bookkeeper;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsContract;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;

final class BookKeeperDfsContractIT extends DfsContract {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** Thousands of calls at once take their time on a busy machine. */
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(25);

    @RegisterExtension
    static final SharedBookies BOOKIES = new SharedBookies(3);

    private final String root = BOOKIES.newRoot();
    private final List<Dfs> clients = new ArrayList<>();

    @Override
    protected Dfs open() {
        return openAnother();
    }

    @Override
    protected Dfs openAnother() {
        Dfs client = DfsClients.open(BOOKIES.uri(root), metrics(), BOUND_NANOS);
        clients.add(client);
        return client;
    }

    @Override
    protected void stop() {
        clients.forEach(Dfs::close);
        clients.clear();
        BOOKIES.servers().makeWritable(3);
        OnBookies.until(BOOKIES.servers()::areWritable);
    }

    @Override
    protected void forgetDeleted(String path) {
        Names names = ((BookKeeperDfs) clients.get(0)).engine().names();
        names.look(path).thenCompose(name -> names.forget(path, name)).join();
    }

    /** The last append is announced within a second. */
    @Override
    protected int looks() {
        return 5_000;
    }

    @Override
    protected Dfs openWith(Dfs.Space space) {
        assumeTrue(space == Dfs.Space.LOW, "full bookies take nothing at all: see BookKeeperOutagesIT");
        stop();
        BOOKIES.servers().makeReadOnly(3);
        Dfs opened = open();
        OnBookies.until(() -> {
            opened.probe().orTimeout(PATIENCE_NANOS, TimeUnit.NANOSECONDS).join();
            return opened.space() != Dfs.Space.ROOMY;
        });
        return opened;
    }
}
