package cleave.dfs.bookkeeper;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.Retries;
import cleave.dfs.bookkeeper.state.Bookies;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.metrics.EngineMetrics;
import cleave.dfs.metrics.EngineMetrics.Call;
import cleave.dfs.policy.NameTrust.Moment;
import cleave.model.Readiness;
import cleave.runtime.loop.Backoff;
import cleave.runtime.loop.EventLoop;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DFS on BookKeeper: a file is a ledger, and its name a node of ZooKeeper with the ledger's number and who ended it. Thread-safe.
 *
 * <p>It has no threads: futures complete on those of BookKeeper's client and of ZooKeeper's, and its loop runs what comes later. So it runs
 * on simulated ones as well. {@link BookKeeperShell} brings the real ones. Only the probe of readiness and the count of bookies, which no
 * simulation asks for, are bounded by the JDK's timer.
 */
final class BookKeeperDfs implements Dfs, LedgerFile.Outside {
    private static final Logger LOG = LoggerFactory.getLogger(BookKeeperDfs.class);
    private static final Backoff PAUSES = new Backoff(20_000_000, 300_000_000);
    private static final long SPACE_NANOS = 1_000_000_000;
    /** Equal to the length of ZooKeeper's sessions. */
    private static final long COUNT_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

    private static final long ANNOUNCE_MILLIS = 1_000;
    private static final int LOOKS_IN_A_TRUST = 12;
    private static final int TOUCHES_IN_AN_INTERVAL = 4;

    /**
     * A barrier is an entry without bytes. Until its ledger is deleted, it takes some 70 bytes on each of three bookies: 40 in an entry log
     * (header 32, checksum 4, length 4) and 24 with overhead in the index. It also takes up to 512 bytes in the journal, which is soon
     * written over. So a file has at most 5 MB of barriers on a bookie; a thousand ranges, each of which keeps its last two logs, have 10
     * GB. A range sends one barrier at a time, and each takes about a millisecond. So barriers replace a range's log at most once a minute,
     * and every 18 hours if the range is read once a second. A reader that meets them all reads 64 windows.
     */
    private static final long BARRIERS_PER_FILE = 1 << 16;

    private final EventLoop timers;
    private final DfsMetrics metrics;
    private final EngineMetrics engineMetrics;
    private final Retention retention;
    private final long boundNanos;
    private final Runnable shell;
    private final Retries retries;
    private final Calls calls;
    private final OwnFiles own;
    private final Creation creation;
    private final StagedFiles staged;
    private final Ending ending;
    private final Reading reading;
    private final Description description;

    private final AtomicBoolean isCounting = new AtomicBoolean();
    private volatile @Nullable Counted counted;
    private volatile Space space = Space.ROOMY;

    /** @param nanos when the bookies were seen */
    private record Counted(Bookies bookies, long nanos) {}

    /**
     * Calls wait until it is {@linkplain #connected connected}.
     *
     * @param shell ends the loop and what else brings it to life
     */
    BookKeeperDfs(EventLoop timers, DfsMetrics metrics, long boundNanos, Retention retention, Runnable shell) {
        this.timers = timers;
        this.shell = shell;
        this.metrics = metrics;
        this.engineMetrics = metrics.engine();
        this.retention = retention;
        this.boundNanos = boundNanos;
        this.retries = retries(timers, boundNanos);
        this.calls = new Calls(retries);
        this.own = new OwnFiles(metrics);
        this.creation = new Creation(calls);
        this.staged = new StagedFiles(this, retention);
        this.ending = new Ending(calls, own, staged);
        this.reading = new Reading(calls, own, boundNanos, timers::nanos);
        this.description = new Description(calls, own, reading);
    }

    void connected(Engine at) {
        calls.connected(at);
        sweep(new Sweep(at, retention, retries, engineMetrics));
        repeat(
                retention.fences().trustNanos() / LOOKS_IN_A_TRUST,
                () -> own.open().forEach(LedgerFile::confirm));
        repeat(retention.sweepNanos() / TOUCHES_IN_AN_INTERVAL, () -> staged.touch(at));
    }

    /** The first run learns when the last one was, from which on the first interval counts. */
    private void sweep(Sweep sweep) {
        sweep.run().whenComplete((swept, failure) -> timers.schedule(retention.sweepNanos(), () -> sweep(sweep)));
    }

    /** Keeps what {@link #probe} and {@link #space} answer up to date. */
    void watchSpace(Engine at) {
        repeat(SPACE_NANOS, () -> count(at));
    }

    private void repeat(long nanos, Runnable task) {
        timers.schedule(nanos, () -> {
            repeat(nanos, task);
            task.run();
        });
    }

    static Retries retries(EventLoop loop, long boundNanos) {
        return new Retries(loop, boundNanos, PAUSES::nanos);
    }

