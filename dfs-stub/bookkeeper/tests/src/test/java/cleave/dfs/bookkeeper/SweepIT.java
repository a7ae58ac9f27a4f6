package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.Retries;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.Name.Kind;
import cleave.dfs.bookkeeper.state.NameTree;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.policy.FenceTimes;
import io.prometheus.client.CollectorRegistry;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sweeps of real names and ledgers. Stories tell when what is given back ({@link SimulatedFilesTest}). */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
final class SweepIT extends OnBookies {
    @RegisterExtension
    static final SharedBookies BOOKIES = new SharedBookies(3);

    /** A form that no version knows yet. */
    private static final byte[] NEWER = "?!".getBytes(StandardCharsets.US_ASCII);

    private static final long SWEEP = TimeUnit.HOURS.toNanos(6);

    /** Each sweep looks at the ledgers, too; a fence is kept for two whole intervals. */
    private static final Retention RETENTION = new Retention(new FenceTimes(SWEEP, 2 * SWEEP), 3 * SWEEP, SWEEP);

    private final CollectorRegistry registry = new CollectorRegistry();

    SweepIT() {
        super(BOOKIES);
    }

    private BookKeeperDfs connected() {
        BookKeeperDfs client = client();
        engine(client);
        return client;
    }

    /** Which has looked at the sweeps before it, so each run sweeps. */
    private Sweep sweep(BookKeeperDfs client) {
        Retries retries = BookKeeperDfs.retries(client.timers(), BOUND);
        Sweep sweep = new Sweep(client.engine(), RETENTION, retries, new DfsMetrics(registry).engine());
        get(sweep.run());
        return sweep;
    }

    private static boolean exists(Engine engine, long ledger) {
        return get(engine.ledgers().metadata(ledger).handle((metadata, failure) -> {
            assertThat(failure == null || Failures.isMissingLedger(failure)).isTrue();
            return failure == null;
        }));
    }

    private static Kind kind(Engine engine, String path) {
        return get(engine.names().look(path)).kind();
    }

    /** Takes the second step of a create, behind the making of the ledger. */
    private static CompletableFuture<Void> named(BookKeeperDfs client, String path, long ledger) {
        return BookKeeperDfs.retries(client.timers(), BOUND)
                .run("create " + path, () -> client.engine().names().create(path, Name.written(ledger)));
    }

    private @Nullable Double metric(String name, String label, String value) {
        return registry.getSampleValue(name, new String[] {label}, new String[] {value});
    }

    // ---- ledgers without names ----

    @Test
    void aLedgerWithoutANameIsDeletedAfterAnIntervalAndNoOther() {
        BookKeeperDfs client = connected();
        Engine engine = client.engine();
        Sweep sweep = sweep(client);
        long kept = create(client, "log").ledgerId();
        long orphan = get(engine.ledgers().create("never/named")).getId();
        long foreign = get(new Ledgers(engine.ledgers().client(), engine.nodes(), "/another", "/ledgers").create("x"))
                .getId();

        get(sweep.run());
        assertThat(exists(engine, orphan)).isTrue(); // Its creator may be about to name it.
        get(sweep.run());

        assertThat(exists(engine, orphan)).isFalse();
        assertThat(exists(engine, kept)).isTrue();
        assertThat(exists(engine, foreign)).isTrue();
        assertThat(metric("cleave_dfs_engine_swept_ledgers_total", "outcome", "without-name"))
                .isEqualTo(1);
    }

    @Test
    void aLedgerThatGetsItsNameWhileItIsSweptIsKept() {
        BookKeeperDfs client = connected();
        Engine engine = client.engine();
        long ledger = get(engine.ledgers().create("late")).getId();
        Name before = get(engine.names().look("late"));
        get(named(client, "late", ledger));

        int version = get(engine.ledgers().kept(ledger)).version();

        assertThat(get(engine.names().deleteUnnamed("late", before, ledger, version)))
                .isFalse();

        assertThat(exists(engine, ledger)).isTrue();
    }

