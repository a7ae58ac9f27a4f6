package cleave.server.store;

import cleave.dfs.DfsException;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.FolderTree;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.settings.ProcessFiles;
import cleave.server.dfs.FileTransfer;
import cleave.server.metrics.StoreFigures;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStores;
import cleave.server.outside.Space;
import cleave.server.outside.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens stores on RocksDB, each in a fresh folder, and takes their checkpoints, on its own threads. Thread-safe.
 *
 * <p>Stores are caches: the remains of earlier stores are wiped at the start, and the folder of each store when it is closed. What stays is in
 * {@link FileCache}. No other process may use the folders: {@link ServerFolder}.
 */
public final class RocksRangeStores implements RangeStores, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RocksRangeStores.class);
    private static final String NATIVE = "native";
    private static final Pattern STORE = Pattern.compile("store-\\d+");

    private final Path folder;
    private final FileTransfer transfer;
    private final RocksShared shared;
    private final ThreadPoolExecutor openers;
    private final ThreadPoolExecutor uploaders;
    private final ThreadPoolExecutor flusher;
    private final FileCache cache;
    private final DiskSpace space;
    private final RocksDownload download;
    private final WriteBuffers writeBuffers;
    private final AtomicLong counter = new AtomicLong();
    private final Sizes sizes;
    private final LongSupplier clock;
    /** Held while native objects are looked at that {@link #close} frees. */
    private final ReentrantLock measuring = new ReentrantLock();

    private boolean closed;

    /**
     * Wipes the remains of earlier processes in the folder. UncheckedIOException if it holds anything else, which is left alone, or if the
     * process may open too few files.
     *
     * @param cached the folder of the files that outlive stores and processes, on the same disk
     */
    public RocksRangeStores(Path folder, Path cached, FileTransfer transfer, Sizes sizes) {
        this(folder, cached, transfer, sizes, System::nanoTime);
    }

    /** @param clock in nanoseconds, on any thread */
    RocksRangeStores(Path folder, Path cached, FileTransfer transfer, Sizes sizes, LongSupplier clock) {
        this.folder = folder;
        this.clock = clock;
        this.sizes = sizes;
        this.transfer = transfer;
        OpenFiles openFiles = new OpenFiles(sizes.openFiles());
        try {
            wipe(folder);
            this.cache = new FileCache(cached);
        } catch (IOException failure) {
            throw new UncheckedIOException("the stores' folder cannot be used: " + FileProblem.text(failure), failure);
        }
        this.shared =
                new RocksShared(folder.resolve(NATIVE), sizes.blockCacheBytes(), sizes.writeBufferBytes(), openFiles);
        this.openers = threads("server-opener", sizes.threads());
        this.uploaders = threads("server-uploader", sizes.threads());
        this.space = new DiskSpace(folder, sizes.reserveBytes(), cache);
        this.download = new RocksDownload(shared, transfer, cache, space);
        this.flusher = threads("server-flusher", 1);
        this.writeBuffers = new WriteBuffers(sizes.writeBufferBytes(), flusher);
    }

    private static void wipe(Path folder) throws IOException {
        PrivateFiles.make(folder);
        List<Path> found;
        try (Stream<Path> all = Files.list(folder)) {
            found = all.sorted().toList();
        }
        for (Path each : found) {
            String name = each.getFileName().toString();
            if (!name.equals(NATIVE) && !STORE.matcher(name).matches()) {
                throw new IOException(
                        each + " is none of a server's stores; give server.dir a folder that holds nothing else");
            }
        }
        for (Path each : found) {
            FolderTree.deleteIfExists(each);
        }
    }

    /**
     * The sizes of all stores together. Immutable.
     *
     * @param openFiles that the process may have, of which stores get three quarters
     */
    public record Sizes(long blockCacheBytes, long writeBufferBytes, int threads, long reserveBytes, long openFiles) {
        /** Sizes with as many open files as the system lets the process have. */
        public Sizes(long blockCacheBytes, long writeBufferBytes, int threads, long reserveBytes) {
            this(blockCacheBytes, writeBufferBytes, threads, reserveBytes, ProcessFiles.limit());
        }
    }

    private static ThreadPoolExecutor threads(String name, int count) {
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(count, count, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    @Override
    public CompletableFuture<RangeStore> open(
            KeyRange interval, List<Manifest.Checkpoint> checkpoints, LongConsumer fetched) {
        return run(
                openers,
                () -> {
                    try {
                        return openNow(interval, checkpoints, fetched);
                    } catch (IOException failure) {
                        if (failure.getCause() instanceof DfsException answer) {
                            throw answer;
                        }
                        throw new StoreException("the checkpoints of " + interval + " cannot be fetched", failure);
                    }
                },
                () -> {});
    }

    @Override
    public Space space() {
        return space.now();
    }

    /**
     * The current figures of the stores, asked of each of them: not for an event loop.
     *
     * @param scansWaiting for a thread
     */
    public StoreFigures figures(int scansWaiting) {
        measuring.lock();
        try {
            if (closed) {
                return StoreFigures.NONE;
            }
            StoreSums sums = new StoreSums();
            writeBuffers.forEach(sums::add);
            return new StoreFigures(
                    sums.stores,
                    shared.cacheBytes(),
                    sizes.blockCacheBytes(),
                    sums.memtableBytes,
                    sizes.writeBufferBytes(),
                    sums.fileBytes,
                    sums.keys,
                    sums.pendingCompactionBytes,
                    sums.flushes,
                    sums.compactions,
                    sums.stalled,
                    space.totalBytes(),
                    cache.idleBytes(),
                    scansWaiting);
        } finally {
            measuring.unlock();
        }
    }

    /** False when all flushes that the writes until now demand are done. */
    boolean awaitsFlush() {
        return writeBuffers.isLooking();
    }

    private RangeStore openNow(KeyRange interval, List<Manifest.Checkpoint> checkpoints, LongConsumer fetched)
            throws IOException {
        Path own = PrivateFiles.make(folder.resolve("store-" + counter.incrementAndGet()));
        RangeStore opened = null;
        try {
            opened = openIn(own, interval, checkpoints, fetched);
            return opened;
        } finally {
            if (opened == null) {
                wipeQuietly(own); // Attempts are repeated: their remains would fill the disk.
            }
        }
    }

    private RangeStore openIn(Path own, KeyRange interval, List<Manifest.Checkpoint> checkpoints, LongConsumer fetched)
            throws IOException {
        Manifest.Checkpoint largest = checkpoints.stream()
                .max(Comparator.comparingLong(checkpoint -> checkpoint.files().bytes()))
                .orElse(null);
        Path db = PrivateFiles.make(own.resolve("db"));
        List<Manifest.File> damaged = largest == null ? List.of() : download.bring(largest, own, fetched);
        RocksDatabase database = RocksDatabase.open(shared, db, damaged);
        RocksCheckpoints checkpointing = new RocksCheckpoints(shared, database, own, transfer, cache, largest);
        WriteBuffers.Held held = writeBuffers.hold(database);
        RocksRangeStore store = new RocksRangeStore(
                shared,
                database,
                interval,
                (files, inlineMax) -> {
                    database.use(); // Here, while the caller still uses it, so that it outlives the work.
                    return run(uploaders, () -> checkpointing.take(files, inlineMax), database::release);
                },
                checkpointing,
                read -> {
                    database.use();
                    return run(uploaders, read, database::release);
                },
                wanted -> {
                    database.use();
                    return RocksRangeStores.<@Nullable Void>run(
                            uploaders,
                            () -> {
                                RocksRangeStore.compactNow(database, wanted);
                                return null;
                            },
                            database::release);
                },
                sizing -> {
                    database.use();
                    return run(openers, sizing::estimate, database::release);
                },
                clock,
                held,
                () -> run(openers, () -> deleted(own), () -> {}));
        boolean whole = false;
        try {
            database.lookByBounds(shared);
            if (largest != null) {
                store.trim(largest.interval());
                join(own, database, checkpoints, largest, fetched);
            }
            whole = true;
        } finally {
            if (!whole) {
                store.close();
            }
        }
        return store;
    }

    /** Brings the data of the other checkpoints into the store of the largest. */
    private void join(
            Path own,
            RocksDatabase into,
            List<Manifest.Checkpoint> checkpoints,
            Manifest.Checkpoint largest,
            LongConsumer fetched)
            throws IOException {
        Path other = own.resolve("joined");
        for (Manifest.Checkpoint each : checkpoints) {
            if (!each.equals(largest)) {
                FolderTree.deleteIfExists(other);
                List<Manifest.File> damaged = download.bring(each, PrivateFiles.make(other), fetched);
                RocksJoin.join(shared, other, damaged, each.interval(), into, fetched);
            }
        }
        FolderTree.deleteIfExists(other);
    }

    private static boolean deleted(Path folder) {
        wipeQuietly(folder);
        return true;
    }

    /** Files that are left are wiped at the next start. */
    static void wipeQuietly(Path folder) {
        try {
            FolderTree.deleteIfExists(folder);
        } catch (IOException | UncheckedIOException failure) {
            LOG.info("a closed store's folder is not wiped yet folder={} reason={}", folder, failure.toString());
        }
    }

    /** Runs the work, or {@code otherwise} if all this is closed. */
    private static <T extends @Nullable Object> CompletableFuture<T> run(
            ThreadPoolExecutor threads, Supplier<T> work, Runnable otherwise) {
        try {
            return CompletableFuture.supplyAsync(work, threads);
        } catch (RejectedExecutionException closed) {
            otherwise.run();
            return CompletableFuture.failedFuture(new StoreException("the stores are closed", closed));
        }
    }

    /** Only when all stores are closed, or about to be: a store that is still being opened is closed by its caller. */
    @Override
    public void close() {
        measuring.lock();
        try {
            closed = true;
        } finally {
            measuring.unlock();
        }
        uploaders.shutdown();
        openers.shutdown();
        flusher.shutdown();
        space.close();
        try {
            if (openers.awaitTermination(5, TimeUnit.SECONDS)
                    && uploaders.awaitTermination(5, TimeUnit.SECONDS)
                    && flusher.awaitTermination(5, TimeUnit.SECONDS)) {
                shared.close();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // The shared parts are left to the end of the process.
        }
    }
}
