package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.Retries;
import cleave.dfs.bookkeeper.LedgerClient.Pages;
import cleave.dfs.bookkeeper.Names.Begun;
import cleave.dfs.bookkeeper.Names.Bucket;
import cleave.dfs.bookkeeper.Names.Tombstone;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.bookkeeper.state.Sweeps;
import cleave.dfs.metrics.EngineMetrics;
import cleave.dfs.state.Paths;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back what files leave behind: ledgers that were kept for their fence, names of deleted files, and ledgers whose creator ended before
 * they had a name. Every process tries; the first one in an interval does it for all. One run at a time.
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

    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final Engine engine;
    private final Retention retention;
    private final Retries retries;
    private final EngineMetrics metrics;
    /** The names and ledgers that cannot be read, as the log has reported. */
    private final Set<String> reported = ConcurrentHashMap.newKeySet();
    /** The sweeps that had begun when this process looked last. */
    private volatile @Nullable Begun begun;

    Sweep(Engine engine, Retention retention, Retries retries, EngineMetrics metrics) {
        this.engine = engine;
        this.retention = retention;
        this.retries = retries;
        this.metrics = metrics;
    }

    /** Sweeps, if no process has since the last run. Call it when that has ended for {@link Retention#sweepNanos}. Does not fail. */
    CompletableFuture<Void> run() {
        return retries.run("sweep", () -> engine.names().sweeps())
                .thenCompose(this::run)
                .exceptionally(failure -> {
                    givenUp(Failures.cause(failure));
                    return null;
                });
    }

    private CompletableFuture<Void> run(Begun now) {
        Begun before = begun;
        begun = now;
        if (before == null || now.version() != before.version()) {
            // Another process has swept since, or nobody knows when the last time was.
            metrics.sweptElsewhere();
            return DONE;
        }
        return engine.names().beginSweep(now).thenCompose(mine -> {
            begun = mine;
            return countFiles()
                    .thenCompose(counted -> sweepNames(mine.sweeps()))
                    .thenCompose(swept -> retention.looksAtLedgers(mine.version()) ? sweepLedgers(mine.sweeps()) : DONE)
                    .thenRun(metrics::swept);
        });
    }

    private static void givenUp(Throwable cause) {
        if (Failures.is(cause, Reason.DAMAGED)) {
            LOG.warn("bookkeeper cannot be swept, nothing is given back cause={}", cause.getMessage());
        } else {
            LOG.info("sweep of bookkeeper given up until the next time cause={}", cause.getMessage());
        }
    }

    private CompletableFuture<Void> countFiles() {
        return engine.names().buckets(retries).thenAccept(buckets -> {
            buckets.forEach(Sweep::warnIfLarge);
            metrics.files(namesIn(buckets), largest(buckets));
        });
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

    private CompletableFuture<Void> sweepNames(Sweeps sweeps) {
        AtomicLong forgotten = new AtomicLong();
        AtomicLong ledgers = new AtomicLong();
        AtomicLong unreadable = new AtomicLong();
        return engine.names().bucketsOfDeleted(retries).thenCompose(buckets -> {
            buckets.forEach(Sweep::warnIfLarge);
            return Windowed.map(
                            buckets.stream()
                                    .filter(bucket -> bucket.names() > 0)
                                    .toList(),
                            1,
                            bucket -> sweep(bucket, sweeps, ledgers, forgotten, unreadable))
                    .thenRun(() -> report(buckets, ledgers.get(), forgotten.get(), unreadable.get()));
        });
    }

    private CompletableFuture<Void> sweep(
            Bucket bucket, Sweeps sweeps, AtomicLong ledgers, AtomicLong forgotten, AtomicLong unreadable) {
        return engine.names()
                .pathsIn(bucket, retries)
                .thenCompose(paths -> Windowed.map(
                        paths,
                        WINDOW,
                        path -> visit(
                                "the name of a deleted file, " + path,
                                () -> sweep(path, sweeps, ledgers, forgotten),
                                unreadable)))
                .thenApply(visited -> null);
    }

    private void report(List<Bucket> buckets, long ledgers, long forgotten, long unreadable) {
        long names = namesIn(buckets);
        metrics.tombstones(names - forgotten, largest(buckets));
        metrics.tombstonesSwept(names - forgotten - unreadable, forgotten, unreadable);
        metrics.ledgersSwept(0, ledgers, 0, 0);
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

    private CompletableFuture<Void> sweepLedgers(Sweeps sweeps) {
        return sweepLedgers(engine.ledgers().client().all(), sweeps, 0, 0, new AtomicLong());
    }

    private CompletableFuture<Void> sweepLedgers(
            Pages pages, Sweeps sweeps, long visited, long orphans, AtomicLong unreadable) {
        return pages.next().thenCompose(page -> {
            if (page.isEmpty()) {
                metrics.ledgersSwept(visited - orphans - unreadable.get(), 0, orphans, unreadable.get());
                LOG.info("ledgers swept ledgers={} without-name={} unreadable={}", visited, orphans, unreadable);
                return DONE;
            }
            return Windowed.map(page.get(), WINDOW, ledger -> sweep(ledger, sweeps, unreadable))
                    .thenCompose(deleted -> sweepLedgers(
                            pages,
                            sweeps,
                            visited + deleted.size(),
                            orphans
                                    + deleted.stream()
                                            .filter(Boolean.TRUE::equals)
                                            .count(),
                            unreadable));
        });
    }

    private CompletableFuture<@Nullable Boolean> sweep(long ledger, Sweeps sweeps, AtomicLong unreadable) {
        return visit("the metadata of ledger " + ledger, () -> isDeletedOrphan(ledger, sweeps), unreadable);
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