    @Test
    void aLedgerThatIsTouchedWhileItIsSweptIsKept() {
        BookKeeperDfs client = connected();
        Engine engine = client.engine();
        long ledger = get(engine.ledgers().create("late")).getId();
        int before = get(engine.ledgers().kept(ledger)).version();
        get(engine.ledgers().touch(ledger));

        for (int i = 0; i < 2; i++) { // The first one makes the place of the name.
            assertFails(engine.names().deleteUnnamed("late", Name.ABSENT, ledger, before), Reason.UNAVAILABLE);
        }

        assertThat(exists(engine, ledger)).isTrue();
    }

    // ---- staged files ----

    /** Another process may be the one that sweeps. */
    @Test
    void theLedgerOfAStagedFileIsKeptForAsLongAsItIsWritten() {
        BookKeeperDfs writer = connected();
        LedgerFile slow = (LedgerFile) get(writer.createStaged("slow"));
        Sweep sweep = sweep(connected());
        for (int i = 0; i < 4; i++) {
            get(slow.append(text("abc")));
            get(writer.staged().touch(writer.engine()));
            get(sweep.run());
            assertThat(exists(writer.engine(), slow.ledgerId())).isTrue();
        }

        assertThat(get(writer.seal("slow"))).isEqualTo(12);
        assertThat(get(client().read("slow", 9, 99))).isEqualTo(text("abc"));
    }

    /** Its process was suspended meanwhile. */
    @Test
    void aStagedFileWhoseLedgerWasSweptGetsNoName() {
        BookKeeperDfs client = connected();
        Sweep sweep = sweep(client);
        LedgerFile slow = (LedgerFile) get(client.createStaged("slow"));
        get(slow.append(text("abc")));
        get(sweep.run());
        get(sweep.run());
        assertThat(exists(client.engine(), slow.ledgerId())).isFalse();

        assertFails(client.seal("slow"), Reason.BROKEN);

        assertThat(get(client.listPaths(""))).isEmpty();
    }

    // ---- what cannot be read ----

