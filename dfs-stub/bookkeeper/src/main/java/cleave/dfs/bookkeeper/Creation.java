package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Name;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.bookkeeper.client.api.WriteHandle;

/**
 * Creates files. Thread-safe.
 *
 * <p>Invariant: a ledger is made before its name, and gets at most one. If the process ends in between, {@link Sweep} finds the ledger.
 */
final class Creation {
    private final Calls calls;

    Creation(Calls calls) {
        this.calls = calls;
    }

    /** The ledger that has this name. */
    CompletableFuture<WriteHandle> create(String path) {
        AtomicReference<WriteHandle> made = new AtomicReference<>();
        CompletableFuture<WriteHandle> named = Calls.checked(
                path,
                () -> calls.attempts()
                        .run(
                                "create " + path,
                                () -> calls.with(at -> create(at, path, made)),
                                WriteHandle::closeAsync));
        return named.whenComplete((ledger, failure) -> {
            WriteHandle unused = made.get();
            if (failure != null && unused != null) {
                unused.closeAsync();
            }
        });
    }

    /** @param made the ledger of an earlier attempt, and then of this one */
    private static CompletableFuture<WriteHandle> create(Engine at, String path, AtomicReference<WriteHandle> made) {
        WriteHandle before = made.get();
        if (before != null) {
            return name(at, path, before);
        }
        return at.names().look(path).thenCompose(name -> {
            if (name.kind() != Name.Kind.ABSENT) {
                return Failures.failed(Reason.EXISTS, path);
            }
            return at.ledgers().create(path).thenCompose(ledger -> {
                made.set(ledger);
                return name(at, path, ledger);
            });
        });
    }

    /** The name may be there from an attempt whose answer was lost. */
    private static CompletableFuture<WriteHandle> name(Engine at, String path, WriteHandle ledger) {
        CompletableFuture<WriteHandle> named =
                at.names().create(path, Name.written(ledger.getId())).thenApply(done -> ledger);
        return Failures.recover(
                named,
                failure -> Failures.is(failure, Reason.EXISTS),
                () -> at.names().look(path).thenCompose(name -> {
                    if (name.isFile() && name.ledger() == ledger.getId()) {
                        return CompletableFuture.completedFuture(ledger);
                    }
                    ledger.closeAsync()
                            .whenComplete((closed, failure) -> at.ledgers().delete(ledger.getId()));
                    return Failures.failed(Reason.EXISTS, path);
                }));
    }
}
