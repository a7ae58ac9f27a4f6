package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.bookkeeper.state.Name.Kind;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.rpc.Transport;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.api.CreateBuilder;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.discover.RegistrationClient;
import org.apache.bookkeeper.meta.MetadataClientDriver;
import org.apache.bookkeeper.zookeeper.RetryPolicy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Checks what callers learn, and what is left behind, when bookies, ZooKeeper or this process fail at a bad moment. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("try") // close() may be interrupted, as BookKeeper declares it.
@Tag("nightly")
final class BookKeeperOutagesIT extends OnBookies {
    @RegisterExtension
    static final SharedBookies BOOKIES = new SharedBookies(3);

    @TempDir
    private Path scratch;

    BookKeeperOutagesIT() {
        super(BOOKIES);
    }

    /** Makes ledgers, but returns none until it is permitted. */
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
        try (LateBookKeeper late = new LateBookKeeper(BookKeeperLedgers.settings(uri(), 10_000, false));
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
        try (Connections connections = new Connections(Transport.PLAIN, scratch);
                BookKeeper client = connections.bookKeeper(uri(), BookKeeperLedgers.settings(uri(), 1_000, false))) {
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

    /** Counts the questions that ZooKeeper did not answer. */
    private record Counted(RetryPolicy policy, AtomicInteger lost) implements RetryPolicy {
        Counted(RetryPolicy policy) {
            this(policy, new AtomicInteger());
        }

        @Override
        public boolean allowRetry(int retries, long elapsedMillis) {
            lost.incrementAndGet();
            return policy.allowRetry(retries, elapsedMillis);
        }

        @Override
        public long nextRetryWaitTime(int retries, long elapsedMillis) {
            return policy.nextRetryWaitTime(retries, elapsedMillis);
        }
    }

    /** Its sessions are so long that the test would end before one does. */
    @Test
    void whatZooKeeperDidNotAnswerIsAnsweredAtItsReturn() throws Exception {
        ClientConfiguration settings = BookKeeperLedgers.settings(uri(), 600_000, false);
        Counted counted = new Counted(Connections.patience(settings));
        try (Connections connections = new Connections(Transport.PLAIN, scratch);
                BookKeeper client = connections.bookKeeper(uri(), settings, counted)) {
            WriteHandle ledger = get(client.newCreateLedgerOp()
                    .withEnsembleSize(3)
                    .withWriteQuorumSize(3)
                    .withAckQuorumSize(2)
                    .withPassword(new byte[0])
                    .execute());
            CompletableFuture<Void> close;
            bookies().stopZooKeeper();
            try {
                close = ledger.closeAsync();
                until(() -> counted.lost.get() > 0);
            } finally {
                bookies().startZooKeeper();
            }

            get(close);

            assertThat(get(client.newOpenLedgerOp()
                                    .withLedgerId(ledger.getId())
                                    .withPassword(new byte[0])
                                    .execute())
                            .getLedgerMetadata()
                            .isClosed())
                    .isTrue();
        }
    }

    /** ZooKeeper is away for longer than a session, which a single lost answer is not. */
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

    /** Bookies do not answer it, and nobody waits for them. */
    @Test
    void whatIsUnderWayWhenTheDfsIsClosedEnds() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");
        LedgerFile staged = (LedgerFile) get(client.createStaged("copy"));
        LedgerFile foreign = create(client(), "foreign");
        get(foreign.append(text("abc")));
        get(file.append(text("abc")));
        bookies().suspend(1);
        bookies().suspend(2);
        try {
            List<CompletableFuture<?>> underWay =
                    List.of(file.append(text("d")), file.barrier(), staged.append(text("e")), client.seal("foreign"));

            client.close();

            underWay.forEach(each -> assertFails(each, Reason.BROKEN));
        } finally {
            bookies().resume(1);
            bookies().resume(2);
        }
        assertThat(get(client().seal("log"))).isBetween(3L, 4L);
        assertThat(get(client().seal("foreign"))).isEqualTo(3);
    }

    @Test
    void allThatSealAtOnceAreToldTheSameLength() {
        BookKeeperDfs writer = client();
        List<BookKeeperDfs> sealers = new ArrayList<>(List.of(client(), client()));
        sealers.forEach(OnBookies::engine);
        for (int round = 0; round < 10; round++) {
            String path = "log-" + round;
            LedgerFile file = create(writer, path);
            List<CompletableFuture<Long>> appends = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                appends.add(file.append(text("x")));
            }
            if (round == 5) {
                sealers.add(writer);
            }
            List<CompletableFuture<Long>> seals =
                    sealers.stream().map(sealer -> sealer.seal(path)).toList();

            long length = get(seals.get(0));

            assertThat(seals).allSatisfy(seal -> assertThat(get(seal)).isEqualTo(length));
            assertThat(appends)
                    .allSatisfy(append -> assertThat(append.handle((end, failure) -> failure == null ? end : 0L)
                                    .get(30, TimeUnit.SECONDS))
                            .isLessThanOrEqualTo(length));
            sealers.forEach(
                    sealer -> assertThat(get(sealer.read(path, 0, 100)).size()).isEqualTo((int) length));
        }
    }

