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
    /** The most bytes that a read requests at once. */
    static final int WINDOW_BYTES = 8 << 20;

    /** This many entries fit into a window even if all have the maximum size. */
    private static final int CERTAIN_ENTRIES = WINDOW_BYTES / LedgerFile.ENTRY_BYTES_MAX;

    private static final int WINDOW_ENTRIES = 1_024;
    private static final int PLACES_MAX = 4_096;

    private final String path;
    private final ReadHandle ledger;
    private final ReadBudget budget;
    /** The places where some entries begin. If entries without bytes begin at the same place, the last known one of them. */
    private final ConcurrentNavigableMap<Long, Long> places = new ConcurrentSkipListMap<>();

    /**
     * The visible part of a ledger. Immutable.
     *
     * @param end the length up to and with the last entry
     * @param lastEntry -1 if there is none
     */
    record View(long end, long lastEntry, boolean sealed) {}

    /** An entry, and where it begins. Immutable. */
    private record Place(long entry, long start) {}

    LedgerReader(String path, ReadHandle ledger, ReadBudget budget) {
        this.path = path;
        this.ledger = ledger;
        this.budget = budget;
    }

    long ledgerId() {
        return ledger.getId();
    }

    /** The visible part, as the bookies know it now. It shows late, or never, that the ledger was closed. */
    CompletableFuture<View> view() {
        View whole = viewOfSealed();
        if (whole != null) {
            return CompletableFuture.completedFuture(whole);
        }
        return budget.run(LedgerFile.ENTRY_BYTES_MAX, this::viewOfOpen);
    }

    private CompletableFuture<View> viewOfOpen() {
        return ledger.readLastAddConfirmedAsync().thenCompose(answered -> {
            if (ledger.isClosed()) {
                return CompletableFuture.completedFuture(ofClosed());
            }
            long last = Math.max(answered, ledger.getLastAddConfirmed()); // Not all bookies know it.
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
        EntrySearch search = search(view, offset);
        // The entry after the end of the last read most likely holds bytes, so it is not looked at first.
        CompletableFuture<Place> first = search.lowStart() == offset
                ? CompletableFuture.completedFuture(new Place(search.low(), offset))
                : find(view, search, offset, 0);
        return first.thenCompose(from -> gather(view, from, offset, until, ByteString.EMPTY, 0));
    }

    /** A search between the nearest entries whose places are known. */
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

    /** The entry that holds the byte at an offset. */
    private CompletableFuture<Place> find(View view, EntrySearch search, long offset, int attempt) {
        if (search.isOver()) {
            return CompletableFuture.completedFuture(new Place(search.low(), search.lowStart()));
        }
        long guess = search.guess(offset, attempt);
        return look(view, guess)
                .thenCompose(seen ->
                        find(view, search.narrowed(guess, seen.start(), seen.end(), offset), offset, attempt + 1));
    }

    /** The place of one entry. Immutable. */
    private record Seen(long start, long end) {}

    private CompletableFuture<Seen> look(View view, long id) {
        return entries(view, new Fit(id, 1, LedgerFile.ENTRY_BYTES_MAX)).thenApply(entries -> {
            try (entries) {
                LedgerEntry entry = entries.getEntry(id);
                remember(entry);
                return new Seen(start(entry), entry.getLength());
            }
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
        places.merge(entry.getLength(), entry.getEntryId() + 1, Math::max);
    }

    private CompletableFuture<LedgerEntries> entries(View view, Fit which) {
        return budget.run(Math.min(which.bytesMax(), view.end()), () -> ledger.readAsync(which.first(), which.last()))
                .exceptionally(failure -> {
                    if (Failures.cause(failure) instanceof BKException.BKDigestMatchException) {
                        throw new DfsException(
                                Reason.DAMAGED, path + ": no copy of an entry matches its checksum", failure);
                    }
                    throw new java.util.concurrent.CompletionException(Failures.cause(failure));
                });
    }

    private static long averageBytes(View view) {
        return Math.max(1, view.end() / (view.lastEntry() + 1));
    }

    /**
     * Reads window by window. All entries of a window are requested at once. Their sizes are not known before: a window tries twice as many
     * entries as the one before, or fewer if fewer of the same size suffice.
     *
     * @param from no entry before it holds the byte at the offset
     * @param tried the number of entries of the previous window's size that would bring half of what is needed
     */
    private CompletableFuture<ByteString> gather(
            View view, Place from, long offset, long until, ByteString before, long tried) {
        if (offset >= until || from.entry() > view.lastEntry()) {
            return CompletableFuture.completedFuture(before);
        }
        long bytes = Math.min(WINDOW_BYTES, until - from.start() + LedgerFile.ENTRY_BYTES_MAX);
        long wanted = Math.min(
                Math.max(2 * tried, likelyEntries(view, Math.min(bytes, until - from.start()))), WINDOW_ENTRIES);
        return fitting(view, from, Math.min(wanted, view.lastEntry() - from.entry() + 1), bytes)
                .thenCompose(fit -> search(view, offset).low() > fit.last()
                        ? gatherBehind(view, offset, until, before)
                        : gather(view, fit, offset, until, before));
    }

    /** One too many costs little among many, and twice as much as is needed if one would do. */
    private static long likelyEntries(View view, long bytes) {
        long average = averageBytes(view);
        long whole = bytes / average;
        return whole < CERTAIN_ENTRIES ? Math.max(1, (bytes + average / 2) / average) : whole + 1;
    }

    private CompletableFuture<ByteString> gather(View view, Fit which, long offset, long until, ByteString before) {
        long last = which.last();
        return entries(view, which).thenCompose(entries -> {
            ByteString all = before;
            long at = offset;
            try (entries) {
                for (LedgerEntry each : entries) {
                    ByteString bytes = part(each, at, until);
                    all = all.concat(bytes);
                    at += bytes.size();
                    if (each.getEntryId() == last || at >= until) {
                        remember(each);
                        // The next read may begin inside of it.
                        places.merge(start(each), each.getEntryId(), Math::max);
                    }
                }
            }
            long brought = at - offset;
            return brought == 0
                    ? gatherBehind(view, offset, until, all)
                    : gather(view, new Place(last + 1, at), at, until, all, like(which.count(), brought, until - at));
        });
    }

    /** Passes over barriers, of which there may be a great many, by search. The last one that was seen is remembered. */
    private CompletableFuture<ByteString> gatherBehind(View view, long offset, long until, ByteString before) {
        return find(view, search(view, offset), offset, 0)
                .thenCompose(from -> gather(view, from, offset, until, before, 0));
    }

    /** Entries of which it is known how many bytes they hold at most. Immutable. */
    private record Fit(long first, long count, long bytesMax) {
        long last() {
            return first + count - 1;
        }
    }

    /** The number of entries of the same size that would bring half of what is left, at most {@code count}. */
    private static long like(long count, long brought, long left) {
        return Math.min(count, count * left / (2 * brought));
    }

    /** At most {@code count} entries that hold no more than these bytes, or one entry. The end of the last one shows their size. */
    private CompletableFuture<Fit> fitting(View view, Place from, long count, long bytes) {
        long certain = Math.max(1, bytes / LedgerFile.ENTRY_BYTES_MAX);
        if (count <= certain) {
            return CompletableFuture.completedFuture(new Fit(from.entry(), count, count * LedgerFile.ENTRY_BYTES_MAX));
        }
        return look(view, from.entry() + count - 1)
                .thenCompose(seen -> seen.end() - from.start() <= bytes
                        ? CompletableFuture.completedFuture(new Fit(from.entry(), count, seen.end() - from.start()))
                        : fitting(view, from, Math.max(certain, count / 2), bytes));
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
