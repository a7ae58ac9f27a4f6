package cleave.server.range;

import cleave.dfs.DfsException;
import cleave.dfs.ExactRead;
import cleave.model.Damaged;
import cleave.model.Row;
import cleave.model.manifest.Manifest;
import cleave.runtime.loop.EventLoop;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.state.Ownership;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what a range has at rest, a piece at a time, to find damage while another copy is good, and has it repaired. The public methods
 * may be called on any thread; all else is confined to the range's loop.
 *
 * <p>A file of a checkpoint lies in the DFS and, unless it was compacted away, in the store. What is damaged in the DFS alone is left out of
 * a checkpoint that is made soon: it uploads the store's copy, or what has replaced it, under a new path. What is damaged in the store
 * alone makes the range open again from the DFS. What is damaged in both stays, is reported, and is looked at again in each pass, for
 * the DFS may heal. A manifest and the logs before the current one lie in the DFS alone; what they say is in memory or in the store,
 * so that the same checkpoint replaces them.
 *
 * <p>A file may be deleted while it is read, because a newer manifest does not name it. So nothing is concluded of a file that is not
 * named any more by then.
 */
public final class RangeScrub {
    private static final Logger LOG = LoggerFactory.getLogger(RangeScrub.class);
    private static final int PIECE_BYTES = 256 << 10;

    private final Range.Outside outside;
    private final Ownership ownership;
    private final StateMachine machine;
    private final StoreFailures failures;
    /** Damaged in the DFS, and to be left out of the next checkpoint. */
    private final TreeSet<String> repairing = new TreeSet<>();

    private @Nullable Parts parts;
    /** The last file that this pass has begun. */
    private String last = "";

    private @Nullable Reading reading;

    /** The parts of the range that it needs. */
    private record Parts(RangeStore store, Publisher publisher, Checkpoints checkpoints) {}

    /** The end of a step. */
    public enum Outcome {
        READ,
        /** The copies of a file could not be compared now; this pass leaves it out. */
        UNREAD,
        /** The pass has ended, or the range. */
        DONE
    }

    /** @param bytes that were read, in all places */
    public record Progress(long bytes, Outcome outcome) {}

    /**
     * A file that a manifest names.
     *
     * @param from where to begin
     * @param file of a checkpoint; null for a log, and for the manifest itself
     */
    private record Item(String path, long from, Manifest.@Nullable File file) {}

    /** The state of one copy, as far as it was read. */
    private enum Copy {
        GOOD,
        ABSENT,
        DAMAGED,
        UNKNOWN
    }

    /** One read of a copy. */
    private record Piece(ByteString bytes, Copy copy) {
        static Piece of(Copy copy) {
            return new Piece(ByteString.EMPTY, copy);
        }
    }

    /** One file that is being read, all of it at most twice. */
    private static final class Reading {
        private final Item item;
        private final boolean isRepeated;
        private final CRC32C dfsSum = new CRC32C();
        private final CRC32C localSum = new CRC32C();
        private Copy dfs = Copy.GOOD;
        private Copy local;
        private long offset;
        private boolean differs;

        Reading(Item item, boolean isRepeated) {
            this.item = item;
            this.isRepeated = isRepeated;
            this.local = item.file() == null ? Copy.ABSENT : Copy.GOOD;
            this.offset = item.from();
        }

        boolean isDamaged() {
            return dfs == Copy.DAMAGED || local == Copy.DAMAGED || differs;
        }
    }

    RangeScrub(Range.Outside outside, Ownership ownership, StateMachine machine, StoreFailures failures) {
        this.outside = outside;
        this.ownership = ownership;
        this.machine = machine;
        this.failures = failures;
    }

    /** The range is opened. */
    void opened(RangeStore store, Publisher publisher, Checkpoints checkpoints) {
        outside.loop().assertInside();
        parts = new Parts(store, publisher, checkpoints);
    }

    /** Begins a pass over all files. */
    public void begin() {
        outside.loop().submit(() -> {
            last = "";
            reading = null;
        });
    }

    /** Reads the next piece of this pass. One at a time. */
    public CompletableFuture<Progress> next() {
        CompletableFuture<Progress> answer = new CompletableFuture<>();
        outside.loop().submit(() -> read(answer));
        return answer;
    }

