package cleave.dfs.bookkeeper;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.bookkeeper.LedgerReader.View;
import cleave.dfs.bookkeeper.state.Bookies;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.policy.NameTrust.Moment;
import cleave.dfs.state.Paths;
import cleave.model.Readiness;
import cleave.model.Ticks;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DFS on BookKeeper: a file is a ledger, and its name a node of ZooKeeper that tells the ledger's number and who ended it. Thread-safe.
 *
 * <p>Threads: those of BookKeeper's client and of ZooKeeper's, on which futures complete; one for timers; one that connects, and later sweeps. None
 * belongs to a file.
 */
final class BookKeeperDfs implements Dfs, LedgerFile.Outside {
    private static final Logger LOG = LoggerFactory.getLogger(BookKeeperDfs.class);
    private static final long CONNECT_MILLIS = 500;
    private static final long SPACE_MILLIS = 1_000;
    private static final long ANNOUNCE_MILLIS = 1_000;
    private static final int WINDOW = 64;
    private static final int LOOKS_IN_A_TRUST = 12;

    private final BookKeeperUri uri;
    private final DfsMetrics metrics;
    private final Retention retention;
    private final long boundNanos;
    private final ScheduledThreadPoolExecutor timers = executor("dfs-bookkeeper-timers");
    private final ScheduledThreadPoolExecutor background = executor("dfs-bookkeeper-background");
    private final Attempts attempts;
    private final Readers readers = new Readers();
    /** The files that this process writes. */
    private final Map<String, LedgerFile> own = new ConcurrentHashMap<>();
    /** The paths that this process created and has neither sealed nor deleted: it still needs to know that they existed. */
    private final Set<String> created = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Engine engine;
    private volatile String lastFailure = "still connecting";
    private volatile Space space = Space.ROOMY;
    private volatile boolean closed;

    private BookKeeperDfs(BookKeeperUri uri, DfsMetrics metrics, long boundNanos, Retention retention) {
        this.uri = uri;
        this.metrics = metrics;
        this.retention = retention;
        this.boundNanos = boundNanos;
        this.attempts = new Attempts(timers, boundNanos);
    }

    /** Connects in the background; calls wait for that. */
    static BookKeeperDfs open(BookKeeperUri uri, DfsMetrics metrics, long boundNanos, Retention retention) {
        BookKeeperDfs dfs = new BookKeeperDfs(uri, metrics, boundNanos, retention);
        dfs.background.execute(dfs::connect);
        return dfs;
    }

