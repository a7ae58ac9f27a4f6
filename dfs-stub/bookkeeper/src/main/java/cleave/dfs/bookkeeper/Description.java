package cleave.dfs.bookkeeper;

import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Name;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Describes and lists files. Thread-safe.
 *
 * <p>Invariant: the length of a closed ledger is that in its metadata, and that of an open one is the length that its writer, or enough
 * bookies, say is acknowledged.
 */
final class Description {
    private static final Logger LOG = LoggerFactory.getLogger(Description.class);
    private static final int WINDOW = 64;
    private static final int DAMAGED_MAX = 1_000;

    private final Calls calls;
    private final OwnFiles own;
    private final Reading reading;
    /** The damaged files that the log already reports. */
    private final Set<String> damaged = ConcurrentHashMap.newKeySet();

    Description(Calls calls, OwnFiles own, Reading reading) {
        this.calls = calls;
        this.own = own;
        this.reading = reading;
    }

    CompletableFuture<FileInfo> stat(String path) {
        return describe(path, new AtomicReference<>());
    }

    /** @param stored the last entry that was stored after the call, once it is known; null if the length need not be exact */
    private CompletableFuture<FileInfo> describe(String path, @Nullable AtomicReference<Long> stored) {
        return calls.run(
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
        LedgerFile mine = own.writer(path, name);
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
                () -> at.missing(path, name));
    }

    private CompletableFuture<FileInfo> infoOfOpen(
            Engine at, String path, Name name, LedgerMetadata metadata, @Nullable AtomicReference<Long> stored) {
        // If the length need not be exact, any is long enough.
        CompletableFuture<Long> enough =
                stored == null ? CompletableFuture.completedFuture(-1L) : lastStored(at, name, metadata, stored);
        return enough.thenCompose(last -> reading.reader(at, path, name)
                .thenCompose(LedgerReader::view)
                .thenCompose(view -> view.lastEntry() >= last
                        ? CompletableFuture.completedFuture(new FileInfo(path, view.end(), view.sealed()))
                        : Failures.failed(
                                Reason.UNAVAILABLE,
                                path + " has entries of which only its writer knows whether they are"
                                        + " acknowledged; it announces that within a second, if it runs")));
    }

    /**
     * Asks once in a call: bytes that were acknowledged before the call are stored by now. All stored bytes count as soon as the writer
     * announces that they are acknowledged.
     */
    private static CompletableFuture<Long> lastStored(
            Engine at, Name name, LedgerMetadata metadata, AtomicReference<Long> stored) {
        Long known = stored.get();
        return known != null
                ? CompletableFuture.completedFuture(known)
                : at.ledgers().client().lastStored(name.ledger(), metadata).thenApply(last -> {
                    stored.set(last);
                    return last;
                });
    }

    CompletableFuture<List<FileInfo>> list(String prefix) {
        return listPaths(prefix)
                .thenCompose(paths -> Windowed.map(paths, WINDOW, this::listed))
                .thenApply(infos -> infos.stream().filter(Objects::nonNull).toList());
    }

    /**
     * A file that is deleted meanwhile is left out: null. One whose ledger is missing is listed as open and empty, so that nobody relies on
     * its contents. A seal, stat or read then reports that it is damaged.
     */
    private CompletableFuture<@Nullable FileInfo> listed(String path) {
        return describe(path, null).handle((info, failure) -> {
            if (failure == null) {
                return info;
            }
            Throwable cause = Failures.cause(failure);
            if (Failures.isLostLedger(failure)) {
                warnOnce(path, cause);
                return new FileInfo(path, 0, false);
            }
            if (Failures.is(failure, Reason.NOT_FOUND)) {
                return null;
            }
            throw new CompletionException(cause);
        });
    }

    private void warnOnce(String path, Throwable cause) {
        if (damaged.size() < DAMAGED_MAX && damaged.add(path)) {
            LOG.warn("file is damaged, and listed as open and empty cause={}", cause.getMessage());
        }
    }

    CompletableFuture<List<String>> listPaths(String prefix) {
        return calls.run("list " + prefix, at -> CompletableFuture.completedFuture(at.names()))
                .thenCompose(names -> names.list(prefix, calls.retries()));
    }
}
