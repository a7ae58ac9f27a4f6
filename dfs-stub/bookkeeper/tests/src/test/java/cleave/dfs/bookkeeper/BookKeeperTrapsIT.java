package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.Name.Kind;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.policy.FenceTimes;
import cleave.runtime.rpc.Transport;
import com.google.protobuf.ByteString;
import io.netty.buffer.Unpooled;
import io.prometheus.client.CollectorRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.meta.LedgerLayout;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Cases where BookKeeper gives less than it seems to, or less than the contract demands, and what is done about them. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("nightly")
final class BookKeeperTrapsIT extends OnBookies {
    @RegisterExtension
    static final SharedBookies BOOKIES = new SharedBookies(3);

    BookKeeperTrapsIT() {
        super(BOOKIES);
    }

    /** Appends as the handle of a writer does, regardless of what the file knows. */
    private static CompletableFuture<Long> appendBehind(LedgerFile file) {
        return file.ledger().appendAsync(Unpooled.wrappedBuffer(new byte[] {'z'}));
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
        Names names = engine(sealer).names();
        engine(creator);
        for (int i = 0; i < 40; i++) {
            String path = "race/" + i;
            CompletableFuture<DfsFile> create = creator.create(path);
            if (i % 2 == 0) {
                get(creator.listPaths("none/"));
            }

            assertThat(get(sealer.seal(path))).isZero();

            Name name = get(names.look(path));
            if (name.hasLedger()) {
                assertThat(name.kind()).isEqualTo(Kind.TAKEN_OVER);
                assertFails(get(create).append(text("late")), Reason.SEALED);
            } else {
                assertThat(name.kind()).isEqualTo(Kind.EMPTY);
                assertFails(create, Reason.EXISTS);
            }
            assertThat(get(sealer.stat(path))).isEqualTo(new FileInfo(path, 0, true));
        }
    }

    /** Bookies forget a fence with its ledger and a restart. The kept ledger stops a writer that slept. */
    @Test
    void afterDeletionAndARestartOfAllBookiesTheWriterIsStillFenced() {
        BookKeeperDfs writer = client();
        LedgerFile zombie = create(writer, "log");
        get(zombie.append(text("abc")));
        BookKeeperDfs owner = client();
        get(owner.seal("log"));
        get(owner.delete("log"));
        Name kept = get(engine(owner).names().look("log"));

        bookies().restartBookies();
        get(create(writer, "another").append(text("x"))); // The writer reaches them again.

        assertThat(kept.kind()).isEqualTo(Kind.DELETED_FENCED);
        assertThat(get(engine(owner).ledgers().metadata(kept.ledger())).isClosed())
                .isTrue();
        assertThat(appendBehind(zombie))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(BKException.BKLedgerFencedException.class);
        assertFails(zombie.append(text("d")), Reason.DELETED);
    }

    /** Its barriers are on no disk when they are answered; the seal is. */
    @Test
    void afterARestartOfAllBookiesASealedFenceTakesNoBarrier() {
        LedgerFile fence = (LedgerFile) get(client().createFence("fence"));
        for (int i = 0; i < 100; i++) {
            get(fence.barrier());
        }
        assertThat(fence.ledger().getLastAddConfirmed())
                .as("what the bookies have synced")
                .isEqualTo(-1);
        BookKeeperDfs taker = client();
        assertThat(get(taker.seal("fence"))).isZero();

        bookies().restartBookies();
        get(create(taker, "another").append(text("x"))); // It reaches them again.

        assertThat(appendBehind(fence))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(BKException.BKLedgerFencedException.class);
        assertFails(fence.barrier(), Reason.SEALED);
    }

    /** This is why a fence is kept: this writer has not asked for its name again, and the bookies store its appends to a deleted file. */
    @Test
    void theBookiesForgetAFenceWithItsLedger() {
        LedgerFile zombie = create(client(), "log");
        get(zombie.append(text("abc")));

        forgetFence(zombie);

        get(appendBehind(zombie));
    }

    private void forgetFence(LedgerFile zombie) {
        BookKeeperDfs owner = client();
        get(owner.seal("log"));
        get(owner.delete("log"));
        get(engine(owner).ledgers().delete(zombie.ledgerId()));
        until(() -> bookies().haveFreed(zombie.ledgerId()));
        bookies().restartBookies();
        get(create(owner, "another").append(text("x")));
    }