    private void read(CompletableFuture<Progress> answer) {
        outside.loop().assertInside();
        Parts now = parts;
        if (now == null || machine.isClosed()) {
            answer.complete(new Progress(0, Outcome.DONE));
            return;
        }
        if (reading == null) {
            Item item = itemAfter(now, last);
            if (item == null) {
                answer.complete(new Progress(0, Outcome.DONE));
                return;
            }
            last = item.path();
            reading = new Reading(item, false);
        }
        Reading of = reading;
        long begin = of.offset;
        CompletableFuture<Piece> dfs = ofDfs(now, of);
        CompletableFuture<Piece> local = ofStore(now, of);
        outside.loop().whenDone(dfs.thenCombine(local, (one, other) -> List.of(one, other)), (pieces, never) -> {
            if (pieces != null && reading == of && of.offset == begin) {
                answer.complete(took(now, of, pieces.get(0), pieces.get(1)));
            } else {
                answer.complete(new Progress(0, Outcome.UNREAD)); // Another pass has begun.
            }
        });
    }

    /** The next one by path. */
    private static @Nullable Item itemAfter(Parts now, String path) {
        TreeMap<String, Item> all = new TreeMap<>();
        Manifest manifest = now.publisher().manifest();
        for (Manifest.Checkpoint checkpoint : manifest.checkpoints()) {
            for (Manifest.File file : checkpoint.files().stored()) {
                all.put(file.path(), new Item(file.path(), 0, file));
            }
        }
        List<Manifest.Log> logs = manifest.logs();
        for (Manifest.Log log : logs.subList(0, Math.max(0, logs.size() - 1))) { // The last one is being written.
            all.putIfAbsent(log.path(), new Item(log.path(), log.offset(), null));
        }
        String own = now.publisher().row().manifest();
        if (own != null) {
            all.put(own, new Item(own, 0, null));
        }
        var next = all.higherEntry(path);
        return next == null ? null : next.getValue();
    }

    private static int lengthOf(Reading of) {
        Manifest.File file = of.item.file();
        return file == null ? PIECE_BYTES : (int) Math.min(PIECE_BYTES, file.length() - of.offset);
    }

    private CompletableFuture<Piece> ofDfs(Parts now, Reading of) {
        String path = of.item.path();
        int length = lengthOf(of);
        if (of.dfs != Copy.GOOD || length == 0) {
            return CompletableFuture.completedFuture(Piece.of(of.dfs));
        }
        if (path.equals(now.publisher().row().manifest())) {
            return new ManifestFiles(outside.dfs())
                    .read(path)
                    .handle((manifest, failure) -> failure == null ? Piece.of(Copy.GOOD) : failed(failure));
        }
        return ExactRead.of(outside.dfs(), path, of.offset, length).handle((bytes, failure) -> {
            if (failure != null) {
                return failed(failure);
            }
            boolean isCut = of.item.file() != null && bytes.size() < length;
            return new Piece(bytes, isCut ? Copy.DAMAGED : Copy.GOOD);
        });
    }

    private static Piece failed(Throwable failure) {
        Throwable why = EventLoop.cause(failure);
        if (why instanceof Damaged) {
            return Piece.of(Copy.DAMAGED);
        }
        if (why instanceof DfsException answer) {
            return Piece.of(
                    switch (answer.reason()) {
                        case DAMAGED, NOT_FOUND, DELETED -> Copy.DAMAGED;
                        case EXISTS, SEALED, UNAVAILABLE, NO_SPACE, BROKEN, INVALID -> Copy.UNKNOWN;
                    });
        }
        return Piece.of(Copy.UNKNOWN);
    }

    private static CompletableFuture<Piece> ofStore(Parts now, Reading of) {
        Manifest.File file = of.item.file();
        int length = lengthOf(of);
        if (of.local != Copy.GOOD || file == null || length == 0) {
            return CompletableFuture.completedFuture(Piece.of(of.local));
        }
        return now.store().read(file, of.offset, length).handle((bytes, failure) -> {
            if (failure == null) {
                return bytes.map(its -> new Piece(its, Copy.GOOD)).orElse(Piece.of(Copy.ABSENT));
            }
            boolean isDamage = EventLoop.cause(failure) instanceof StoreException why
                    && why.kind() == StoreException.Kind.LOCAL_DAMAGE;
            return Piece.of(isDamage ? Copy.DAMAGED : Copy.UNKNOWN);
        });
    }