    @Test
    void namesThatCannotBeReadAreKeptAndReportedAndTheOthersSwept() throws Exception {
        BookKeeperDfs client = connected();
        Engine engine = client.engine();
        Sweep sweep = sweep(client);
        NameTree tree = new NameTree(root());
        for (int i = 0; i < 40; i++) {
            create(client, "gone/" + i);
            get(client.delete("gone/" + i));
        }
        zooKeeper(engine).setData(tree.deleted("gone/7"), NEWER, -1);
        String foreign = tree.deleted("gone/9") + "of somebody else:";
        zooKeeper(engine).create(foreign, NEWER, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        get(sweep.run());

        get(sweep.run());

        for (int i = 0; i < 40; i++) {
            if (i != 7) {
                assertThat(kind(engine, "gone/" + i)).isEqualTo(Kind.ABSENT);
            }
        }
        assertThat(zooKeeper(engine).getData(tree.deleted("gone/7"), false, null))
                .isEqualTo(NEWER);
        assertThat(zooKeeper(engine).getData(foreign, false, null)).isEqualTo(NEWER);
        assertThat(metric("cleave_dfs_engine_swept_names_total", "outcome", "forgotten"))
                .isEqualTo(39);
        assertThat(metric("cleave_dfs_engine_swept_names_total", "outcome", "unreadable"))
                .isEqualTo(4); // Two, in two sweeps.
    }

    @Test
    void ledgersThatCannotBeReadAreKeptAndReportedAndTheOthersSwept() throws Exception {
        BookKeeperDfs client = connected();
        Engine engine = client.engine();
        Sweep sweep = sweep(client);
        long before = get(engine.ledgers().create("never/named")).getId();
        long unreadable = get(engine.ledgers().create("never/read")).getId();
        long after = get(engine.ledgers().create("never/named/either")).getId();
        String node = Ledgers.node("/ledgers", unreadable);
        zooKeeper(engine).setData(node, NEWER, -1);
        try {
            get(sweep.run());
            get(sweep.run());

            assertThat(exists(engine, before)).isFalse();
            assertThat(exists(engine, after)).isFalse();
            assertThat(zooKeeper(engine).getData(node, false, null)).isEqualTo(NEWER);
            assertThat(metric("cleave_dfs_engine_swept_ledgers_total", "outcome", "unreadable"))
                    .isEqualTo(2); // One, in two sweeps.
        } finally {
            zooKeeper(engine).delete(node, -1);
        }
    }

    // ---- tombstones ----

    @Test
    void aSweepTellsWhatItSaw() {
        BookKeeperDfs client = connected();
        Sweep sweep = sweep(client);
        for (int i = 0; i < 20; i++) {
            create(client, "kept/" + i);
            create(client, "gone/" + i);
            get(client.delete("gone/" + i));
        }
        get(sweep.run());
        assertThat(metric("cleave_dfs_engine_names", "of", "files")).isEqualTo(20);
        assertThat(metric("cleave_dfs_engine_names", "of", "deleted")).isEqualTo(20);
        assertThat(metric("cleave_dfs_engine_bucket_names", "of", "files")).isBetween(1.0, 20.0);

        get(sweep.run());

        assertThat(metric("cleave_dfs_engine_names", "of", "deleted")).isZero();
        assertThat(metric("cleave_dfs_engine_swept_names_total", "outcome", "kept"))
                .isEqualTo(20);
        assertThat(metric("cleave_dfs_engine_swept_names_total", "outcome", "forgotten"))
                .isEqualTo(20);
        assertThat(registry.getSampleValue("cleave_dfs_engine_sweep_age_seconds"))
                .isBetween(0.0, 120.0);
    }

    @Test
    void oneProcessSweepsForAll() {
        BookKeeperDfs client = connected();
        Sweep first = sweep(client);
        registry.clear();
        Sweep second = sweep(client);

        get(first.run());
        Names.Begun begun = get(client.engine().names().sweeps());
        get(second.run());

        assertThat(get(client.engine().names().sweeps())).isEqualTo(begun);
    }

    // ---- bookies and connections ----

    @Test
    void aBookieThatFailsIsReplacedAtOnceThoughTheSpareCameLater() {
        BookKeeperDfs writer = connected();
        bookies().startBookie(4);
        try {
            until(() -> get(writer.engine().ledgers().client().bookies()).writable() == 4);
            LedgerFile file = create(writer, "log");
            get(file.append(text("abc")));
            String first = String.valueOf(get(writer.engine().ledgers().metadata(file.ledgerId()))
                    .getAllEnsembles()
                    .firstEntry());
            int failed = first.contains("b1") ? 1 : 2;
            bookies().stopBookie(failed);
            try {
                int appends = 0;
                while (get(writer.engine().ledgers().metadata(file.ledgerId()))
                                .getAllEnsembles()
                                .size()
                        == 1) {
                    get(file.append(text("d")));
                    assertThat(++appends).isLessThan(20_000);
                }
            } finally {
                bookies().startBookie(failed);
            }
        } finally {
            bookies().stopBookie(4);
        }
    }

    @Test
    void anErrorWhileConnectingFailsTheCallsThatWait() {
        BookKeeperDfs dfs = BookKeeperShell.open(
                BookKeeperUri.parse(bookies().uri("/broken")),
                new DfsMetrics(new CollectorRegistry()),
                BOUND,
                Retention.STANDARD,
                (uri, timers, background) -> {
                    throw new NoClassDefFoundError("org/apache/zookeeper/Missing");
                });
        try {
            assertThatThrownBy(() -> get(dfs.create("log")))
                    .hasMessageContaining("org/apache/zookeeper/Missing")
                    .isInstanceOfSatisfying(
                            DfsException.class,
                            failure -> assertThat(failure.reason()).isEqualTo(Reason.BROKEN));
        } finally {
            dfs.close();
        }
    }
}
