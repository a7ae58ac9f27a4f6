package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.state.DeletedPaths;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The files that this process has created. Thread-safe.
 *
 * <p>Invariant: a path that this process has created stays {@linkplain #hasCreated created}, in little space. So a file's creator learns
 * that it was deleted even when nobody else remembers that.
 */
final class OwnFiles {
    private final DfsMetrics metrics;
    /** The files that this process writes. */
    private final Map<String, LedgerFile> open = new ConcurrentHashMap<>();

    /** Each is deleted if it has no name. */
    private final AtomicReference<DeletedPaths> created = new AtomicReference<>(DeletedPaths.NONE);

    OwnFiles(DfsMetrics metrics) {
        this.metrics = metrics;
    }

    void begin(LedgerFile file) {
        created(file.path());
        open.put(file.path(), file);
        metrics.clientOpenFiles(open.size());
    }

    /** A path has got its name from this process. */
    void created(String path) {
        created.updateAndGet(before -> before.plus(path));
    }

    /** Its writer is done with a file. */
    void finish(LedgerFile file) {
        open.remove(file.path(), file);
        metrics.clientOpenFiles(open.size());
    }

    /** The file that this process writes under a name; null if another process writes it, or none. */
    @Nullable
    LedgerFile writer(String path, Name name) {
        LedgerFile file = open.get(path);
        return file != null && file.ledgerId() == name.ledger() ? file : null;
    }

    /** The same, even if another file has the name now. */
    @Nullable
    LedgerFile writer(String path) {
        return open.get(path);
    }

    /** Whether this process writes a file, or is sealing it. */
    boolean isOpen(LedgerFile file) {
        return open.get(file.path()) == file;
    }

    /** True if a path that has no name was created by this process, or by its server's earlier incarnations. */
    boolean hasCreated(String path) {
        return Objects.requireNonNull(created.get()).contains(path);
    }

    Collection<LedgerFile> open() {
        return open.values();
    }
}
