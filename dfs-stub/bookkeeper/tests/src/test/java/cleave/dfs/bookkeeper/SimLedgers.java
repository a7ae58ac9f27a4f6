package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.SimBookies.Bookie;
import cleave.dfs.bookkeeper.SimBookies.Entry;
import cleave.dfs.bookkeeper.SimWorld.Bug;
import cleave.dfs.bookkeeper.state.Bookies;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerMetadataBuilder;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.api.WriteHandle;

/**
 * A client of BookKeeper in one process, on simulated bookies: it writes to three of them, waits for two, fences and recovers as the real one
 * does. It replaces no bookie: a ledger breaks when two of its three fail.
 */
final class SimLedgers implements LedgerClient {
    final SimWorld world;
    final SimProcess process;
    private final SimBookies bookies;

    SimLedgers(SimWorld world, SimProcess process) {
        this.world = world;
        this.process = process;
        this.bookies = world.bookies();
    }

    /** Asks ZooKeeper, which may not answer, or whose answer may be lost. */
    private <T> CompletableFuture<T> call(Function<Optional<LedgerMetadata>, T> execution, long ledger) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        SimWorld.Wire wire = world.wire();
        wire.send(() -> {
            CompletableFuture<T> result;
            if (world.isZooKeeperAway()) {
                result = CompletableFuture.failedFuture(new BKException.ZKException());
            } else {
                result = CompletableFuture.completedFuture(bookies.metadata(ledger))
                        .thenApply(execution);
                result = world.fails() ? CompletableFuture.failedFuture(new BKException.ZKException()) : result;
            }
            CompletableFuture<T> outcome = result;
            wire.send(process, () -> SimZooKeeper.settle(answer, outcome));
        });
        return answer;
    }

    private LedgerMetadata found(Optional<LedgerMetadata> metadata) {
        return metadata.orElseThrow(
                () -> new CompletionException(new BKException.BKNoSuchLedgerExistsOnMetadataServerException()));
    }

    /** Changes the metadata of a ledger, unless it is closed; answers what holds then. */
    private CompletableFuture<LedgerMetadata> change(long ledger, UnaryOperator<LedgerMetadata> change) {
        return call(
                before -> {
                    LedgerMetadata after = found(before).isClosed() ? found(before) : change.apply(found(before));
                    bookies.keep(after);
                    return after;
                },
                ledger);
    }

    CompletableFuture<LedgerMetadata> close(long ledger, long last, long length) {
        return change(
                ledger,
                open -> LedgerMetadataBuilder.from(open)
                        .withClosedState()
                        .withLastEntryId(last)
                        .withLength(length)
                        .build());
    }

    @Override
    public CompletableFuture<Bookies> bookies() {
        return done(new Bookies(SimBookies.COUNT, 0));
    }

    @Override
    public CompletableFuture<WriteHandle> create(int copies, Map<String, byte[]> customMetadata) {
        return create(copies, customMetadata, false);
    }

    @Override
    public CompletableFuture<WriteHandle> createDeferred(int copies, Map<String, byte[]> customMetadata) {
        return create(copies, customMetadata, true);
    }

    private CompletableFuture<WriteHandle> create(int copies, Map<String, byte[]> customMetadata, boolean isDeferred) {
        long ledger = bookies.nextLedger();
        LedgerMetadata made = LedgerMetadataBuilder.create()
                .withId(ledger)
                .withEnsembleSize(copies)
                .withWriteQuorumSize(copies)
                .withAckQuorumSize(Bookies.ACKNOWLEDGED)
                .withDigestType(DigestType.CRC32C)
                .withPassword(new byte[0])
                .withCustomMetadata(customMetadata)
                .newEnsembleEntry(0, bookies.choose(copies))
                .build();
        return call(
                nothing -> {
                    bookies.keep(made);
                    return new SimLedgerWriter(this, made, isDeferred);
                },
                ledger);
    }

    @Override
    public CompletableFuture<ReadHandle> open(long ledger, boolean recover) {
        return call(this::found, ledger)
                .thenCompose(metadata -> recover && !metadata.isClosed() ? recovered(metadata) : done(metadata))
                .thenApply(metadata -> new SimLedgerReader(this, metadata));
    }

    private CompletableFuture<LedgerMetadata> recovered(LedgerMetadata open) {
        long ledger = open.getLedgerId();
        if (world.bug() == Bug.END_WITHOUT_FENCE) {
            return new SimLedgerReader(this, open)
                    .readLastAddConfirmedAsync()
                    .thenCompose(last -> close(ledger, last, SimBookies.length(bookies.ensemble(open), ledger, last)));
        }
        return change(
                        ledger,
                        before -> LedgerMetadataBuilder.from(before)
                                .withInRecoveryState()
                                .build())
                .thenCompose(metadata -> metadata.isClosed() ? done(metadata) : fenced(metadata));
    }

    private CompletableFuture<LedgerMetadata> fenced(LedgerMetadata metadata) {
        long ledger = metadata.getLedgerId();
        return ask(metadata, bookie -> {
                    bookie.copy(ledger).isFenced = true;
                    return bookie;
                })
                .thenCompose(fenced -> {
                    long last = fenced.stream()
                            .mapToLong(bookie -> bookie.copy(ledger).confirmed)
                            .max()
                            .orElse(-1);
                    Entry next = SimBookies.entry(fenced, ledger, last + 1);
                    while (next != null) {
                        last++;
                        for (Bookie bookie : fenced) {
                            bookie.copy(ledger).entries.put(last, next);
                        }
                        next = SimBookies.entry(fenced, ledger, last + 1);
                    }
                    return close(ledger, last, SimBookies.length(bookies.ensemble(metadata), ledger, last));
                });
    }

    /** Asks all bookies of a ledger and waits for two. */
    <T> CompletableFuture<List<T>> ask(LedgerMetadata metadata, Function<Bookie, T> question) {
        CompletableFuture<List<T>> answer = new CompletableFuture<>();
        List<T> answers = new ArrayList<>();
        List<Bookie> ensemble = bookies.ensemble(metadata);
        int[] silent = {ensemble.size()};
        for (Bookie bookie : ensemble) {
            SimWorld.Wire wire = world.wire();
            wire.send(() -> {
                Optional<T> said = bookie.isUp ? Optional.of(question.apply(bookie)) : Optional.empty();
                wire.send(process, () -> {
                    silent[0]--;
                    said.ifPresent(answers::add);
                    if (answers.size() == Bookies.ACKNOWLEDGED) {
                        answer.complete(List.copyOf(answers));
                    } else if (silent[0] == 0) {
                        answer.completeExceptionally(new BKException.BKLedgerRecoveryException());
                    }
                });
            });
        }
        return answer;
    }

    @Override
    public CompletableFuture<Void> delete(long ledger) {
        return call(
                before -> {
                    found(before);
                    world.zooKeeper().put(SimBookies.node(ledger), null);
                    return null;
                },
                ledger);
    }

    @Override
    public CompletableFuture<Long> lastStored(long ledger, LedgerMetadata metadata) {
        return ask(
                        metadata,
                        bookie -> bookie.copy(ledger).entries.isEmpty()
                                ? -1L
                                : bookie.copy(ledger).entries.lastKey())
                .handle((stored, failure) -> {
                    if (failure != null) {
                        throw new DfsException(Reason.UNAVAILABLE, "too few bookies answer");
                    }
                    return Collections.max(stored);
                });
    }

    @Override
    public Pages all() {
        ArrayDeque<List<Long>> pages = new ArrayDeque<>(List.of(bookies.ledgers()));
        return () -> done(Optional.ofNullable(pages.poll()));
    }

    private static <T> CompletableFuture<T> done(T value) {
        return CompletableFuture.completedFuture(value);
    }
}
