package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.proto.BookieClient;
import org.apache.bookkeeper.proto.BookieProtocol;
import org.apache.bookkeeper.proto.BookkeeperInternalCallbacks.ReadEntryCallback;
import org.apache.bookkeeper.proto.LedgerMetadataFormat.DigestType;
import org.apache.bookkeeper.proto.checksum.DigestManager;
import org.jspecify.annotations.Nullable;

/**
 * Asks bookies for the last entry of an open ledger that they have stored, acknowledged or not. Thread-safe.
 *
 * <p>As in a recovery, but without a fence, enough bookies of the last ensemble must answer that every acknowledged entry is stored on
 * one of them. A single bookie that is down does not matter.
 */
final class LastStored implements ReadEntryCallback {
    private final CompletableFuture<Long> last = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final DigestManager digests;
    private final long ledger;
    private int needed;
    private int outstanding;
    private long highest;

    private LastStored(long ledger, LedgerMetadata metadata, byte[] password) {
        Map.Entry<Long, ? extends List<BookieId>> ensemble =
                metadata.getAllEnsembles().lastEntry();
        this.ledger = ledger;
        this.highest = ensemble.getKey() - 1;
        this.outstanding = ensemble.getValue().size();
        this.needed = metadata.getWriteQuorumSize() - metadata.getAckQuorumSize() + 1;
        try {
            this.digests =
                    DigestManager.instantiate(ledger, password, DigestType.CRC32C, ByteBufAllocator.DEFAULT, false);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * -1 if nothing is stored.
     *
     * @param metadata of now, with as many copies of each entry as bookies in an ensemble
     */
    static CompletableFuture<Long> of(long ledger, LedgerMetadata metadata, byte[] password, BookieClient bookies) {
        LastStored question = new LastStored(ledger, metadata, password);
        for (BookieId bookie : metadata.getAllEnsembles().lastEntry().getValue()) {
            bookies.readEntry(
                    bookie, ledger, BookieProtocol.LAST_ADD_CONFIRMED, question, null, BookieProtocol.FLAG_NONE);
        }
        return question.last;
    }

    @Override
    public void readEntryComplete(int code, long ofLedger, long entry, ByteBuf buffer, Object context) {
        long found;
        boolean isKnown;
        boolean isHopeless;
        lock.lock();
        try {
            Long stored = stored(code, buffer);
            if (stored != null) {
                highest = Math.max(highest, stored);
                needed--;
            }
            outstanding--;
            found = highest;
            isKnown = needed <= 0;
            isHopeless = outstanding < needed;
        } finally {
            lock.unlock();
        }
        if (isKnown) {
            last.complete(found);
        } else if (isHopeless) {
            last.completeExceptionally(new DfsException(
                    Reason.UNAVAILABLE,
                    "too few bookies answer for ledger " + ledger + ": " + BKException.getMessage(code)));
        }
    }

    /** -1: nothing; null: this bookie does not say. */
    private @Nullable Long stored(int code, ByteBuf buffer) {
        if (code == BKException.Code.NoSuchEntryException || code == BKException.Code.NoSuchLedgerExistsException) {
            return -1L;
        }
        if (code != BKException.Code.OK) {
            return null;
        }
        try {
            digests.verifyDigestAndReturnLastConfirmed(buffer);
            return buffer.getLong(Long.BYTES); // After the ledger's number.
        } catch (BKException.BKDigestMatchException damaged) {
            return null;
        }
    }
}