    private Progress took(Parts now, Reading of, Piece dfs, Piece local) {
        long bytes = (long) dfs.bytes().size() + local.bytes().size();
        outside.metrics().scrubbedBytes.inc((double) bytes);
        of.dfs = dfs.copy();
        of.local = local.copy();
        if (machine.isClosed()) {
            return new Progress(bytes, Outcome.DONE);
        }
        if (of.dfs == Copy.UNKNOWN || of.local == Copy.UNKNOWN) {
            reading = null;
            return new Progress(bytes, Outcome.UNREAD);
        }
        int length = lengthOf(of);
        if (of.dfs == Copy.GOOD && of.local == Copy.GOOD) {
            of.differs |= !dfs.bytes().equals(local.bytes());
        }
        add(dfs.bytes(), of.dfsSum);
        add(local.bytes(), of.localSum);
        of.offset += length;
        Manifest.File file = of.item.file();
        boolean isAll = file == null
                ? dfs.bytes().size() < length
                : of.offset >= file.length() || (of.dfs != Copy.GOOD && of.local != Copy.GOOD);
        if (isAll) {
            sum(of);
            boolean again = of.isDamaged() && !of.isRepeated;
            reading = again ? new Reading(of.item, true) : null;
            if (!again) {
                judge(now, of);
            }
        }
        return new Progress(bytes, Outcome.READ);
    }

    private static void add(ByteString bytes, CRC32C sum) {
        for (ByteBuffer part : bytes.asReadOnlyByteBufferList()) {
            sum.update(part);
        }
    }

    /** All was read. */
    private static void sum(Reading of) {
        Manifest.File file = of.item.file();
        Integer right = file == null ? null : file.checksum();
        if (right != null) {
            of.differs = false; // The checksum tells more.
            of.dfs = of.dfs == Copy.GOOD && right != (int) of.dfsSum.getValue() ? Copy.DAMAGED : of.dfs;
            of.local = of.local == Copy.GOOD && right != (int) of.localSum.getValue() ? Copy.DAMAGED : of.local;
        }
    }

    private void judge(Parts now, Reading of) {
        String path = of.item.path();
        if (!of.isDamaged() || !now.publisher().names(path)) {
            return;
        }
        Manifest.File file = of.item.file();
        boolean isKnown = failures.damagedFiles().contains(path);
        boolean isLocal = of.local == Copy.DAMAGED;
        boolean isDfs = of.dfs == Copy.DAMAGED;
        if (file != null && file.checksum() == null && of.local == Copy.GOOD) {
            // Nobody knows which of two different copies is right. The store's was, block by block, when it was opened,
            // unless it is known
            // to be damaged; and the checkpoint that uploads it verifies it.
            isLocal = isKnown;
            isDfs |= !isKnown;
        }
        if (!isDfs) {
            count(path, "local");
            failures.failed(new StoreException(
                    StoreException.Kind.LOCAL_DAMAGE,
                    "the scrub found that the copy of " + path + " is not what was written"));
        } else if (!isLocal || file == null) {
            repair(now, of.item);
        } else if (!isKnown) {
            count(path, "dfs");
            count(path, "local");
            repairing.remove(path);
            now.store().lost(file);
            failures.damaged(now.store().damagedFiles());
        }
    }

    private void repair(Parts now, Item item) {
        if (repairing.add(item.path())) {
            count(item.path(), "dfs");
        }
        if (item.file() != null) {
            now.store().uploadAgain(item.file());
        }
        now.checkpoints().renew();
    }

    private void count(String path, String place) {
        outside.metrics().scrubDamaged.labels(place).inc();
        LOG.error(
                "the scrub found a damaged file range={} place={} file={}", Row.idText(ownership.range()), place, path);
    }

    /** A manifest is published: what it does not name needs no repair any more. */
    void published() {
        outside.loop().assertInside();
        Parts now = parts;
        if (now == null) {
            return;
        }
        for (String path : List.copyOf(repairing)) {
            if (!now.publisher().names(path)) {
                repairing.remove(path);
                outside.metrics().scrubRepaired.inc();
                LOG.info("a damaged file of the DFS is replaced range={} file={}", Row.idText(ownership.range()), path);
            }
        }
    }
}
