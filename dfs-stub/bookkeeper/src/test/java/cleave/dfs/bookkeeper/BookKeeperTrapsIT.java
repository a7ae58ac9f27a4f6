package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs;
import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.Name.Kind;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.policy.FenceTimes;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where BookKeeper gives less than it seems to, or less than the contract asks for, and what is done about it. */
@Timeout(120)
final class BookKeeperTrapsIT {
    private static final AtomicInteger ROOTS = new AtomicInteger();
    private static final long BOUND = TimeUnit.SECONDS.toNanos(20);
    private static final long MILLI = 1_000_000;

    @TempDir
    static Path storage;

    private static EmbeddedBookies bookies;

    private final String root = "/traps/" + ROOTS.incrementAndGet();
    private final List<BookKeeperDfs> clients = new ArrayList<>();

    @BeforeAll
    static void startBookies() throws Exception {
        bookies = new EmbeddedBookies(storage, 3);
    }

    @AfterAll
    static void stopBookies() {
        bookies.close();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(Dfs::close);
    }

    private BookKeeperDfs client(Retention retention) {
        BookKeeperUri uri = BookKeeperUri.parse(bookies.uri(root));
        BookKeeperDfs client = BookKeeperDfs.open(uri, new DfsMetrics(new CollectorRegistry()), BOUND, retention);
        clients.add(client);
        return client;
    }

    private BookKeeperDfs client() {
        return client(Retention.STANDARD);
    }

