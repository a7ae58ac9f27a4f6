package cleave.dfs.bookkeeper;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.policy.NameTrust.Moment;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.bookkeeper.client.api.WriteHandle;

/**
 * The files of this process that get their names when they are sealed. Thread-safe. What is never sealed is a ledger without a name, which
 * the sweep deletes.
 *
 * <p>Invariant: a ledger that a sweep may have taken for one that was given up gets no name. It takes two sweeps, which are {@link
 * Retention#sweepNanos} apart.
 */
final class StagedFiles {
    private final LedgerFile.Outside outside;
    private final Retention retention;
    private final Map<String, Staged> files = new ConcurrentHashMap<>();

    private record Staged(LedgerFile file, Moment begun) {}

    StagedFiles(LedgerFile.Outside outside, Retention retention) {
        this.outside = outside;
        this.retention = retention;
    }

    CompletableFuture<DfsFile> create(Engine at, String path) {
        Moment begun = outside.now();
        return at.names()
                .look(path)
                .thenCompose(name -> name.kind() == Name.Kind.ABSENT
                        ? at.ledgers().create(path)
                        : Failures.failed(Reason.EXISTS, path))
                .thenApply(ledger -> begin(path, ledger, begun));
    }

    private LedgerFile begin(String path, WriteHandle ledger, Moment begun) {
        LedgerFile file = new LedgerFile(path, ledger, retention.fences(), begun, new Unnamed(outside, ledger.getId()));
        files.put(path, new Staged(file, begun));
        return file;
    }

    boolean has(String path) {
        return files.containsKey(path);
    }

    /** Seals a file and names it; answers its length. May be repeated. */
    CompletableFuture<Long> publish(Engine at, String path) {
        Staged staged = Objects.requireNonNull(files.get(path));
        LedgerFile file = staged.file();
        if (staged.begun().ageNanos(outside.now()) > retention.sweepNanos() / 2) {
            ended(path);
            return Failures.failed(Reason.BROKEN, path + " was begun so long ago that its ledger may have been swept");
        }
        return file.closeLedger(Reason.SEALED)
                .thenCompose(done -> at.ledgers().metadata(file.ledgerId()))
                .thenCompose(metadata -> metadata.isClosed()
                        ? CompletableFuture.completedFuture(metadata.getLength())
                        : at.ledgers().recover(file.ledgerId()).thenApply(ledger -> {
                            long length = ledger.getLength();
                            ledger.closeAsync();
                            return length;
                        }))
                .thenCompose(length -> at.names()
                        .create(path, new Name(Name.Kind.SEALED, file.ledgerId(), 0))
                        .thenApply(done -> length));
    }

    /** It has a name now, or never will. */
    void ended(String path) {
        files.remove(path);
    }

    /** Nobody else knows the file, so nobody else can end it. */
    private record Unnamed(LedgerFile.Outside outside, long ledger) implements LedgerFile.Outside {
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

        @Override
        public void closed(LedgerFile file) {}
    }
}
