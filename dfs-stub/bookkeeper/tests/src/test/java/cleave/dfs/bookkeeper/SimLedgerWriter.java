package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.SimBookies.Bookie;
import cleave.dfs.bookkeeper.SimBookies.Copy;
import cleave.dfs.bookkeeper.SimBookies.Entry;
import cleave.dfs.bookkeeper.state.Bookies;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.jspecify.annotations.Nullable;

/** Writes a ledger. An entry is acknowledged when two bookies have it, and all before it are. */
@SuppressWarnings("try") // close() may be interrupted, as BookKeeper declares it.
final class SimLedgerWriter extends SimLedgerReader implements WriteHandle {
    private static final class Pending {
        private final long id;
        private final Entry entry;
        private final CompletableFuture<Long> result = new CompletableFuture<>();
        private int stored;
        private int failed;

        Pending(long id, Entry entry) {
            this.id = id;
            this.entry = entry;
        }
    }

    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private final List<SimWorld.Wire> wires = new ArrayList<>();
    private long next;
    private long length;
    private long confirmedLength;
    private final boolean isDeferred;
    private @Nullable BKException ended;

    SimLedgerWriter(SimLedgers client, LedgerMetadata metadata, boolean isDeferred) {
        super(client, metadata);
        this.isDeferred = isDeferred;
        ensemble.forEach(bookie -> wires.add(world.wire()));
    }

    @Override
    public CompletableFuture<Long> appendAsync(ByteBuf data) {
        if (ended != null) {
            return CompletableFuture.failedFuture(ended);
        }
        byte[] bytes = new byte[data.readableBytes()];
        data.readBytes(bytes);
        length += bytes.length;
        Pending append = new Pending(next++, new Entry(length, bytes));
        pending.add(append);
        for (int i = 0; i < ensemble.size(); i++) {
            Bookie bookie = ensemble.get(i);
            SimWorld.Wire wire = wires.get(i);
            long known = confirmed;
            wire.send(() -> {
                Consumer<Pending> answer = stored(bookie, append, known);
                wire.send(client.process, () -> answer.accept(append));
            });
        }
        return append.result;
    }

    private Consumer<Pending> stored(Bookie bookie, Pending append, long known) {
        if (!bookie.isUp || world.fails()) {
            return this::failed;
        }
        Copy copy = bookie.copy(ledger);
        if (copy.isFenced) {
            return refused -> end(new BKException.BKLedgerFencedException());
        }
        copy.synced = isDeferred ? Math.min(copy.synced, append.id - 1) : copy.synced;
        copy.entries.put(append.id, append.entry);
        copy.confirmed = Math.max(copy.confirmed, known);
        return this::acknowledged;
    }

    private void acknowledged(Pending append) {
        append.stored++;
        while (ended == null && !pending.isEmpty() && pending.element().stored >= Bookies.ACKNOWLEDGED) {
            Pending first = pending.remove();
            if (!isDeferred) {
                confirmed = first.id;
                confirmedLength = first.entry.length();
            }
            first.result.complete(first.id);
        }
    }

    private void failed(Pending append) {
        append.failed++;
        if (ended == null && append.failed > ensemble.size() - Bookies.ACKNOWLEDGED) {
            end(new BKException.BKNotEnoughBookiesException());
            closedMetadata();
        }
    }

    private void end(BKException why) {
        if (ended == null) {
            ended = why;
            List<Pending> left = List.copyOf(pending);
            pending.clear();
            left.forEach(each -> each.result.completeExceptionally(why));
        }
    }

    private CompletableFuture<Void> closedMetadata() {
        return client.close(ledger, confirmed, confirmedLength).thenAccept(closed -> metadata = closed);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        boolean isFirst = ended == null;
        end(new BKException.BKLedgerClosedException());
        return isFirst ? closedMetadata() : CompletableFuture.completedFuture(null);
    }

    @Override
    public long getLastAddPushed() {
        return next - 1;
    }

    /** Only of a deferred ledger, which holds no bytes. */
    @Override
    public CompletableFuture<Void> force() {
        long last = pending.isEmpty() ? next - 1 : pending.element().id - 1;
        int[] synced = {0};
        for (int i = 0; i < ensemble.size(); i++) {
            Bookie bookie = ensemble.get(i);
            wires.get(i).send(() -> {
                if (bookie.isUp && !world.fails()) {
                    Copy copy = bookie.copy(ledger);
                    copy.synced = Math.max(copy.synced, last);
                    world.wire().send(client.process, () -> {
                        synced[0]++;
                        confirmed = synced[0] == Bookies.ACKNOWLEDGED ? Math.max(confirmed, last) : confirmed;
                    });
                }
            });
        }
        return CompletableFuture.completedFuture(null);
    }
}