    private static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof DfsException known) {
                throw known;
            }
            throw new AssertionError(failed);
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    private static void assertFails(CompletableFuture<?> future, Reason reason) {
        assertThatThrownBy(() -> get(future))
                .isInstanceOfSatisfying(
                        DfsException.class,
                        failure -> assertThat(failure.reason())
                                .as(failure.toString())
                                .isEqualTo(reason));
    }

    private static void until(Supplier<Boolean> condition) {
        while (!condition.get()) {
            Thread.onSpinWait(); // The test's time ends this.
        }
    }

    private static ByteString text(String text) {
        return ByteString.copyFromUtf8(text);
    }

    /** Connected. */
    private static Engine engine(BookKeeperDfs client) {
        get(client.listPaths(""));
        return client.engine();
    }

    private static LedgerFile create(BookKeeperDfs client, String path) {
        return (LedgerFile) get(client.create(path));
    }

    @Test
    void aForceSucceedsAfterASealSoABarrierIsAnEntry() {
        LedgerFile file = create(client(), "log");
        get(file.append(text("abc")));

        assertThat(get(client().seal("log"))).isEqualTo(3);

        get(file.ledger().force());
        assertFails(file.barrier(), Reason.SEALED);
    }

    @Test
    void ofACreateAndASealOneWins() {
        BookKeeperDfs creator = client();
        BookKeeperDfs sealer = client();
        int created = 0;
        for (int i = 0; i < 40; i++) {
            String path = "race/" + i;
            CompletableFuture<DfsFile> create = creator.create(path);
            if (i % 2 == 0) {
                get(creator.listPaths("none/"));
            }
            long sealed = get(sealer.seal(path));
            assertThat(sealed).isZero();
            try {
                DfsFile file = get(create);
                created++;
                assertFails(file.append(text("late")), Reason.SEALED);
            } catch (DfsException lost) {
                assertThat(lost.reason()).isEqualTo(Reason.EXISTS);
            }
            assertThat(get(sealer.stat(path))).isEqualTo(new FileInfo(path, 0, true));
        }
        assertThat(created).isBetween(0, 40);
    }

    @Test
    void aLedgerWithoutANameIsDeletedBySweepsAndNoOther() {
        BookKeeperDfs client = client();
        Engine engine = engine(client);
        long kept = create(client, "log").ledgerId();
        long orphan = get(engine.ledgers().create("never/named")).getId();
        BookKeeperUri another = BookKeeperUri.parse(bookies.uri("/another"));
        long foreign = get(new Ledgers(engine.bookKeeper(), engine.zooKeeper(), another).create("x"))
                .getId();
        Sweep sweep = new Sweep(engine, Retention.STANDARD, new Attempts(client.timers(), BOUND));

        sweep.run(); // Learns when the last one was.
        sweep.run(); // Sees an orphan.
        get(engine.ledgers().metadata(orphan));
        sweep.run();

        assertThatThrownBy(() -> get(engine.ledgers().metadata(orphan))).hasMessageContaining("No such ledger");
        get(engine.ledgers().metadata(kept));
        get(engine.ledgers().metadata(foreign));
    }

    @Test
    void oneProcessSweepsForAll() {
        BookKeeperDfs client = client();
        Engine engine = engine(client);
        Sweep first = new Sweep(engine, Retention.STANDARD, new Attempts(client.timers(), BOUND));
        Sweep second = new Sweep(engine, Retention.STANDARD, new Attempts(client.timers(), BOUND));
        first.run();
        second.run();

        first.run();
        Names.Begun begun = get(engine.names().sweeps());
        second.run();

        assertThat(get(engine.names().sweeps())).isEqualTo(begun);
    }

    /** Bookies forget a fence with its ledger and a restart. Keeping the ledger is what stops a writer that slept. */
    @Test
    void afterDeletionAndARestartOfAllBookiesTheWriterIsStillFenced() {
        BookKeeperDfs writer = client();
        LedgerFile zombie = create(writer, "log");
        get(zombie.append(text("abc")));
        BookKeeperDfs owner = client();
        get(owner.seal("log"));
        get(owner.delete("log"));
        Name kept = get(engine(owner).names().look("log"));

        for (int bookie = 1; bookie <= 3; bookie++) {
            bookies.stopBookie(bookie);
            bookies.startBookie(bookie);
        }
        until(() -> get(owner.probe()).ready());

        assertThat(kept.kind()).isEqualTo(Kind.DELETED_FENCED);
        assertThat(get(engine(owner).ledgers().metadata(kept.ledger())).isClosed())
                .isTrue();
        assertFails(zombie.append(text("d")), Reason.DELETED);
    }

    @Test
    void aKeptLedgerIsDeletedWhenItsTimeHasCome() {
        BookKeeperDfs writer = client();
        create(writer, "log");
        BookKeeperDfs owner = client();
        get(owner.delete("log"));
        Engine engine = engine(owner);
        long ledger = get(engine.names().look("log")).ledger();
        Retention brief = new Retention(new FenceTimes(MILLI, 2 * MILLI), 2 * MILLI, MILLI);
        Sweep sweep = new Sweep(engine, brief, new Attempts(owner.timers(), BOUND));

        sweep.run();
        until(() -> {
            sweep.run();
            return !get(engine.names().look("log")).hasLedger();
        });
        assertThatThrownBy(() -> get(engine.ledgers().metadata(ledger))).hasMessageContaining("No such ledger");
        until(() -> {
            sweep.run();
            return get(engine.names().look("log")).kind() == Kind.ABSENT;
        });
    }

    @Test
    void whatItsOwnWriterSealedIsDeletedAtOnce() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "checkpoint");
        get(file.append(text("abc")));
        get(client.seal("checkpoint"));

        get(client.delete("checkpoint"));

        assertThatThrownBy(() -> get(engine(client).ledgers().metadata(file.ledgerId())))
                .hasMessageContaining("No such ledger");
    }

    @Test
    void aWriterThatCannotConfirmItsNameWaitsUntilItCan() {
        BookKeeperDfs client = client(new Retention(new FenceTimes(MILLI, 2 * MILLI), BOUND, BOUND));
        LedgerFile file = create(client, "log");
        get(file.append(text("abc")));
        bookies.stopZooKeeper();
        CompletableFuture<Long> append;
        try {
            append = file.append(text("d"));
            until(() -> file.inDoubt() == 1);
            assertThat(append).isNotDone();
        } finally {
            bookies.startZooKeeper();
        }
        assertThat(get(append)).isEqualTo(4);
        assertThat(get(client.seal("log"))).isEqualTo(4);
    }

    @Test
    void aWriterLearnsThatItsFileWasTakenOverWithoutAppending() {
        long trust = 1_200 * MILLI;
        BookKeeperDfs client = client(new Retention(new FenceTimes(trust, 2 * trust), BOUND, BOUND));
        LedgerFile file = create(client, "log");
        get(client().seal("log"));

        until(() -> file.ending() == Reason.SEALED);
    }

    @Test
    void itsCreatorIsToldThatAFileWasDeletedThoughTheNameIsForgotten() {
        BookKeeperDfs creator = client();
        create(creator, "log");
        BookKeeperDfs other = client();
        get(other.delete("log"));
        Names names = engine(other).names();
        get(names.forget("log", get(names.look("log"))));

        assertFails(creator.seal("log"), Reason.DELETED);
        assertThat(get(other.seal("log"))).isZero();
    }

    /** The bookies do not know the end of a closed ledger, and news of its metadata may be missed. */
    @Test
    void aReaderThatWasNotToldThatTheLedgerWasClosedSeesAllOfIt() {
        DfsFile file = create(client(), "log");
        BookKeeperDfs reader = client();
        assertThat(get(reader.read("log", 0, 10))).isEqualTo(ByteString.EMPTY);
        Objects.requireNonNull(reader.readers().known("log")).close(); // It reads on, and is told nothing.
        get(file.append(text("abc")));

        get(client().seal("log"));

        assertThat(get(reader.read("log", 0, 10))).isEqualTo(text("abc"));
    }

    @Test
    void aStatIsExactBesideABookieThatIsDown() {
        LedgerFile file = create(client(), "log");
        BookKeeperDfs reader = client();
        engine(reader);
        bookies.stopBookie(2);
        try {
            for (int i = 1; i <= 3; i++) {
                get(file.append(text("x")));
                assertThat(get(reader.stat("log"))).isEqualTo(new FileInfo("log", i, false));
            }
        } finally {
            bookies.startBookie(2);
        }
    }

    @Test
    void theLastAppendIsSeenByOthersThoughNoneFollowsIt() {
        DfsFile file = get(client().create("log"));
        BookKeeperDfs reader = client();
        for (String each : List.of("a", "b", "c")) {
            get(file.append(text(each)));
            long length = 1L + "abc".indexOf(each);
            until(() -> get(reader.stat("log")).length() == length);
            assertThat(get(reader.read("log", length - 1, 10))).isEqualTo(text(each));
        }
    }

    @Test
    void withThreeBookiesAppendsGoOnWithoutOneAndASealIsFoundBesideIt() {
        BookKeeperDfs writer = client();
        LedgerFile file = create(writer, "log");
        get(file.append(text("abc")));
        BookKeeperDfs owner = client();
        engine(owner);

        bookies.suspend(2);
        try {
            get(file.append(text("def")));
            get(file.barrier());
            assertThat(get(owner.seal("log"))).isEqualTo(6);
            assertThat(get(owner.read("log", 0, 10))).isEqualTo(text("abcdef"));
        } finally {
            bookies.resume(2);
        }
        bookies.stopBookie(1);
        try {
            LedgerFile next = create(writer, "next");
            get(next.append(text("x")));
            assertThat(get(owner.seal("next"))).isEqualTo(1);
        } finally {
            bookies.startBookie(1);
        }
    }

    @Test
    void withAFourthBookieAFailedOneIsReplaced() {
        bookies.startBookie(4);
        try {
            BookKeeperDfs writer = client();
            until(() -> get(engine(writer).ledgers().bookies()).writable() == 4);
            LedgerFile file = create(writer, "log");
            get(file.append(text("abc")));
            String first = String.valueOf(get(engine(writer).ledgers().metadata(file.ledgerId()))
                    .getAllEnsembles()
                    .firstEntry());
            int failed = first.contains("b1") ? 1 : 2;
            bookies.stopBookie(failed);
            try {
                until(() -> {
                    get(file.append(text("d")));
                    return get(engine(writer).ledgers().metadata(file.ledgerId()))
                                    .getAllEnsembles()
                                    .size()
                            > 1;
                });
                assertThat(get(client().seal("log"))).isEqualTo(file.acknowledged());
            } finally {
                bookies.startBookie(failed);
            }
        } finally {
            bookies.stopBookie(4);
        }
    }

    @Test
    void appendsGoOnWhileZooKeeperIsAwayAndCallsAfterwards() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");
        bookies.stopZooKeeper();
        CompletableFuture<DfsFile> create;
        try {
            get(file.append(text("abc")));
            get(file.barrier());
            create = client.create("next");
            assertThat(create).isNotDone();
        } finally {
            bookies.startZooKeeper();
        }
        get(get(create).append(text("x")));
        get(file.append(text("def")));
        assertThat(get(client.seal("log"))).isEqualTo(6);
    }

    @Test
    void afterZooKeeperWasAwayForMoreThanASessionEverythingGoesOn() throws Exception {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");
        get(file.append(text("abc")));
        long session = engine(client).zooKeeper().getSessionId();
        bookies.expireSession(session);

        until(() -> engine(client).zooKeeper().getSessionId() != session);
        get(file.append(text("def")));
        get(get(client.create("next")).append(text("x")));
        assertThat(get(client.seal("log"))).isEqualTo(6);
    }

    @Test
    void aNameWhoseLedgerIsMissingIsDamageAndNotAnEmptyFile() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");
        get(file.append(text("abc")));
        get(engine(client).ledgers().delete(file.ledgerId()));
        BookKeeperDfs other = client();

        assertFails(other.seal("log"), Reason.DAMAGED);
        assertFails(other.read("log", 0, 1), Reason.DAMAGED);
        assertFails(other.stat("log"), Reason.DAMAGED);
    }
}
