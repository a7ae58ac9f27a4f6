package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Name;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
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

    /**
     * The ledger that has this name.
     *
     * @param making makes the ledger of a path
     */
    CompletableFuture<WriteHandle> create(
            String path, BiFunction<Ledgers, String, CompletableFuture<WriteHandle>> making) {
        MadeLedger made = new MadeLedger();
        CompletableFuture<WriteHandle> named = Calls.checked(
                path,
                () -> calls.retries()
                        .run(
                                "create " + path,
                                () -> calls.with(at -> create(at, path, making, made)),
                                WriteHandle::closeAsync));
        return named.whenComplete((ledger, failure) -> {
            if (failure != null) {
                made.giveUp();
            }
        });
    }

    /** @param made the ledger of an earlier attempt, and then of this one */
    private static CompletableFuture<WriteHandle> create(
            Engine at,
            String path,
            BiFunction<Ledgers, String, CompletableFuture<WriteHandle>> making,
            MadeLedger made) {
        WriteHandle before = made.handle();
        if (before != null) {
            return name(at, path, before);
        }
        return at.names().look(path).thenCompose(name -> {
            if (name.kind() != Name.Kind.ABSENT) {
                return Failures.failed(Reason.EXISTS, path);
            }
            return making.apply(at.ledgers(), path).thenCompose(ledger -> {
                if (made.keep(ledger)) {
                    return name(at, path, ledger);
                }
                dropped(at, ledger);
                return Failures.failed(Reason.UNAVAILABLE, path + ": its ledger came too late");
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
                () -> at.names().lookAtNewest(path).thenCompose(name -> {
                    if (name.isFile() && name.ledger() == ledger.getId()) {
                        return CompletableFuture.completedFuture(ledger);
                    }
                    dropped(at, ledger);
                    return Failures.failed(Reason.EXISTS, path);
                }));
    }

    /** It never gets a name. */
    static void dropped(Engine at, WriteHandle ledger) {
        ledger.closeAsync().whenComplete((closed, failure) -> at.ledgers().delete(ledger.getId()));
    }
}
