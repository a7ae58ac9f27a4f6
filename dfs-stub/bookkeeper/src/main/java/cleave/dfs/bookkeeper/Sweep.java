package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.Retries;
import cleave.dfs.bookkeeper.Names.Begun;
import cleave.dfs.bookkeeper.Names.Bucket;
import cleave.dfs.bookkeeper.Names.Tombstone;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.bookkeeper.state.Sweeps;
import cleave.dfs.metrics.EngineMetrics;
import cleave.dfs.state.Paths;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.bookkeeper.meta.LedgerManager.LedgerRangeIterator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back what files leave behind: ledgers that were kept for their fence, names of deleted files, and ledgers whose creator ended before
 * they had a name. Every process tries; the first one in an interval does it for all. Confined to the background thread, where it waits.
 *
 * <p>Invariant: a ledger is deleted before the tombstone of its path, and one without a name together with the proof that it has none. So a
 * create that comes late, however late, finds a tombstone or no ledger, and is refused.
 *
 * <p>Invariant: it holds the names of one bucket, or the numbers of one part of BookKeeper's ledgers, at a time.
 *
 * <p>Invariant: a name or a ledger whose metadata it cannot read is reported and stays as it is, and the others are swept.
 */
final class Sweep {
    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);
    private static final int WINDOW = 16;

    /** Some 20,000 names fit into an answer of 1 MiB ({@code jute.maxbuffer}); above half of that an operator has to act. */
    private static final int BUCKET_NAMES_MAX = 10_000;

    private static final int REPORTED_MAX = 1_000;

    private final Engine engine;
    private final Retention retention;
    private final Retries retries;
    private final EngineMetrics metrics;
    /** What cannot be read, and the log has reported. */
    private final Set<String> reported = ConcurrentHashMap.newKeySet();
    /** The sweeps that had begun when this process looked last. */
    private @Nullable Begun begun;

    Sweep(Engine engine, Retention retention, Retries retries, EngineMetrics metrics) {
        this.engine = engine;
        this.retention = retention;
        this.retries = retries;
        this.metrics = metrics;
    }

    /** To be called when the last call has ended for {@link Retention#sweepNanos}. */
    void run() {
        try {
            Begun now = answer("sweep", () -> engine.names().sweeps());
            if (begun == null || now.version() != begun.version()) {
                // Another process has swept since, or nobody knows when the last time was.
                begun = now;
                metrics.sweptElsewhere();
                return;
            }
            Begun mine = engine.names().beginSweep(now).join();
            begun = mine;
            countFiles();
            sweepNames(mine.sweeps());
            if (retention.looksAtLedgers(mine.version())) {
                sweepLedgers(mine.sweeps());
            }
            metrics.swept();
        } catch (CompletionException failed) {
            givenUp(Failures.cause(failed));
        } catch (IOException failed) {
            givenUp(failed);
        }
    }

    private static void givenUp(Throwable cause) {
        if (Failures.is(cause, Reason.DAMAGED)) {
            LOG.warn("bookkeeper cannot be swept, nothing is given back cause={}", cause.getMessage());
        } else {
            LOG.info("sweep of bookkeeper given up until the next time cause={}", cause.getMessage());
        }
    }

    private <T> T answer(String what, Supplier<CompletableFuture<T>> call) {
        return retries.run(what, call).join();
    }

    private void countFiles() {
        List<Bucket> buckets = engine.names().buckets(retries).join();
        buckets.forEach(Sweep::warnIfLarge);
        metrics.files(namesIn(buckets), largest(buckets));
    }

    private static long namesIn(List<Bucket> buckets) {
        return buckets.stream().mapToLong(Bucket::names).sum();
    }

    private static int largest(List<Bucket> buckets) {
        return buckets.stream().mapToInt(Bucket::names).max().orElse(0);
    }

    private static void warnIfLarge(Bucket bucket) {
        if (bucket.names() > BUCKET_NAMES_MAX) {
            LOG.warn(
                    "a bucket of names nears what an answer of zookeeper holds; raise jute.maxbuffer of zookeeper and of cleave's"
                            + " processes node={} names={}",
                    bucket.node(),
                    bucket.names());
        }
    }

    // ---- tombstones ----

    private void sweepNames(Sweeps sweeps) {
        List<Bucket> buckets = engine.names().bucketsOfDeleted(retries).join();
        buckets.forEach(Sweep::warnIfLarge);
        AtomicLong forgotten = new AtomicLong();
        AtomicLong ledgers = new AtomicLong();
        AtomicLong unreadable = new AtomicLong();
        for (Bucket bucket : buckets) {
            if (bucket.names() > 0) {
                List<String> paths = engine.names().pathsIn(bucket, retries).join();
                Windowed.map(
                                paths,
                                WINDOW,
                                path -> visit(
                                        "the name of a deleted file, " + path,
                                        () -> sweep(path, sweeps, ledgers, forgotten),
                                        unreadable))
                        .join();
            }
        }
        long names = namesIn(buckets);
        metrics.tombstones(names - forgotten.get(), largest(buckets));
        metrics.tombstonesSwept(names - forgotten.get() - unreadable.get(), forgotten.get(), unreadable.get());
        metrics.ledgersSwept(0, ledgers.get(), 0, 0);
        LOG.info(
                "names of deleted files swept names={} ledgers={} forgotten={} unreadable={}",
                names,
                ledgers,
                forgotten,
                unreadable);
    }

    /** Null if it cannot be read, which is no reason to leave the others. */
    private <T> CompletableFuture<@Nullable T> visit(
            String what, Supplier<CompletableFuture<T>> step, AtomicLong unreadable) {
        return retries.run("sweep " + what, step).handle((answer, failure) -> {
            if (failure == null) {
                return answer;
            }
            Throwable cause = Failures.cause(failure);
            if (!Failures.is(cause, Reason.DAMAGED)) {
                throw new CompletionException(cause);
            }
            unreadable.incrementAndGet();
            if (reported.size() < REPORTED_MAX && reported.add(what)) {
                LOG.warn("a sweep cannot read {}, which stays as it is cause={}", what, cause.getMessage());
            }
            return null;
        });
    }

    private CompletableFuture<Void> sweep(String path, Sweeps sweeps, AtomicLong ledgers, AtomicLong forgotten) {
        if (!Paths.isWellFormed(path)) {
            return Failures.failed(Reason.DAMAGED, "no version of Cleave has written it");
        }
        return engine.names().tombstone(path).thenCompose(found -> {
            Name name = found.name();
            if (!isOver(found, sweeps)) {
                return CompletableFuture.completedFuture(null);
            }
            return deleteLedger(name, ledgers)
                    .thenCompose(done -> engine.names().forget(path, name))
                    .thenAccept(done -> forgotten.incrementAndGet());
        });
    }

    private boolean isOver(Tombstone found, Sweeps sweeps) {
        return found.name().isDeleted() && retention.isOver(found.name(), sweeps.intervalsSince(found.zxid()));
    }

    private CompletableFuture<Void> deleteLedger(Name name, AtomicLong ledgers) {
        return name.hasLedger()
                ? engine.ledgers().delete(name.ledger()).thenAccept(done -> ledgers.incrementAndGet())
                : CompletableFuture.completedFuture(null);
    }

    // ---- ledgers without names ----

    private void sweepLedgers(Sweeps sweeps) throws IOException {
        long visited = 0;
        long orphans = 0;
        AtomicLong unreadable = new AtomicLong();
        LedgerRangeIterator ranges = engine.ledgers().all();
        while (ranges.hasNext()) {
            List<Long> ledgers = List.copyOf(ranges.next().getLedgers());
            List<@Nullable Boolean> deleted = Windowed.map(
                            ledgers,
                            WINDOW,
                            ledger -> visit(
                                    "the metadata of ledger " + ledger,
                                    () -> isDeletedOrphan(ledger, sweeps),
                                    unreadable))
                    .join();
            visited += ledgers.size();
            orphans += deleted.stream().filter(Boolean.TRUE::equals).count();
        }
        metrics.ledgersSwept(visited - orphans - unreadable.get(), 0, orphans, unreadable.get());
        LOG.info("ledgers swept ledgers={} without-name={} unreadable={}", visited, orphans, unreadable);
    }

    private CompletableFuture<Boolean> isDeletedOrphan(long ledger, Sweeps sweeps) {
        return Failures.recover(
                engine.ledgers().kept(ledger).thenCompose(kept -> {
                    String path = engine.ledgers().pathOf(kept.metadata());
                    if (path != null && !Paths.isWellFormed(path)) {
                        return Failures.failed(Reason.DAMAGED, "malformed path '" + path + "'");
                    }
                    return path != null && retention.isOrphan(sweeps.intervalsSince(kept.zxid()))
                            ? engine.deletedUnnamed(path, ledger, kept.version())
                            : CompletableFuture.completedFuture(false);
                }),
                Failures::isMissingLedger,
                () -> CompletableFuture.completedFuture(false));
    }
}
