package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.bookkeeper.state.EntrySearch;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.jspecify.annotations.Nullable;

/** Reads bytes of a ledger by their offsets. Thread-safe. */
final class LedgerReader {
    /** The aim for what a read has under way at once. It is counted in entries of average size: uneven entries may exceed it. */
    private static final int WINDOW_BYTES = 8 << 20;

    private static final int WINDOW_ENTRIES = 1_024;
    private static final int PLACES_MAX = 4_096;

    private final String path;
    private final ReadHandle ledger;
    /** Where some entries begin. */
    private final ConcurrentNavigableMap<Long, Long> places = new ConcurrentSkipListMap<>();

    /**
     * How much of a ledger is visible. Immutable.
     *
     * @param end the length up to and with the last entry
     * @param lastEntry -1 if there is none
     */
    record View(long end, long lastEntry, boolean sealed) {}

    LedgerReader(String path, ReadHandle ledger) {
        this.path = path;
        this.ledger = ledger;
    }

    long ledgerId() {
        return ledger.getId();
    }

    /** What is visible, as the bookies know it now. That the ledger was closed is learnt late, or never. */
    CompletableFuture<View> view() {
        View whole = viewOfSealed();
        if (whole != null) {
            return CompletableFuture.completedFuture(whole);
        }
        return ledger.readLastAddConfirmedAsync().thenCompose(answered -> {
            if (ledger.isClosed()) {
                return CompletableFuture.completedFuture(ofClosed());
            }
            long last = Math.max(answered, ledger.getLastAddConfirmed()); // Not all bookies are told.
            if (last < 0) {
                return CompletableFuture.completedFuture(new View(0, -1, false));
            }
            return ledger.readAsync(last, last).thenApply(entries -> {
                try (entries) {
                    return new View(entries.getEntry(last).getLength(), last, false);
                }
            });
        });
    }

    /** All of it; null if it may still grow. */
    @Nullable
    View viewOfSealed() {
        return ledger.isClosed() ? ofClosed() : null;
    }

    private View ofClosed() {
        return new View(
                ledger.getLedgerMetadata().getLength(),
                ledger.getLedgerMetadata().getLastEntryId(),
                true);
    }

    CompletableFuture<ByteString> read(View view, long offset, int length) {
        long until = Math.min(view.end(), offset + length);
        if (offset >= until) {
            return CompletableFuture.completedFuture(ByteString.EMPTY);
        }
        return find(search(view, offset), offset, 0)
                .thenCompose(entry -> gather(view, entry, offset, until, ByteString.EMPTY));
    }

    /** Between the nearest entries whose places are known. */
    private EntrySearch search(View view, long offset) {
        Map.Entry<Long, Long> before = places.floorEntry(offset);
        Map.Entry<Long, Long> behind = places.higherEntry(offset);
        boolean isBounded = behind != null && behind.getValue() - 1 <= view.lastEntry();
        return new EntrySearch(
                before == null ? 0 : before.getValue(),
                before == null ? 0 : before.getKey(),
                isBounded ? behind.getValue() - 1 : view.lastEntry(),
                isBounded ? behind.getKey() : view.end());
    }

    private CompletableFuture<Long> find(EntrySearch search, long offset, int attempt) {
        if (search.isOver() || search.lowStart() == offset) {
            return CompletableFuture.completedFuture(search.low());
        }
        long guess = search.guess(offset, attempt);
        return entries(guess, guess).thenCompose(entries -> {
            EntrySearch narrowed;
            try (entries) {
                LedgerEntry entry = entries.getEntry(guess);
                remember(entry);
                narrowed = search.narrowed(guess, start(entry), entry.getLength(), offset);
            }
            return find(narrowed, offset, attempt + 1);
        });
    }

    private static long start(LedgerEntry entry) {
        return entry.getLength() - entry.getEntryBuffer().readableBytes();
    }

    /** The next entry begins where this one ends. */
    private void remember(LedgerEntry entry) {
        if (places.size() >= PLACES_MAX) {
            places.clear();
        }
        places.putIfAbsent(entry.getLength(), entry.getEntryId() + 1);
    }

    private CompletableFuture<LedgerEntries> entries(long first, long last) {
        return ledger.readAsync(first, last).exceptionally(failure -> {
            if (Failures.cause(failure) instanceof BKException.BKDigestMatchException) {
                throw new DfsException(Reason.DAMAGED, path + ": no copy of an entry matches its checksum", failure);
            }
            throw new java.util.concurrent.CompletionException(Failures.cause(failure));
        });
    }

    /** All entries of a window are asked for at once. */
    private CompletableFuture<ByteString> gather(View view, long entry, long offset, long until, ByteString before) {
        if (offset >= until || entry > view.lastEntry()) {
            return CompletableFuture.completedFuture(before);
        }
        long average = Math.max(1, view.end() / (view.lastEntry() + 1));
        long wanted = Math.min(until - offset, WINDOW_BYTES) / average + 1;
        long last = Math.min(view.lastEntry(), entry + Math.min(wanted, WINDOW_ENTRIES) - 1);
        return entries(entry, last).thenCompose(entries -> {
            ByteString all = before;
            long at = offset;
            try (entries) {
                for (LedgerEntry each : entries) {
                    ByteString bytes = part(each, at, until);
                    all = all.concat(bytes);
                    at += bytes.size();
                    if (each.getEntryId() == last || at >= until) {
                        remember(each);
                    }
                }
            }
            return gather(view, last + 1, at, until, all);
        });
    }

    /** The bytes of an entry from one offset to another. */
    private static ByteString part(LedgerEntry entry, long from, long until) {
        long start = start(entry);
        long first = Math.max(from, start);
        long behind = Math.min(entry.getLength(), until);
        return first >= behind
                ? ByteString.EMPTY
                : UnsafeByteOperations.unsafeWrap(entry.getEntryBytes(), (int) (first - start), (int) (behind - first));
    }

    void close() {
        ledger.closeAsync();
    }
}