    @Test
    void whileTheDisksOfAllBookiesAreFullNothingIsWrittenAndAllElseGoesOn() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");
        get(file.append(text("abc")));
        LedgerFile another = create(client, "another");
        get(another.append(text("abcd")));
        for (int number = 1; number <= 3; number++) {
            bookies().makeReadOnly(number);
        }
        CompletableFuture<DfsFile> create;
        try {
            until(() -> client.space() == Space.FULL);
            until(() -> get(client.probe()).missing().contains("0 are up and writable"));
            assertFails(file.append(text("d"), Purpose.WRITE), Reason.NO_SPACE);
            assertFails(file.barrier(), Reason.NO_SPACE);
            assertThat(get(client.seal("log"))).isEqualTo(3);
            assertThat(get(client().seal("another"))).isEqualTo(4);
            assertThat(get(client.read("another", 0, 10))).isEqualTo(text("abcd"));
            get(client.delete("log"));
            create = client.create("next");
        } finally {
            for (int number = 1; number <= 3; number++) {
                bookies().makeWritable(number);
            }
        }
        until(() -> client.space() == Space.ROOMY);
        get(get(create).append(text("x"), Purpose.WRITE));
    }

    /** Loses questions for the bookies while it is deaf. */
    private static final class DeafBookKeeper extends BookKeeper {
        private final AtomicInteger asked = new AtomicInteger();
        private volatile boolean isDeaf;

        DeafBookKeeper(ClientConfiguration settings) throws Exception {
            super(settings);
        }

        @Override
        public MetadataClientDriver getMetadataClientDriver() {
            RegistrationClient real = super.getMetadataClientDriver().getRegistrationClient();
            RegistrationClient deaf = (RegistrationClient) Proxy.newProxyInstance(
                    RegistrationClient.class.getClassLoader(),
                    new Class<?>[] {RegistrationClient.class},
                    (proxy, method, arguments) -> {
                        asked.incrementAndGet();
                        return isDeaf ? new CompletableFuture<>() : method.invoke(real, arguments);
                    });
            return (MetadataClientDriver) Proxy.newProxyInstance(
                    MetadataClientDriver.class.getClassLoader(),
                    new Class<?>[] {MetadataClientDriver.class},
                    (proxy, method, arguments) -> deaf);
        }
    }

    @Test
    void aLostQuestionForTheBookiesIsAskedAgain() throws Exception {
        try (DeafBookKeeper deaf = new DeafBookKeeper(BookKeeperLedgers.settings(uri(), 10_000, false));
                BookKeeperDfs client = on(deaf)) {
            until(() -> deaf.asked.get() > 0);
            deaf.isDeaf = true;
            int before = deaf.asked.get();
            until(() -> deaf.asked.get() > before);
            bookies().makeReadOnly(3);
            try {
                deaf.isDeaf = false;

                until(() -> client.space() == Space.LOW);
            } finally {
                bookies().makeWritable(3);
            }
        }
    }

    @Test
    void whatABookieDoesNotReadIsNotKeptForEver() throws IOException {
        LedgerFile file = create(client(), "log");
        get(file.append(text("abc")));
        int port = bookies().port(2);
        bookies().suspend(2);
        try {
            long unsent = 0;
            for (int i = 0; i < 32; i++) {
                get(file.append(ByteString.copyFrom(new byte[1 << 20])));
                unsent = Math.max(unsent, unsentBytes(port));
            }
            assertThat(unsent).isPositive();

            until(() -> unsentBytes(port) == 0);
        } finally {
            bookies().resume(2);
        }
        assertThat(get(client().seal("log"))).isEqualTo(3 + (32L << 20));
    }

    /** The bytes in the buffers of the system; the process has further buffers. */
    private static long unsentBytes(int remotePort) {
        String remote = ":%04X".formatted(remotePort);
        long unsent = 0;
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            try {
                for (String line : Files.readAllLines(Path.of(table))) {
                    String[] fields = line.trim().split("\\s+", -1);
                    if (fields[2].endsWith(remote)) {
                        unsent += Long.parseLong(fields[4].substring(0, 8), 16);
                    }
                }
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        return unsent;
    }

    private BookKeeperDfs on(BookKeeper bookKeeper) {
        Connections connections = new Connections(Transport.PLAIN, scratch);
        BookKeeperDfs client = BookKeeperShell.open(
                uri(),
                new DfsMetrics(new CollectorRegistry()),
                TimeUnit.SECONDS.toNanos(10),
                Retention.STANDARD,
                (uri, timers, background) -> {
                    Engine whole = Engine.connect(uri, connections, timers, background);
                    LedgerClient other = new BookKeeperLedgers(bookKeeper, bookKeeper, background);
                    return Engine.of(whole.nodes(), other, uri, timers, whole.connections());
                });
        get(client.listPaths(""));
        return client;
    }
}
