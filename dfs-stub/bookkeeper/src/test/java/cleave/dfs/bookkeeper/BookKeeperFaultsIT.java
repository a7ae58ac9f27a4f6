package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Name.Kind;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.rpc.Transport;
import io.prometheus.client.CollectorRegistry;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.api.CreateBuilder;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What callers are told, and what is left behind, when bookies, ZooKeeper or this process itself fail at a bad moment. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
final class BookKeeperFaultsIT extends OnBookies {
    @RegisterExtension
    static final SharedBookies BOOKIES = new SharedBookies(3);

    @TempDir
    private Path scratch;

    BookKeeperFaultsIT() {
        super(BOOKIES);
    }

    /** Makes ledgers, but tells nobody until it is permitted. */
    private static final class LateBookKeeper extends BookKeeper {
        private final CompletableFuture<Void> permitted = new CompletableFuture<>();
        private final List<WriteHandle> made = new CopyOnWriteArrayList<>();

        LateBookKeeper(ClientConfiguration settings) throws Exception {
            super(settings);
        }

        @Override
        public CreateBuilder newCreateLedgerOp() {
            CreateBuilder real = super.newCreateLedgerOp();
            return (CreateBuilder) Proxy.newProxyInstance(
                    CreateBuilder.class.getClassLoader(),
                    new Class<?>[] {CreateBuilder.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("execute")) {
                            return real.execute().thenCombine(permitted, (ledger, now) -> {
                                made.add(ledger);
                                return ledger;
                            });
                        }
                        method.invoke(real, arguments);
                        return proxy;
                    });
        }
    }

    @Test
    void aLedgerThatIsMadeAfterItsCreateHasFailedIsClosedAndGetsNoName() throws Exception {
        try (LateBookKeeper late = new LateBookKeeper(Ledgers.settings(uri(), 10_000, false));
                BookKeeperDfs client = on(late)) {
            assertFails(client.create("log"), Reason.UNAVAILABLE);
            assertFails(client.createStaged("copy"), Reason.UNAVAILABLE);

            late.permitted.complete(null);

            until(() -> late.made.size() == 2 && late.made.stream().allMatch(WriteHandle::isClosed));
            Engine engine = client.engine();
            assertThat(get(engine.names().lookAtNewest("log")).kind()).isEqualTo(Kind.ABSENT);
            get(get(client.createStaged("copy")).append(text("abc")));
            assertThat(get(client.seal("copy"))).isEqualTo(3);
        }
    }

    /** Its sessions are short, so that this takes seconds. */
    @Test
    void whatZooKeeperDoesNotAnswerFailsAfterAWhile() throws Exception {
        try (BookKeeper client = new BookKeeper(Ledgers.settings(uri(), 1_000, false))) {
            CompletableFuture<Void> delete;
            bookies().stopZooKeeper();
            try {
                delete = client.newDeleteLedgerOp().withLedgerId(4_711).execute();
                until(delete::isDone);
            } finally {
                bookies().startZooKeeper();
            }
            assertThat(delete).isCompletedExceptionally();
        }
    }

    /** For longer than a session, which a single lost answer does not last. */
    @Test
    void whileZooKeeperIsAwayAProbeSaysWhatDoesNotWork() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");
        until(() -> get(client.probe()).ready());
        bookies().stopZooKeeper();
        try {
            until(() -> !get(client.probe()).ready());

            assertThat(get(client.probe()).missing())
                    .contains("ZooKeeper does not answer", "appends to open ones go on");
            get(file.append(text("abc")));
        } finally {
            bookies().startZooKeeper();
        }
        until(() -> get(client.probe()).ready());
        assertThat(get(client.seal("log"))).isEqualTo(3);
    }

    private BookKeeperDfs on(BookKeeper bookKeeper) {
        Connections connections = new Connections(Transport.PLAIN, scratch);
        BookKeeperDfs client = BookKeeperDfs.open(
                uri(),
                new DfsMetrics(new CollectorRegistry()),
                TimeUnit.SECONDS.toNanos(3),
                Retention.STANDARD,
                uri -> {
                    Engine whole = Engine.connect(uri, connections);
                    Ledgers ledgers = new Ledgers(bookKeeper, bookKeeper, whole.zooKeeper(), uri);
                    return new Engine(
                            whole.zooKeeper(), whole.bookKeeper(), whole.replacing(), whole.names(), ledgers);
                });
        get(client.listPaths(""));
        return client;
    }
}
