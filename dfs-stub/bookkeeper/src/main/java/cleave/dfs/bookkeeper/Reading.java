package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.LedgerReader.View;
import cleave.dfs.bookkeeper.state.Name;
import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.bookkeeper.client.api.LedgerMetadata;

/**
 * Reads files. Thread-safe.
 *
 * <p>Invariant: a reader is believed to see the end of a file only if it knows that the ledger is closed. Other readers may not know that,
 * so the name and the ledger's metadata are looked at again.
 */
final class Reading {
    /** Four such processes, even if all of them ask one bookie, leave more than half of a direct memory of 160 MiB. */
    private static final long BYTES_UNDER_WAY_MAX = 16 << 20;

    private final Calls calls;
    private final OwnFiles own;
    private final ReadBudget budget;
    private final Readers readers = new Readers();

    /** @param boundNanos of a call */
    Reading(Calls calls, OwnFiles own, long boundNanos, LongSupplier nanos) {
        this.calls = calls;
        this.own = own;
        this.budget = new ReadBudget(BYTES_UNDER_WAY_MAX, boundNanos, nanos);
    }

    /**
     * Forgets a reader that does not know that its ledger is closed. This process does, by a seal of its own; but the session of ZooKeeper in
     * which the metadata are looked at may still lag behind that of BookKeeper's client, which closed the ledger.
     */
    void sealed(String path) {
        LedgerReader known = readers.known(path);
        if (known == null || known.viewOfSealed() == null) {
            readers.forget(path);
        }
    }

    Readers readers() {
        return readers;
    }

    CompletableFuture<ByteString> read(String path, long offset, int length) {
        if (offset < 0 || length < 0) {
            return Failures.failed(Reason.INVALID, "read of " + length + " bytes at " + offset);
        }
        return calls.run("read", path, at -> read(at, path, offset, length));
    }

    /** A sealed file never changes, so its name is looked at once. */
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
        LedgerFile mine = own.writer(path, name);
        if (mine != null && !mine.isKnownClosed()) {
            // This process knows which appends were acknowledged to it, and the handle that writes also reads.
            LedgerReader reader = new LedgerReader(path, mine.ledger(), budget);
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
                    at.ledgers().metadata(name.ledger()).thenCompose(metadata -> current(path, reader, metadata)),
                    Failures::isMissingLedger,
                    () -> at.missing(path, name));
        });
    }

    private CompletableFuture<LedgerReader> current(String path, LedgerReader reader, LedgerMetadata metadata) {
        if (!metadata.isClosed() || reader.viewOfSealed() != null) {
            return CompletableFuture.completedFuture(reader);
        }
        readers.forget(path, reader);
        return Failures.failed(Reason.UNAVAILABLE, path + " was closed meanwhile");
    }

    CompletableFuture<LedgerReader> reader(Engine at, String path, Name name) {
        return readers.of(
                path,
                () -> Failures.recover(
                        at.ledgers().open(name.ledger()).thenApply(ledger -> new LedgerReader(path, ledger, budget)),
                        Failures::isMissingLedger,
                        () -> at.missing(path, name)));
    }
}