    private static ScheduledThreadPoolExecutor executor(String name) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return executor;
    }

    private void connect() {
        try {
            Engine connected = Engine.connect(uri);
            engine = connected;
            if (closed) {
                connected.close();
                return;
            }
            Sweep sweep = new Sweep(connected, retention, attempts);
            background.execute(sweep::run); // Learns when the last one was, from which on the first interval counts.
            every(background, TimeUnit.NANOSECONDS.toMillis(retention.sweepNanos()), sweep::run);
            every(
                    timers,
                    TimeUnit.NANOSECONDS.toMillis(retention.fences().trustNanos() / LOOKS_IN_A_TRUST),
                    () -> own.values().forEach(LedgerFile::confirm));
            every(timers, SPACE_MILLIS, () -> connected.ledgers().bookies().thenAccept(this::has));
        } catch (IOException | RuntimeException failed) {
            lastFailure = String.valueOf(failed.getMessage());
            LOG.warn("cannot connect to bookkeeper zookeeper={} cause={}", uri.connectString(), lastFailure);
            if (!closed) {
                background.schedule(this::connect, CONNECT_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** An exception would silently end the repetition. */
    private static void every(ScheduledThreadPoolExecutor executor, long millis, Runnable task) {
        Runnable guarded = () -> {
            try {
                task.run();
            } catch (RuntimeException failed) {
                LOG.warn("a task of the DFS on bookkeeper failed; it is repeated", failed);
            }
        };
        executor.scheduleWithFixedDelay(guarded, millis, Math.max(1, millis), TimeUnit.MILLISECONDS);
    }

    /** An entry tells readers that those before it are acknowledged. Without it, they would see the last ones only after a seal. */
    private void announceLastAppends() {
        CompletableFuture<?>[] announced =
                own.values().stream().map(LedgerFile::barrier).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(announced).get(ANNOUNCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException unannounced) {
            LOG.debug("the last appends of some files are not announced", unannounced);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private <T> CompletableFuture<T> with(Function<Engine, CompletableFuture<T>> call) {
        Engine connected = engine;
        return connected == null
                ? Failures.failed(Reason.UNAVAILABLE, "BookKeeper was not reached yet (" + lastFailure + ")")
                : call.apply(connected);
    }

    private <T> CompletableFuture<T> call(String what, String path, Function<Engine, CompletableFuture<T>> call) {
        return checked(path, () -> attempts.run(what + " " + path, () -> with(call)));
    }

    private static <T> CompletableFuture<T> checked(String path, Supplier<CompletableFuture<T>> call) {
        return Paths.isWellFormed(path) ? call.get() : Failures.failed(Reason.INVALID, "malformed path '" + path + "'");
    }

    // ---- create ----

    /** The ledger is made before its name. If the process ends in between, the sweep finds the ledger. */
    @Override
    public CompletableFuture<DfsFile> create(String path) {
        Moment begun = now();
        AtomicReference<WriteHandle> made = new AtomicReference<>();
        CompletableFuture<WriteHandle> named = checked(
                path,
                () -> attempts.run(
                        "create " + path, () -> with(at -> create(at, path, made)), WriteHandle::closeAsync));
        return named.<DfsFile>thenApply(ledger -> begin(path, ledger, begun)).whenComplete((file, failure) -> {
            WriteHandle unused = made.get();
            if (failure != null && unused != null) {
                unused.closeAsync();
            }
        });
    }

    /** @param made the ledger of an earlier attempt, and then of this one */
    private static CompletableFuture<WriteHandle> create(Engine at, String path, AtomicReference<WriteHandle> made) {
        WriteHandle before = made.get();
        if (before != null) {
            return name(at, path, before);
        }
        return at.names().look(path).thenCompose(name -> {
            if (name.kind() != Name.Kind.ABSENT) {
                return Failures.failed(Reason.EXISTS, path);
            }
            return at.ledgers().create(path).thenCompose(ledger -> {
                made.set(ledger);
                return name(at, path, ledger);
            });
        });
    }

    /** The name may be there from an attempt whose answer was lost. */
    private static CompletableFuture<WriteHandle> name(Engine at, String path, WriteHandle ledger) {
        CompletableFuture<WriteHandle> named =
                at.names().create(path, Name.written(ledger.getId())).thenApply(done -> ledger);
        return Failures.recover(
                named,
                failure -> Failures.is(failure, Reason.EXISTS),
                () -> at.names().look(path).thenCompose(name -> {
                    if (name.isFile() && name.ledger() == ledger.getId()) {
                        return CompletableFuture.completedFuture(ledger);
                    }
                    ledger.closeAsync()
                            .whenComplete((closed, failure) -> at.ledgers().delete(ledger.getId()));
                    return Failures.failed(Reason.EXISTS, path);
                }));
    }

    private LedgerFile begin(String path, WriteHandle ledger, Moment begun) {
        LedgerFile file = new LedgerFile(path, ledger, retention.fences(), begun, this);
        created.add(path);
        own.put(path, file);
        metrics.clientOpenFiles(own.size());
        return file;
    }

    // ---- seal ----

    @Override
    public CompletableFuture<Long> seal(String path) {
        return call("seal", path, at -> {
                    boolean existed = created.contains(path);
                    return at.names().lookAtNewest(path).thenCompose(name -> sealed(at, path, name, existed));
                })
                .whenComplete((length, failure) -> {
                    if (failure == null) {
                        created.remove(path);
                        metrics.clientSeal();
                    }
                });
    }

    /** @param existed before the name was looked at */
    private CompletableFuture<Long> sealed(Engine at, String path, Name name, boolean existed) {
        return switch (name.kind()) {
            case ABSENT ->
                existed
                        ? Failures.failed(Reason.DELETED, path + ", so long ago that it is forgotten")
                        : sealedUnborn(at, path);
            case EMPTY -> CompletableFuture.completedFuture(0L);
            case DELETED, DELETED_FENCED -> Failures.failed(Reason.DELETED, path);
            case SEALED, TAKEN_OVER -> recovered(at, path, name);
            case WRITTEN -> sealedOpen(at, path, name);
        };
    }

    private static CompletableFuture<Long> sealedUnborn(Engine at, String path) {
        return at.names()
                .create(path, new Name(Name.Kind.EMPTY, Name.NO_LEDGER, 0))
                .handle((done, failure) -> {
                    if (failure == null) {
                        return 0L;
                    }
                    // Somebody was faster: look again.
                    throw new DfsException(
                            Reason.UNAVAILABLE,
                            path + ": " + Failures.cause(failure).getMessage());
                });
    }

    private CompletableFuture<Long> sealedOpen(Engine at, String path, Name name) {
        LedgerFile mine = own.get(path);
        if (mine == null || mine.ledgerId() != name.ledger()) {
            return at.names().mark(path, name, Name.Kind.TAKEN_OVER).thenCompose(marked -> recovered(at, path, marked));
        }
        // Only the metadata tell how it ended: somebody else may have closed the ledger, or nobody, if ZooKeeper did
        // not answer.
        return mine.closeLedger(Reason.SEALED)
                .thenCompose(done -> recovered(at, path, name))
                .thenApply(length -> {
                    at.names().mark(path, name, Name.Kind.SEALED);
                    finish(mine);
                    return length;
                });
    }

    private CompletableFuture<Long> recovered(Engine at, String path, Name name) {
        return Failures.recover(
                at.ledgers()
                        .metadata(name.ledger())
                        .thenCompose(metadata -> metadata.isClosed()
                                ? CompletableFuture.completedFuture(metadata.getLength())
                                : at.ledgers().recover(name.ledger()).thenApply(ledger -> {
                                    long length = ledger.getLength();
                                    ledger.closeAsync();
                                    return length;
                                })),
                Failures::isMissingLedger,
                () -> missing(at, path, name));
    }

    /**
     * Either the file was deleted meanwhile, or the session of BookKeeper's client with ZooKeeper lags behind, or somebody deleted a ledger
     * behind Cleave's back.
     */
    private static <T> CompletableFuture<T> missing(Engine at, String path, Name name) {
        CompletableFuture<T> laterPerhaps = at.names()
                .newest(() -> at.ledgers()
                        .metadata(name.ledger())
                        .thenCompose(metadata -> Failures.<T>failed(Reason.UNAVAILABLE, path + ": its ledger is new")));
        return Failures.recover(
                laterPerhaps,
                Failures::isMissingLedger,
                () -> at.names()
                        .look(path)
                        .thenCompose(newest -> newest.isFile() && newest.ledger() == name.ledger()
                                ? CompletableFuture.failedFuture(Ledgers.missing(path, name.ledger()))
                                : Failures.failed(Reason.UNAVAILABLE, path + " has changed meanwhile")));
    }

    /** Its writer is done with a file. */
    private void finish(LedgerFile file) {
        own.remove(file.path(), file);
        metrics.clientOpenFiles(own.size());
    }

    // ---- delete ----

    @Override
    public CompletableFuture<Void> delete(String path) {
        return call("delete", path, at -> at.names().look(path).thenCompose(name -> deleted(at, path, name)))
                .thenAccept(done -> created.remove(path));
    }

    private CompletableFuture<Void> deleted(Engine at, String path, Name name) {
        readers.forget(path);
        return switch (name.kind()) {
            case ABSENT, EMPTY -> at.names().bury(path, name, Name.Kind.DELETED);
            case SEALED -> buried(at, path, name);
            case DELETED ->
                name.hasLedger() ? at.ledgers().delete(name.ledger()) : CompletableFuture.completedFuture(null);
            case DELETED_FENCED -> CompletableFuture.completedFuture(null);
            case WRITTEN -> deletedOpen(at, path, name);
            case TAKEN_OVER ->
                recovered(at, path, name).thenCompose(length -> at.names().bury(path, name, Name.Kind.DELETED_FENCED));
        };
    }

    private CompletableFuture<Void> deletedOpen(Engine at, String path, Name name) {
        LedgerFile mine = own.get(path);
        if (mine == null || mine.ledgerId() != name.ledger()) {
            return at.names().mark(path, name, Name.Kind.TAKEN_OVER).thenCompose(marked -> deleted(at, path, marked));
        }
        return mine.closeLedger(Reason.DELETED)
                .thenCompose(done -> buried(at, path, name))
                .thenAccept(done -> finish(mine));
    }

    /** Of a ledger whose writer appends nothing any more. */
    private static CompletableFuture<Void> buried(Engine at, String path, Name name) {
        return at.names()
                .bury(path, name, Name.Kind.DELETED)
                .thenCompose(done -> at.ledgers().delete(name.ledger()));
    }

    // ---- read ----

    @Override
    public CompletableFuture<ByteString> read(String path, long offset, int length) {
        if (offset < 0 || length < 0) {
            return Failures.failed(Reason.INVALID, "read of " + length + " bytes at " + offset);
        }
        return call("read", path, at -> read(at, path, offset, length));
    }

    /** What is sealed never changes, so its name is looked at once. */
    private CompletableFuture<ByteString> read(Engine at, String path, long offset, int length) {
        LedgerReader known = readers.known(path);
        View whole = known == null ? null : known.viewOfSealed();
        if (known != null && whole != null) {
            return Failures.recover(
                    read(path, known, whole, offset, length),
                    Failures::isMissingLedger,
                    () -> Failures.failed(Reason.UNAVAILABLE, path + ": its ledger is gone"));
        }
        return at.names().look(path).thenCompose(name -> switch (name.kind()) {
            case ABSENT -> Failures.failed(Reason.NOT_FOUND, path);
            case DELETED, DELETED_FENCED -> Failures.failed(Reason.DELETED, path);
            case EMPTY -> CompletableFuture.completedFuture(ByteString.EMPTY);
            case WRITTEN, SEALED, TAKEN_OVER -> read(at, path, name, offset, length);
        });
    }

    private CompletableFuture<ByteString> read(Engine at, String path, Name name, long offset, int length) {
        LedgerFile mine = own.get(path);
        if (mine != null && mine.ledgerId() == name.ledger() && !mine.isKnownClosed()) {
            // This process knows what is acknowledged to it, and the handle that writes also reads.
            LedgerReader reader = new LedgerReader(path, mine.ledger());
            return reader.read(ofOwn(mine), offset, length);
        }
        return currentReader(at, path, name)
                .thenCompose(reader -> reader.view().thenCompose(view -> read(path, reader, view, offset, length)));
    }

    /** Bookies may have been replaced without this reader's knowledge, so after a failure another one is opened. */
    private CompletableFuture<ByteString> read(String path, LedgerReader reader, View view, long offset, int length) {
        return reader.read(view, offset, length).whenComplete((bytes, failure) -> {
            if (failure != null) {
                readers.forget(path, reader);
            }
        });
    }

    private static View ofOwn(LedgerFile mine) {
        long acknowledged = mine.acknowledged();
        return new View(acknowledged, mine.ledger().getLastAddConfirmed(), false);
    }

    /**
     * A reader that was opened before its ledger was closed may never learn of that: the bookies need not know the end of a closed ledger, and
     * the news from ZooKeeper can be missed. So another one is opened.
     */
    private CompletableFuture<LedgerReader> currentReader(Engine at, String path, Name name) {
        return reader(at, path, name).thenCompose(reader -> {
            if (reader.viewOfSealed() != null) {
                return CompletableFuture.completedFuture(reader);
            }
            return Failures.recover(
                    at.ledgers().metadata(name.ledger()).thenCompose(metadata -> {
                        if (!metadata.isClosed() || reader.viewOfSealed() != null) {
                            return CompletableFuture.completedFuture(reader);
                        }
                        readers.forget(path, reader);
                        return Failures.failed(Reason.UNAVAILABLE, path + " was closed meanwhile");
                    }),
                    Failures::isMissingLedger,
                    () -> missing(at, path, name));
        });
    }

    private CompletableFuture<LedgerReader> reader(Engine at, String path, Name name) {
        return readers.of(
                path,
                () -> Failures.recover(
                        at.ledgers().open(name.ledger()).thenApply(ledger -> new LedgerReader(path, ledger)),
                        Failures::isMissingLedger,
                        () -> missing(at, path, name)));
    }

    // ---- describe ----

    @Override
    public CompletableFuture<FileInfo> stat(String path) {
        return describe(path, new AtomicReference<>());
    }

    /** @param stored the last entry that was stored after the call, once it is known; null if the length need not be exact */
    private CompletableFuture<FileInfo> describe(String path, @Nullable AtomicReference<Long> stored) {
        return call(
                "stat",
                path,
                at -> at.names().newest(() -> at.names().look(path).thenCompose(name -> info(at, path, name, stored))));
    }

    private CompletableFuture<FileInfo> info(
            Engine at, String path, Name name, @Nullable AtomicReference<Long> stored) {
        if (!name.isFile()) {
            return Failures.failed(Reason.NOT_FOUND, path);
        }
        if (!name.hasLedger()) {
            return CompletableFuture.completedFuture(new FileInfo(path, 0, true));
        }
        LedgerFile file = own.get(path);
        LedgerFile mine = file != null && file.ledgerId() == name.ledger() ? file : null;
        return Failures.recover(
                at.ledgers().metadata(name.ledger()).thenCompose(metadata -> {
                    if (!metadata.isClosed()) {
                        return mine == null
                                ? infoOfOpen(at, path, name, metadata, stored)
                                : CompletableFuture.completedFuture(new FileInfo(path, mine.acknowledged(), false));
                    }
                    if (mine != null) {
                        mine.knowClosed();
                    }
                    return CompletableFuture.completedFuture(new FileInfo(path, metadata.getLength(), true));
                }),
                Failures::isMissingLedger,
                () -> missing(at, path, name));
    }

    private CompletableFuture<FileInfo> infoOfOpen(
            Engine at, String path, Name name, LedgerMetadata metadata, @Nullable AtomicReference<Long> stored) {
        // If the length need not be exact, any is long enough.
        CompletableFuture<Long> enough =
                stored == null ? CompletableFuture.completedFuture(-1L) : lastStored(at, name, metadata, stored);
        return enough.thenCompose(last -> reader(at, path, name)
                .thenCompose(LedgerReader::view)
                .thenCompose(view -> view.lastEntry() >= last
                        ? CompletableFuture.completedFuture(new FileInfo(path, view.end(), view.sealed()))
                        : Failures.failed(
                                Reason.UNAVAILABLE,
                                path + " has entries of which only its writer knows whether they are"
                                        + " acknowledged; it announces that within a second, if it runs")));
    }

    /**
     * Asked once in a call: what is acknowledged before the call is stored by now. All of it counts as soon as the writer announces that it is
     * acknowledged.
     */
    private static CompletableFuture<Long> lastStored(
            Engine at, Name name, LedgerMetadata metadata, AtomicReference<Long> stored) {
        Long known = stored.get();
        return known != null
                ? CompletableFuture.completedFuture(known)
                : at.ledgers().lastStored(name.ledger(), metadata).thenApply(last -> {
                    stored.set(last);
                    return last;
                });
    }

    /** Files that are deleted meanwhile are left out. */
    @Override
    public CompletableFuture<List<FileInfo>> list(String prefix) {
        return listPaths(prefix)
                .thenCompose(paths -> Windowed.map(
                        paths,
                        WINDOW,
                        path -> Failures.recover(
                                describe(path, null),
                                failure -> Failures.is(failure, Reason.NOT_FOUND),
                                () -> CompletableFuture.completedFuture(null))))
                .thenApply(infos -> infos.stream().filter(Objects::nonNull).toList());
    }

    @Override
    public CompletableFuture<List<String>> listPaths(String prefix) {
        return attempts.run("list " + prefix, () -> with(at -> CompletableFuture.completedFuture(at.names())))
                .thenCompose(names -> names.list(prefix, attempts));
    }

    // ---- health ----

    @Override
    public CompletableFuture<Readiness> probe() {
        CompletableFuture<Readiness> answer = attempts.run(
                        "probe", () -> with(at -> at.ledgers().bookies()))
                .thenApply(BookKeeperDfs::readiness)
                .exceptionally(failure -> Readiness.missing("the DFS cannot take appends: "
                        + Failures.cause(failure).getMessage()));
        return answer.completeOnTimeout(
                Readiness.missing("the DFS does not answer"), boundNanos / 4, TimeUnit.NANOSECONDS);
    }

    private static Readiness readiness(Bookies bookies) {
        return bookies.writable() >= Bookies.ACKNOWLEDGED
                ? Readiness.READY
                : Readiness.missing("the DFS cannot take appends: of at least " + Bookies.ACKNOWLEDGED
                        + " bookies that it takes, " + bookies.writable() + " are up and writable");
    }

    private void has(Bookies bookies) {
        space = bookies.space();
        metrics.clientSpace(space.level());
    }

    @Override
    public Space space() {
        return space;
    }

    // ---- what files need ----

    @Override
    public CompletableFuture<Name> name(String path) {
        return attempts.run("look at " + path, () -> with(at -> at.names().lookAtNewest(path)));
    }

    @Override
    public Moment now() {
        return new Moment(System.nanoTime(), System.currentTimeMillis() * Ticks.PER_MILLI);
    }

    @Override
    public DfsMetrics metrics() {
        return metrics;
    }

    @Override
    public void closed(LedgerFile file) {
        finish(file);
    }

    /** Once it is connected. */
    Engine engine() {
        return Objects.requireNonNull(engine);
    }

    Readers readers() {
        return readers;
    }

    ScheduledThreadPoolExecutor timers() {
        return timers;
    }

    @Override
    public void close() {
        closed = true;
        attempts.close();
        announceLastAppends();
        own.values().forEach(LedgerFile::close);
        timers.shutdownNow();
        background.shutdownNow();
        Engine connected = engine;
        if (connected != null) {
            connected.close();
        }
    }
}