    /** BookKeeper's client leaves threads behind when it finds nothing there, and each attempt to connect makes one. */
    @Test
    void whereBookKeeperIsNotPreparedNothingIsLeftBehindByAttempts() {
        assertRefusesAndLeavesNothingBehind("/elsewhere", "BookKeeper is not prepared in /elsewhere");
    }

    @Test
    void whereBookKeeperHasMetadataOfAnotherKindNothingIsLeftBehindByAttempts() throws Exception {
        BookKeeperDfs client = client();
        ZooKeeper zooKeeper = zooKeeper(engine(client));
        for (String node : List.of("/flat", "/flat/available")) {
            zooKeeper.create(node, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        zooKeeper.create(
                "/flat/LAYOUT",
                new LedgerLayout("org.apache.bookkeeper.meta.HierarchicalLedgerManagerFactory", 1).serialize(),
                Ids.OPEN_ACL_UNSAFE,
                CreateMode.PERSISTENT);
        client.close();

        assertRefusesAndLeavesNothingBehind(
                "/flat", "metadata, org.apache.bookkeeper.meta.HierarchicalLedgerManagerFactory: prepare it with");
    }

    private void assertRefusesAndLeavesNothingBehind(String ledgers, String why) {
        BookKeeperUri uri = BookKeeperUri.parse(bookies().uri("/cluster") + "?ledgers=" + ledgers);
        long before = threadsOfClients();

        try (BookKeeperDfs client = BookKeeperShell.open(
                uri,
                Transport.PLAIN,
                new DfsMetrics(new CollectorRegistry()),
                TimeUnit.SECONDS.toNanos(10),
                Retention.STANDARD)) {
            assertThatThrownBy(() -> get(client.listPaths(""))).hasMessageContaining(why);
            until(() -> threadsOfClients() <= before); // Some of a client that was closed may have been counted before.
        }
    }

    private static long threadsOfClients() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("BookKeeperClient"))
                .count();
    }

    /** It learns that by an append, by a seal or by a delete, and its core may never close the handle. */
    @Test
    void ofAFileThatAnotherHasEndedNoHandleStays() {
        CollectorRegistry registry = new CollectorRegistry();
        BookKeeperDfs writer = client(Retention.STANDARD, registry);
        BookKeeperDfs owner = client();
        List<LedgerFile> files = new ArrayList<>();
        for (String path : List.of("by/append", "by/seal", "by/delete", "deleted/by/seal", "deleted/by/delete")) {
            LedgerFile file = create(writer, path);
            get(file.append(text("abc")));
            get(owner.seal(path));
            files.add(file);
        }
        get(owner.delete("deleted/by/seal"));
        get(owner.delete("deleted/by/delete"));
        assertThat(openFiles(registry)).isEqualTo(5);

        assertFails(files.get(0).append(text("d")), Reason.SEALED);
        assertThat(get(writer.seal("by/seal"))).isEqualTo(3);
        get(writer.delete("by/delete"));
        assertFails(writer.seal("deleted/by/seal"), Reason.DELETED);
        get(writer.delete("deleted/by/delete"));

        until(() -> openFiles(registry) == 0);
        until(() -> files.stream().allMatch(file -> file.ledger().isClosed()));
        assertFails(files.get(1).append(text("d")), Reason.SEALED);
        assertFails(files.get(3).append(text("d")), Reason.DELETED);
    }

    private static double openFiles(CollectorRegistry registry) {
        return registry.getSampleValue("cleave_dfs_client_open_files");
    }

    /** Closed in its place; else its ledger would stay open here, and a later seal would take it for one that was taken over. */
    @Test
    void aFileThatItsWriterGaveUpIsSealedAndItsHandleEnds() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");
        CompletableFuture<Long> append = file.append(text("abc"));
        file.close();