    /** An entry shows readers that those before it are acknowledged. Without it, they would see the last ones only after a seal. */
    private void announceLastAppends() {
        CompletableFuture<?>[] announced =
                own.open().stream().map(LedgerFile::barrier).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(announced).get(ANNOUNCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException unannounced) {
            LOG.debug("the last appends of some files are not announced", unannounced);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- files ----

    private <T> CompletableFuture<T> measured(Call call, Supplier<CompletableFuture<T>> work) {
        long began = engineMetrics.now();
        return work.get()
                .whenComplete((answer, failure) ->
                        engineMetrics.answered(call, began, failure == null ? null : Failures.cause(failure)));
    }

    @Override
    public CompletableFuture<DfsFile> create(String path) {
        return create(path, Ledgers::create);
    }

    @Override
    public CompletableFuture<DfsFile> createFence(String path) {
        return create(path, Ledgers::createFence);
    }

    private CompletableFuture<DfsFile> create(
            String path, BiFunction<Ledgers, String, CompletableFuture<WriteHandle>> making) {
        Moment begun = now();
        return measured(Call.CREATE, () -> creation.create(path, making)).thenApply(ledger -> {
            LedgerFile file = new LedgerFile(path, ledger, retention.fences(), begun, this);
            own.begin(file);
            return file;
        });
    }

    @Override
    public CompletableFuture<DfsFile> createStaged(String path) {
        return Calls.checked(
                path,
                () -> retries.run("create " + path, () -> calls.with(at -> staged.create(at, path)), DfsFile::close));
    }

    @Override
    public CompletableFuture<Long> seal(String path) {
        return measured(Call.SEAL, () -> ending.seal(path)).thenApply(length -> {
            metrics.clientSeal();
            reading.sealed(path);
            return length;
        });
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        return measured(Call.DELETE, () -> ending.delete(path))
                .thenAccept(done -> readers().forget(path));
    }

    @Override
    public CompletableFuture<ByteString> read(String path, long offset, int length) {
        return measured(Call.READ, () -> reading.read(path, offset, length)).thenApply(bytes -> {
            engineMetrics.read(bytes.size());
            return bytes;
        });
    }

    @Override
    public CompletableFuture<FileInfo> stat(String path) {
        return measured(Call.STAT, () -> description.stat(path));
    }

    @Override
    public CompletableFuture<List<FileInfo>> list(String prefix) {
        return measured(Call.LIST, () -> description.list(prefix));
    }

    @Override
    public CompletableFuture<List<String>> listPaths(String prefix) {
        return measured(Call.LIST, () -> description.listPaths(prefix));
    }

    @Override
    public long barriersPerFile() {
        return BARRIERS_PER_FILE;
    }

    // ---- health ----

    /** Appends to open files go on while ZooKeeper is away, as long as the bookies' sessions last. */
    @Override
    public CompletableFuture<Readiness> probe() {
        Counted last = counted;
        if (last != null) {
            return CompletableFuture.completedFuture(
                    timers.nanos() - last.nanos() < COUNT_NANOS_MAX
                            ? readiness(last.bookies())
                            : Readiness.missing(
                                    "ZooKeeper does not answer: no file of the DFS can be created, sealed or"
                                            + " deleted; appends to open ones go on"));
        }
        return calls.run("probe", at -> at.ledgers().client().bookies())
                .thenApply(bookies -> {
                    counted(bookies);
                    return readiness(bookies);
                })
                .exceptionally(failure -> Readiness.missing("the DFS cannot take appends: "
                        + Failures.cause(failure).getMessage()))
                .completeOnTimeout(Readiness.missing("the DFS does not answer"), boundNanos / 4, TimeUnit.NANOSECONDS);
    }

    private static Readiness readiness(Bookies bookies) {
        return bookies.writable() >= Bookies.ACKNOWLEDGED
                ? Readiness.READY
                : Readiness.missing("the DFS cannot take appends: of at least " + Bookies.ACKNOWLEDGED
                        + " bookies that it takes, " + bookies.writable() + " are up and writable");
    }

    /**
     * One at a time, but none waits long for the one before: BookKeeper's client repeats a lost question for half a minute. A late answer
     * still counts.
     */
    private void count(Engine at) {
        if (isCounting.compareAndSet(false, true)) {
            CompletableFuture<Bookies> answer = at.ledgers().client().bookies();
            answer.thenAccept(this::counted);
            answer.copy()
                    .orTimeout(COUNT_NANOS_MAX / 4, TimeUnit.NANOSECONDS)
                    .whenComplete((bookies, failure) -> isCounting.set(false));
        }
    }

    private void counted(Bookies bookies) {
        counted = new Counted(bookies, timers.nanos());
        space = bookies.space();
        metrics.clientSpace(space.level());
    }

    @Override
    public Space space() {
        return space;
    }

    // ---- for files ----

    @Override
    public CompletableFuture<Name> name(String path) {
        return calls.run("look at " + path, at -> at.names().lookAtNewest(path));
    }

    @Override
    public Moment now() {
        return new Moment(timers.nanos(), timers.ticks());
    }

    @Override
    public DfsMetrics metrics() {
        return metrics;
    }

    @Override
    public void closed(LedgerFile file) {
        ending.giveUp(file);
    }

    /** The engine, once it is connected. */
    Engine engine() {
        return Objects.requireNonNull(calls.engine());
    }

    Readers readers() {
        return reading.readers();
    }

    StagedFiles staged() {
        return staged;
    }

    EventLoop timers() {
        return timers;
    }

    Calls calls() {
        return calls;
    }

    @Override
    public void close() {
        retries.close();
        announceLastAppends();
        own.open().forEach(file -> file.end(Reason.BROKEN)); // Their files stay as they are.
        shell.run();
    }
}
