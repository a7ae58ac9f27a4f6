package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.Name;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals and deletes files. Thread-safe.
 *
 * <p>Invariant: a process that ends another's file changes its name first. So the writer learns from the name why its ledger ended.
 *
 * <p>Invariant: a ledger is deleted after its name, and only if nobody appends to it any more. Its own writer has closed it, or its fence was
 * kept for as long as a writer may believe the bookies.
 */
final class Ending {
    private static final Logger LOG = LoggerFactory.getLogger(Ending.class);

    private final Calls calls;
    private final OwnFiles own;
    private final StagedFiles staged;

    Ending(Calls calls, OwnFiles own, StagedFiles staged) {
        this.calls = calls;
        this.own = own;
        this.staged = staged;
    }

    // ---- seal ----

    CompletableFuture<Long> seal(String path) {
        LedgerFile unnamed = staged.get(path);
        return unnamed != null
                ? published(unnamed)
                : calls.run("seal", path, at -> {
                    boolean existed = own.hasCreated(path);
                    return at.names().lookAtNewest(path).thenCompose(name -> sealed(at, path, name, existed));
                });
    }

    private CompletableFuture<Long> published(LedgerFile file) {
        return calls.run(
                        "seal",
                        file.path(),
                        at -> at.names().lookAtNewest(file.path()).thenCompose(name -> published(at, file, name)))
                .thenApply(length -> {
                    own.created(file.path());
                    staged.ended(file);
                    return length;
                });
    }

    /** A name with the same ledger is that of an attempt whose answer was lost. A name with another ledger is another file's. */
    private CompletableFuture<Long> published(Engine at, LedgerFile file, Name name) {
        if (name.kind() == Name.Kind.ABSENT) {
            return StagedFiles.publish(at, file);
        }
        if (name.isFile() && name.ledger() == file.ledgerId()) {
            return recovered(at, file.path(), name);
        }
        dropped(at, file, Reason.BROKEN);
        return Failures.failed(
                name.isDeleted() ? Reason.DELETED : Reason.EXISTS,
                file.path() + " got another file, or was deleted, before this one was sealed");
    }

    /** Its ledger never gets a name. */
    private static CompletableFuture<Void> dropped(Engine at, LedgerFile file, Reason reason) {
        return file.closeLedger(reason).thenCompose(done -> at.ledgers().delete(file.ledgerId()));
    }

    /**
     * Seals a file that its writer gave up. Else its ledger would stay open here, and its seal by anyone else would look like a takeover. One that
     * has no name yet is deleted. Whatever becomes of that, nothing of the handle stays.
     */
    void giveUp(LedgerFile file) {
        if (staged.ended(file)) {
            dropUnnamed(file);
            return;
        }
        CompletableFuture<?> sealed =
                own.isOpen(file) && !file.isLost() ? seal(file.path()) : CompletableFuture.completedFuture(null);
        sealed.whenComplete((length, failure) -> {
            file.closeLedger(Reason.BROKEN);
            own.finish(file);
        });
    }

    /** A seal whose answer was lost may have named it, or may still do so: the ledger goes only with the proof that it has no name. */
    private void dropUnnamed(LedgerFile file) {
        own.created(file.path());
        file.closeLedger(Reason.BROKEN)
                .thenCompose(closed -> calls.run(
                        "give up",
                        file.path(),
                        at -> Failures.recover(
                                at.ledgers()
                                        .kept(file.ledgerId())
                                        .thenCompose(kept ->
                                                at.deletedUnnamed(file.path(), file.ledgerId(), kept.version())),
                                Failures::isMissingLedger,
                                () -> CompletableFuture.completedFuture(false))))
                .whenComplete((deleted, failure) -> {
                    if (failure != null) {
                        LOG.info(
                                "the ledger of a file that was given up is left to a sweep path={} ledger={} cause={}",
                                file.path(),
                                file.ledgerId(),
                                Failures.cause(failure).getMessage());
                    }
                });
    }

    /** @param existed before the name was looked at */
    private CompletableFuture<Long> sealed(Engine at, String path, Name name, boolean existed) {
        loseIfOver(path, name);
        return switch (name.kind()) {
            case ABSENT -> existed ? forgotten(path) : sealedUnborn(at, path);
            case EMPTY -> existed ? forgotten(path) : CompletableFuture.completedFuture(0L);
            case DELETED, DELETED_FENCED -> Failures.failed(Reason.DELETED, path);
            case SEALED, TAKEN_OVER -> recovered(at, path, name);
            case WRITTEN -> sealedOpen(at, path, name);
        };
    }

