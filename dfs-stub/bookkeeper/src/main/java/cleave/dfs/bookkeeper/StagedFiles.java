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
 * The files of this process that get their names when they are sealed. Thread-safe. A file that its writer gives up is a ledger without a
 * name, which is deleted at once; that of a process that ended is left to the sweep.
 *
 * <p>Invariant: a file is here until it is sealed or deleted, or its writer closes its handle, and no longer.
 *
 * <p>Invariant: while its process can reach ZooKeeper, a file that is here is {@linkplain #touch touched} several times in each
 * interval between sweeps, so none takes its ledger for one that was given up.
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
                .thenCompose(name -> name.kind() == Name.Kind.ABSENT && get(path) == null
                        ? at.ledgers().create(path)
                        : Failures.failed(Reason.EXISTS, path))
                .thenApply(ledger -> begin(at, path, ledger, begun));
    }

    private DfsFile begin(Engine at, String path, WriteHandle ledger, Moment begun) {
        Staged mine = new Staged(path, ledger, begun);
        if (files.putIfAbsent(path, mine.file) != null) {
            Creation.dropped(at, ledger);
            throw new DfsException(Reason.EXISTS, path + " is being written by this process");
        }
        return mine.file;
    }

    /** The file of this process that has no name yet; null if there is none. */
    @Nullable
    LedgerFile get(String path) {
        return files.get(path);
    }

    /** Seals a file and names it; answers its length. May be repeated. UNAVAILABLE if the path got a name meanwhile. */
    static CompletableFuture<Long> publish(Engine at, LedgerFile file) {
        String path = file.path();
        CompletableFuture<Long> sealed = Failures.recover(
                file.closeLedger(Reason.SEALED).thenCompose(done -> at.ledgers().sealed(file.ledgerId())),
                Failures::isMissingLedger,
                () -> Failures.failed(
                        Reason.BROKEN, path + " is gone: its ledger had no name yet, and was swept or deleted"));
        return sealed.thenCompose(length -> Failures.recover(
                at.names()
                        .create(path, new Name(Name.Kind.SEALED, file.ledgerId(), 0))
                        .thenApply(done -> length),
                failure -> Failures.is(failure, Reason.EXISTS),
                () -> Failures.failed(Reason.UNAVAILABLE, path + " has changed meanwhile")));
    }

    /** A file has its name now, or never gets one. Whether it was here. */
    boolean ended(LedgerFile file) {
        return files.remove(file.path(), file);
    }

    /** Shows the sweeps that the files being written are not given up. */
    CompletableFuture<Void> touch(Engine at) {
        return CompletableFuture.allOf(files.values().stream()
                .map(file -> at.ledgers().touch(file.ledgerId()))
                .toArray(CompletableFuture<?>[]::new));
    }

    /** Nobody else knows the file, so nobody else can end it. */
    private final class Staged implements LedgerFile.Outside {
        private final Name name;
        private final LedgerFile file;

        Staged(String path, WriteHandle ledger, Moment begun) {
            name = Name.written(ledger.getId());
            file = new LedgerFile(path, ledger, retention.fences(), begun, this);
        }

        @Override
        public CompletableFuture<Name> name(String path) {
            return CompletableFuture.completedFuture(name);
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

        @Override
        public void closed(LedgerFile file) {
            outside.closed(file);
        }
    }
}
