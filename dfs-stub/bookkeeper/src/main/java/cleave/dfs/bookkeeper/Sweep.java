package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.Names.Begun;
import cleave.dfs.bookkeeper.Names.Tombstone;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.bookkeeper.state.Sweeps;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.bookkeeper.meta.LedgerManager.LedgerRangeIterator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back what files leave behind: ledgers that were kept for their fence, names of deleted files, and ledgers whose creator ended before
 * they had a name. Every process tries; whoever is first in an interval does it for all. Confined to the background thread, where it waits.
 */
final class Sweep {
    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);
    private static final int WINDOW = 16;

    private final Engine engine;
    private final Retention retention;
    private final Attempts attempts;
    /** The sweeps that had begun when this process looked last. */
    private @Nullable Begun begun;
    /** Ledgers without a name. They are deleted if they still have none the next time: until then, a creator has given up. */
    private Set<Long> nameless = new HashSet<>();

    Sweep(Engine engine, Retention retention, Attempts attempts) {
        this.engine = engine;
        this.retention = retention;
        this.attempts = attempts;
    }

    /** To be called when the last call has ended for {@link Retention#sweepNanos}. */
    void run() {
        try {
            Begun now = answer("sweep", () -> engine.names().sweeps());
            if (begun == null || now.version() != begun.version()) {
                // Another process has swept since, or nobody knows when the last time was.
                begun = now;
                return;
            }
            Begun mine = engine.names().beginSweep(now).join();
            begun = mine;
            sweepNames(mine.sweeps());
            sweepLedgers();
        } catch (CompletionException failed) {
            LOG.info(
                    "sweep of bookkeeper given up until the next time cause={}",
                    Failures.cause(failed).getMessage());
        } catch (IOException failed) {
            LOG.info("sweep of bookkeeper given up until the next time cause={}", failed.getMessage());
        }
    }

    private <T> T answer(String what, Supplier<CompletableFuture<T>> call) {
        return attempts.run(what, call).join();
    }

    private void sweepNames(Sweeps sweeps) {
        List<String> deleted = engine.names().listDeleted(attempts).join();
        AtomicInteger ledgers = new AtomicInteger();
        AtomicInteger forgotten = new AtomicInteger();
        Windowed.map(
                        deleted,
                        WINDOW,
                        path -> attempts.run(
                                "sweep " + path,
                                () -> engine.names().tombstone(path).thenCompose(found -> switch (due(found, sweeps)) {
                                    case NOTHING -> CompletableFuture.<Void>completedFuture(null);
                                    case DELETE_LEDGER -> {
                                        ledgers.incrementAndGet();
                                        yield engine.ledgers()
                                                .delete(found.name().ledger())
                                                .thenCompose(
                                                        done -> engine.names().dropLedger(path, found.name()));
                                    }
                                    case FORGET -> {
                                        forgotten.incrementAndGet();
                                        yield engine.names().forget(path, found.name());
                                    }
                                })))
                .join();
        LOG.info("names of deleted files swept names={} ledgers={} forgotten={}", deleted.size(), ledgers, forgotten);
    }

    private Retention.Due due(Tombstone found, Sweeps sweeps) {
        return found.name().isDeleted()
                ? retention.due(found.name(), sweeps.intervalsSince(found.zxid()))
                : Retention.Due.NOTHING;
    }

    private void sweepLedgers() throws IOException {
        Set<Long> found = new HashSet<>();
        LedgerRangeIterator ranges = engine.ledgers().all();
        while (ranges.hasNext()) {
            List<Long> ledgers = List.copyOf(ranges.next().getLedgers());
            List<Boolean> answers = Windowed.map(
                            ledgers, WINDOW, ledger -> attempts.run("sweep ledger " + ledger, () -> isNameless(ledger)))
                    .join();
            for (int i = 0; i < answers.size(); i++) {
                if (answers.get(i)) {
                    found.add(ledgers.get(i));
                }
            }
        }
        Set<Long> old = new HashSet<>(found);
        old.retainAll(nameless);
        for (long ledger : old) {
            answer("delete ledger " + ledger, () -> engine.ledgers().delete(ledger));
            LOG.info("ledger without a name deleted ledger={}", ledger);
        }
        found.removeAll(old);
        nameless = found;
    }

    private CompletableFuture<Boolean> isNameless(long ledger) {
        return Failures.recover(
                engine.ledgers().metadata(ledger).thenCompose(metadata -> {
                    String path = engine.ledgers().pathOf(metadata);
                    return path == null
                            ? CompletableFuture.completedFuture(false)
                            : engine.names().look(path).thenApply(name -> name.ledger() != ledger);
                }),
                Failures::isMissingLedger,
                () -> CompletableFuture.completedFuture(false));
    }
}