    private static CompletableFuture<Long> forgotten(String path) {
        return Failures.failed(Reason.DELETED, path + ", so long ago that it is forgotten");
    }

    /** This process may learn here first that another one has ended its file. */
    private void loseIfOver(String path, Name name) {
        LedgerFile mine = own.writer(path);
        if (mine != null) {
            mine.loseIfOver(name);
        }
    }

    private static CompletableFuture<Long> sealedUnborn(Engine at, String path) {
        return at.names()
                .create(path, new Name(Name.Kind.EMPTY, Name.NO_LEDGER, 0))
                .handle((done, failure) -> {
                    if (failure == null) {
                        return 0L;
                    }
                    // Somebody was faster: look again.
                    throw new DfsException(
                            Reason.UNAVAILABLE,
                            path + ": " + Failures.cause(failure).getMessage());
                });
    }

    private CompletableFuture<Long> sealedOpen(Engine at, String path, Name name) {
        LedgerFile mine = own.writer(path, name);
        if (mine == null) {
            return at.names().mark(path, name, Name.Kind.TAKEN_OVER).thenCompose(marked -> recovered(at, path, marked));
        }
        // Only the metadata show how it ended: somebody else may have closed the ledger, or nobody, if ZooKeeper did
        // not answer.
        return mine.closeLedger(Reason.SEALED)
                .thenCompose(done -> recovered(at, path, name))
                .thenApply(length -> {
                    at.names().mark(path, name, Name.Kind.SEALED);
                    own.finish(mine);
                    return length;
                });
    }

    private static CompletableFuture<Long> recovered(Engine at, String path, Name name) {
        return Failures.recover(
                at.ledgers().sealed(name.ledger()), Failures::isMissingLedger, () -> at.missing(path, name));
    }

    // ---- delete ----

    CompletableFuture<Void> delete(String path) {
        LedgerFile unnamed = staged.get(path);
        return calls.run(
                "delete",
                path,
                at -> at.names()
                        .look(path)
                        .thenCompose(name -> deleted(at, path, name))
                        .thenCompose(done ->
                                unnamed == null ? CompletableFuture.completedFuture(null) : forgotten(at, unnamed)));
    }

    private CompletableFuture<Void> forgotten(Engine at, LedgerFile unnamed) {
        own.created(unnamed.path());
        return dropped(at, unnamed, Reason.DELETED).thenRun(() -> staged.ended(unnamed));
    }

    private CompletableFuture<Void> deleted(Engine at, String path, Name name) {
        loseIfOver(path, name);
        return switch (name.kind()) {
            case ABSENT, EMPTY -> at.names().bury(path, name, Name.Kind.DELETED);
            case SEALED -> buried(at, path, name);
            case DELETED ->
                name.hasLedger() ? at.ledgers().delete(name.ledger()) : CompletableFuture.completedFuture(null);
            case DELETED_FENCED -> CompletableFuture.completedFuture(null);
            case WRITTEN -> deletedOpen(at, path, name);
            case TAKEN_OVER ->
                tombstone(at, path, name).thenCompose(kind -> at.names().bury(path, name, kind));
        };
    }

    private CompletableFuture<Void> deletedOpen(Engine at, String path, Name name) {
        LedgerFile mine = own.writer(path, name);
        if (mine == null) {
            return at.names().mark(path, name, Name.Kind.TAKEN_OVER).thenCompose(marked -> deleted(at, path, marked));
        }
        return mine.closeLedger(Reason.DELETED)
                .thenCompose(done -> buried(at, path, name))
                .thenAccept(done -> own.finish(mine));
    }

    /** There is nothing to fence of a ledger that is missing. */
    private static CompletableFuture<Name.Kind> tombstone(Engine at, String path, Name name) {
        return Failures.recover(
                recovered(at, path, name).thenApply(length -> Name.Kind.DELETED_FENCED),
                Failures::isLostLedger,
                () -> CompletableFuture.completedFuture(Name.Kind.DELETED));
    }

    /** The ledger's writer appends nothing any more. */
    private static CompletableFuture<Void> buried(Engine at, String path, Name name) {
        return at.names()
                .bury(path, name, Name.Kind.DELETED)
                .thenCompose(done -> at.ledgers().delete(name.ledger()));
    }
}