        assertThat(get(append)).isEqualTo(3);
        Engine engine = engine(client);
        until(() -> get(engine.names().look("log")).kind() == Kind.SEALED);
        assertThat(file.ledger().isClosed()).isTrue();
        BookKeeperDfs other = client();
        assertThat(get(other.seal("log"))).isEqualTo(3);
        get(other.delete("log"));
        assertThatThrownBy(() -> get(engine.ledgers().metadata(file.ledgerId())))
                .hasMessageContaining("No such ledger");
    }

    /** A log that was read for long, and seldom written. */
    @Test
    void whatStandsBehindThousandsOfBarriersIsReadInAFewSteps() {
        LedgerFile file = create(client(), "log");
        for (String each : List.of("abc", "def")) {
            for (int i = 1; i < 5_000; i++) {
                file.barrier();
            }
            get(file.barrier());
            get(file.append(text(each)));
        }
        BookKeeperDfs owner = client();
        assertThat(get(owner.seal("log"))).isEqualTo(6);
        assertThat(get(owner.read("log", 0, 10))).isEqualTo(text("abcdef"));

        ReadHandle ledger = get(engine(owner).ledgers().open(file.ledgerId()));
        AtomicInteger reads = new AtomicInteger();
        AtomicLong entries = new AtomicLong();
        LedgerReader reader = new LedgerReader(
                "log",
                (ReadHandle) Proxy.newProxyInstance(
                        ReadHandle.class.getClassLoader(),
                        new Class<?>[] {ReadHandle.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("readAsync")) {
                                reads.incrementAndGet();
                                entries.addAndGet(1 + (long) arguments[1] - (long) arguments[0]);
                            }
                            return method.invoke(ledger, arguments);
                        }),
                new ReadBudget(1 << 20, Long.MAX_VALUE, () -> 0));
        assertThat(get(reader.read(Objects.requireNonNull(reader.viewOfSealed()), 0, 10)))
                .isEqualTo(text("abcdef"));
        assertThat(reads).hasValueLessThan(80);
        assertThat(entries).hasValueLessThan(500);
    }

    @Test
    void aWriterLearnsThatItsFileWasTakenOverWithoutAppending() {
        long trust = 1_200 * MILLI;
        BookKeeperDfs client = client(new Retention(new FenceTimes(trust, 2 * trust), BOUND, BOUND));
        LedgerFile file = create(client, "log");
        get(client().seal("log"));

        until(() -> file.ending() == Reason.SEALED);
        until(() -> file.ledger().isClosed()); // Nobody has closed the handle.
    }

    /** The bookies do not know the end of a closed ledger, and news of its metadata may be missed. */
    @Test
    void aReaderThatWasNotToldThatTheLedgerWasClosedSeesAllOfIt() {
        DfsFile file = create(client(), "log");
        BookKeeperDfs reader = client();
        assertThat(get(reader.read("log", 0, 10))).isEqualTo(ByteString.EMPTY);
        Objects.requireNonNull(reader.readers().known("log")).close(); // It reads on without news of the ledger.
        get(file.append(text("abc")));

        get(client().seal("log"));

        assertThat(get(reader.read("log", 0, 10))).isEqualTo(text("abc"));
    }

    @Test
    void aStatIsExactBesideABookieThatIsDown() {
        LedgerFile file = create(client(), "log");
        BookKeeperDfs reader = client();
        engine(reader);
        bookies().stopBookie(2);
        try {
            for (int i = 1; i <= 3; i++) {
                get(file.append(text("x")));
                assertThat(get(reader.stat("log"))).isEqualTo(new FileInfo("log", i, false));
            }
        } finally {
            bookies().startBookie(2);
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

    /** Each reader compares, and asks the next bookie; so the rot of a copy is seen by nobody as long as another is good. */
    @Test
    void aRottenCopyIsPassedOverAndThreeAreDamage() {
        BookKeeperDfs writer = client();
        LedgerFile file = create(writer, "checkpoint");
        ByteString entry = text("the bytes of an entry " + root());
        get(file.append(entry));
        get(writer.seal("checkpoint"));
        for (int bookie = 1; bookie <= 3; bookie++) {
            int each = bookie;
            until(() -> bookies().has(each, file.ledgerId(), 0));
        }

        for (int bookie = 1; bookie <= 3; bookie++) {
            assertThat(get(client().read("checkpoint", 0, 1_000)))
                    .as("with %s bad copies", bookie - 1)
                    .isEqualTo(entry);
            bookies().rot(bookie, entry.toByteArray());
            BookKeeperDfs back = client();
            until(() -> get(engine(back).ledgers().client().bookies()).writable() == 3);
        }

        assertFails(client().read("checkpoint", 0, 1_000), Reason.DAMAGED);
    }

    @Test
    void aFileHasThreeCopiesOfWhichTwoAreWaitedFor() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");

        LedgerMetadata metadata = get(engine(client).ledgers().metadata(file.ledgerId()));

        assertThat(metadata.getEnsembleSize()).isEqualTo(3);
        assertThat(metadata.getWriteQuorumSize()).isEqualTo(3);
        assertThat(metadata.getAckQuorumSize()).isEqualTo(2);
    }

    @Test
    void besideABookieThatStandsStillAppendsGoOnAndASealIsFound() {
        LedgerFile file = create(client(), "log");
        get(file.append(text("abc")));
        BookKeeperDfs owner = client();
        engine(owner);

        bookies().suspend(2);
        try {
            get(file.append(text("def")));
            get(file.barrier());
            assertThat(get(owner.seal("log"))).isEqualTo(6);
            assertThat(get(owner.read("log", 0, 10))).isEqualTo(text("abcdef"));
        } finally {
            bookies().resume(2);
        }
    }

    /** There is none to replace it, so an attempt to do so would break the ledger. */
    @Test
    void withThreeBookiesAnOpenLedgerKeepsTheOneThatEnds() {
        BookKeeperDfs writer = client();
        LedgerFile file = create(writer, "log");
        get(file.append(text("abc")));

        bookies().stopBookie(1);
        try {
            for (int i = 0; i < 20; i++) {
                get(file.append(text("d")));
            }
            get(file.barrier());
            assertThat(get(engine(writer).ledgers().metadata(file.ledgerId())).getAllEnsembles())
                    .hasSize(1);
            LedgerFile next = create(writer, "next");
            get(next.append(text("x")));
            assertThat(get(client().seal("next"))).isEqualTo(1);
            assertThat(get(client().seal("log"))).isEqualTo(23);
        } finally {
            bookies().startBookie(1);
        }
    }

    @Test
    void aLedgerThatBreaksIsSealedWithAllThatWasAcknowledged() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");
        get(file.append(text("abc")));

        bookies().stopBookie(1);
        bookies().stopBookie(2);
        try {
            assertFails(file.append(text("d")), Reason.BROKEN);
        } finally {
            bookies().startBookie(1);
            bookies().startBookie(2);
        }

        long length = get(client.seal("log"));
        assertThat(length).isBetween(3L, 4L);
        assertThat(get(client().read("log", 0, 10))).isEqualTo(text("abcd").substring(0, (int) length));
        get(create(client, "next").append(text("x")));
    }

    @Test
    void appendsGoOnWhileZooKeeperIsAwayAndCallsAfterwards() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");
        CompletableFuture<DfsFile> create;
        bookies().stopZooKeeper();
        try {
            create = client.create("next");
            get(file.append(text("abc")));
            get(file.barrier());
            assertThat(create).isNotDone();
        } finally {
            bookies().startZooKeeper();
        }
        get(get(create).append(text("x")));
        get(file.append(text("def")));
        assertThat(get(client.seal("log"))).isEqualTo(6);
    }

    /** By then the bookies are no more registered, either. */
    @Test
    void afterZooKeeperWasAwayForMoreThanASessionEverythingGoesOn() {
        BookKeeperDfs client = client();
        LedgerFile file = create(client, "log");
        long session = zooKeeper(engine(client)).getSessionId();
        bookies().stopZooKeeper();
        try {
            get(file.append(text("abc")));
        } finally {
            bookies().startZooKeeper();
        }
        bookies().expireSessions();

        until(() -> zooKeeper(engine(client)).getSessionId() != session);
        until(() -> get(engine(client).ledgers().client().bookies()).writable() == 3);
        get(file.append(text("def")));
        get(create(client, "next").append(text("x")));
        assertThat(get(client.seal("log"))).isEqualTo(6);
        assertThat(get(client().read("log", 0, 10))).isEqualTo(text("abcdef"));
    }
}
