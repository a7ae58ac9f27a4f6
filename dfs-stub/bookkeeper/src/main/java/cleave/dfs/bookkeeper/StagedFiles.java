package cleave.dfs.bookkeeper;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.policy.NameTrust.Moment;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.jspecify.annotations.Nullable;

/**
 * The files of this process that get their names when they are sealed. Thread-safe. What is never sealed is a ledger without a name, which
 * the sweep deletes, maybe while it is still written.
 *
 * <p>Invariant: a ledger that a sweep has deleted gets no name. {@link Names#create} checks in its transaction that the ledger exists.
 */
final class StagedFiles {
    private final LedgerFile.Outside outside;
    private final Retention retention;
    private final Map<String, LedgerFile> files = new ConcurrentHashMap<>();

    StagedFiles(LedgerFile.Outside outside, Retention retention) {
        this.outside = outside;
        this.retention = retention;
    }

    CompletableFuture<DfsFile> create(Engine at, String path) {
        Moment begun = outside.now();
        return at.names()
                .look(path)
                .thenCompose(name -> name.kind() == Name.Kind.ABSENT && !isWritten(path)
                        ? at.ledgers().create(path)
                        : Failures.failed(Reason.EXISTS, path))
                .thenApply(ledger -> begin(path, ledger, begun));
    }

    private LedgerFile begin(String path, WriteHandle ledger, Moment begun) {
        LedgerFile file = new LedgerFile(path, ledger, retention.fences(), begun, new Unnamed(ledger.getId()));
        LedgerFile kept =
                files.compute(path, (same, before) -> before == null || before.ending() != null ? file : before);
        if (kept != file) {
            ledger.closeAsync();
            throw new DfsException(Reason.EXISTS, path + " is being written by this process");
        }
        return file;
    }

    private boolean isWritten(String path) {
        LedgerFile file = files.get(path);
        return file != null && file.ending() == null;
    }

    /** The file that is staged under a path, maybe given up; null if there is none. */
    @Nullable
    LedgerFile get(String path) {
        return files.get(path);
    }

    /** Seals a file and names it; answers its length. May be repeated. */
    static CompletableFuture<Long> publish(Engine at, LedgerFile file) {
        String path = file.path();
        return Failures.recover(
                file.closeLedger(Reason.SEALED)
                        .thenCompose(done -> at.ledgers().sealed(file.ledgerId()))
                        .thenCompose(length -> at.names()
                                .create(path, new Name(Name.Kind.SEALED, file.ledgerId(), 0))
                                .thenApply(done -> length)),
                Failures::isMissingLedger,
                () -> Failures.failed(
                        Reason.BROKEN,
                        path + " was begun so long ago that a sweep has deleted its ledger, which had no name"));
    }

    /** It has a name now. */
    void named(LedgerFile file) {
        files.remove(file.path(), file);
    }

    /** Nobody else knows the file, so nobody else can end it. */
    private final class Unnamed implements LedgerFile.Outside {
        private final long ledger;

        Unnamed(long ledger) {
            this.ledger = ledger;
        }

        @Override
        public CompletableFuture<Name> name(String path) {
            return CompletableFuture.completedFuture(Name.written(ledger));
        }

        @Override
        public Space space() {
            return outside.space();
        }

        @Override
        public Moment now() {
            return outside.now();
        }

        @Override
        public DfsMetrics metrics() {
            return outside.metrics();
        }

        /** It can still be sealed. */
        @Override
        public void closed(LedgerFile file) {
            file.closeLedger(Reason.BROKEN);
        }
    }
}
