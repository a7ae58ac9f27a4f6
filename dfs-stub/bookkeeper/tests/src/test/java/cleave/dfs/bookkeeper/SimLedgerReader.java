package cleave.dfs.bookkeeper;

import cleave.dfs.bookkeeper.SimBookies.Bookie;
import cleave.dfs.bookkeeper.SimBookies.Entry;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.LastConfirmedAndEntry;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.impl.LedgerEntriesImpl;
import org.apache.bookkeeper.client.impl.LedgerEntryImpl;

/** Reads a ledger, which its writer may have open. */
@SuppressWarnings("try") // close() may be interrupted, as BookKeeper declares it.
class SimLedgerReader implements ReadHandle {
    protected final SimWorld world;
    protected final SimLedgers client;
    protected final List<Bookie> ensemble;
    protected final long ledger;
    protected LedgerMetadata metadata;
    protected long confirmed;

    SimLedgerReader(SimLedgers client, LedgerMetadata metadata) {
        this.world = client.world;
        this.client = client;
        this.metadata = metadata;
        this.ledger = metadata.getLedgerId();
        this.ensemble = world.bookies().ensemble(metadata);
        this.confirmed = metadata.isClosed() ? metadata.getLastEntryId() : -1;
    }

    @Override
    public long getId() {
        return ledger;
    }

    @Override
    public LedgerMetadata getLedgerMetadata() {
        return metadata;
    }

    @Override
    public boolean isClosed() {
        return metadata.isClosed();
    }

    @Override
    public long getLastAddConfirmed() {
        return confirmed;
    }

    @Override
    public long getLength() {
        return isClosed() ? metadata.getLength() : SimBookies.length(ensemble, ledger, confirmed);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Long> readLastAddConfirmedAsync() {
        return client.ask(metadata, bookie -> bookie.copy(ledger).confirmed).thenApply(answers -> {
            confirmed = Math.max(confirmed, Collections.max(answers));
            return confirmed;
        });
    }

    @Override
    public CompletableFuture<LedgerEntries> readAsync(long first, long last) {
        CompletableFuture<LedgerEntries> answer = new CompletableFuture<>();
        SimWorld.Wire wire = world.wire();
        wire.send(() -> {
            List<Bookie> up = ensemble.stream().filter(each -> each.isUp).toList();
            List<LedgerEntry> entries = new ArrayList<>();
            for (long id = first; id <= last; id++) {
                Entry found = SimBookies.entry(up, ledger, id);
                if (found != null) {
                    entries.add(
                            LedgerEntryImpl.create(ledger, id, found.length(), Unpooled.wrappedBuffer(found.bytes())));
                }
            }
            wire.send(client.process, () -> {
                if (entries.size() == last - first + 1) {
                    answer.complete(LedgerEntriesImpl.create(entries));
                } else {
                    answer.completeExceptionally(new BKException.BKReadException());
                }
            });
        });
        return answer;
    }

    @Override
    public CompletableFuture<LedgerEntries> readUnconfirmedAsync(long first, long last) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Long> tryReadLastAddConfirmedAsync() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<LastConfirmedAndEntry> readLastAddConfirmedAndEntryAsync(
            long entry, long millis, boolean parallel) {
        throw new UnsupportedOperationException();
    }
}
