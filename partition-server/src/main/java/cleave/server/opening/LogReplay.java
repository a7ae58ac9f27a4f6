package cleave.server.opening;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.ExactRead;
import cleave.model.Damaged;
import cleave.model.Invariant;
import cleave.model.manifest.Manifest;
import cleave.runtime.loop.EventLoop;
import cleave.server.outside.StoreException;
import cleave.server.state.LogPosition;
import cleave.server.state.LogRecord;
import cleave.server.state.LogRecordReader;
import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Replays one log from its position in a manifest: optionally first while its writer still appends, then to exactly its
 * sealed length. Confined to the range's loop.
 *
 * <p>Invariant I3: an open log can be read only as far as it is acknowledged, which no seal ever cuts off; less of it may
 * be visible, so its visible end means nothing. A log that ends before its sealed length is a failure.
 */
public final class LogReplay {
    /** Small enough that replaying one piece does not delay the loop's other ranges. */
    private static final int PIECE_BYTES = 256 << 10;

    /**
     * Bytes of a sealed log that one read asks for, while those before are replayed. An engine that stores a log in entries reads whole ones,
     * up to as large as an append: small reads would get each of them several times.
     */
    static final int READ_BYTES = 2 << 20;

    /** Number of consecutive short reads that mean the end of the log; a single one may be due to an extent's end. */
    private static final int SHORT_READS = 2;

    private static final long POLL_NANOS_LEAST = 2_000_000;
    private static final long POLL_NANOS_MOST = 50_000_000;

    private final EventLoop loop;
    private final Dfs dfs;
    private final Manifest.Log log;
    private final BiConsumer<LogRecord, LogPosition> apply;
    private final LogRecordReader reader;
    private final CompletableFuture<Void> near = new CompletableFuture<>();
    private final CompletableFuture<Long> done = new CompletableFuture<>();
    private long offset;
    private @Nullable Long sealedLength;
    private boolean reading;
    /** The next read of the sealed log; null if there is none. */
    private @Nullable CompletableFuture<ByteString> ahead;
    /** The place where that begins: at the offset, or behind what is being replayed. */
    private long aheadFrom;

    private EventLoop.@Nullable Timer poll;
    private long pollNanos = POLL_NANOS_LEAST;
    private int shortReads;
    private @Nullable Throwable bad;
    private boolean stopped;

    /** {@code apply} receives each record and the position behind it. */
    public LogReplay(EventLoop loop, Dfs dfs, Manifest.Log log, BiConsumer<LogRecord, LogPosition> apply) {
        this.loop = loop;
        this.dfs = dfs;
        this.log = log;
        this.apply = apply;
        this.offset = log.offset();
        this.reader = new LogRecordReader(new LogPosition(log.path(), log.offset(), log.sequence()));
    }

    Manifest.Log log() {
        return log;
    }

    /**
     * Follows the log as it grows. Completes inside the loop when it has reached the current end for the first time.
     */
    public CompletableFuture<Void> follow() {
        loop.assertInside();
        step();
        return near;
    }

    /** Asks for what {@link #to} will replay first, while that cannot begin yet. */
    public void readAhead(long length) {
        loop.assertInside();
        if (ahead == null && !reading && offset < length) {
            askAhead(offset, length);
        }
    }

    private void askAhead(long from, long length) {
        aheadFrom = from;
        ahead = read(from, length);
    }

    /** Replays to exactly this length. Completes inside the loop, with the total of bytes replayed. */
    public CompletableFuture<Long> to(long length) {
        loop.assertInside();
        Invariant.check(sealedLength == null || sealedLength == length, "%s has two lengths", log.path());
        sealedLength = length;
        if (bad != null) {
            done.completeExceptionally(bad);
        } else if (length < offset) {
            done.completeExceptionally(new Damaged("log " + log.path() + " ends at " + length + ", before " + offset));
        } else if (!reading && !done.isDone()) {
            step();
        }
        return done;
    }

    boolean isDone() {
        return done.isDone();
    }

    /** Stops reading. */
    void stop() {
        loop.assertInside();
        stopped = true;
        cancelPoll();
    }

    private void cancelPoll() {
        if (poll != null) {
            poll.cancel();
            poll = null;
        }
    }

    private void step() {
        cancelPoll();
        Long length = sealedLength;
        if (stopped) {
            return;
        }
        if (length != null && offset == length) {
            done.complete(reader.position().offset() - log.offset()); // What is left was cut by the seal.
            return;
        }
        reading = true;
        CompletableFuture<ByteString> bytes = ahead;
        if (bytes == null || aheadFrom != offset || bytes.isCompletedExceptionally()) { // It may have failed long ago.
            bytes = length == null ? dfs.read(log.path(), offset, PIECE_BYTES) : read(offset, length);
        }
        ahead = null;
        loop.whenDone(bytes, (some, failure) -> took(some, failure, length != null));
    }

    private CompletableFuture<ByteString> read(long from, long length) {
        return ExactRead.of(dfs, log.path(), from, (int) Math.min(READ_BYTES, length - from));
    }

    private void took(@Nullable ByteString bytes, @Nullable Throwable failure, boolean ofSealed) {
        reading = false;
        if (stopped) {
            return;
        }
        if (bytes == null || bytes.isEmpty()) {
            if (sealedLength != null && !ofSealed) {
                step(); // It was asked for before the log was known to be sealed: there may be more.
            } else {
                nothing(failure);
            }
            return;
        }
        Long length = sealedLength;
        if (length != null && offset + bytes.size() < length) {
            askAhead(offset + bytes.size(), length);
        }
        replay(bytes);
    }

    /** A piece in each turn of the loop. */
    private void replay(ByteString bytes) {
        reading = false;
        if (stopped) {
            return;
        }
        ByteString piece = bytes.substring(0, Math.min(PIECE_BYTES, bytes.size()));
        ByteString rest = bytes.substring(piece.size());
        try {
            applyAll(piece);
        } catch (Damaged | StoreException why) {
            bad = why;
            near.completeExceptionally(why);
            done.completeExceptionally(why);
            return;
        }
        if (!rest.isEmpty()) {
            reading = true;
            loop.submit(() -> replay(rest));
            return;
        }
        pollNanos = POLL_NANOS_LEAST;
        shortReads = piece.size() < PIECE_BYTES ? shortReads + 1 : 0;
        if (sealedLength == null && shortReads >= SHORT_READS) {
            near.complete(null); // Its writer may go on forever.
            poll = loop.schedule(pollNanos, this::step);
        } else if (sealedLength != null && offset > sealedLength) {
            done.completeExceptionally(
                    new Damaged("log " + log.path() + " ends at " + sealedLength + ", before " + offset));
        } else {
            step();
        }
    }

    private void nothing(@Nullable Throwable failure) {
        if (sealedLength != null && offset < sealedLength) {
            done.completeExceptionally(
                    failure != null
                            ? failure
                            : new DfsException(
                                    DfsException.Reason.UNAVAILABLE,
                                    "log " + log.path() + " ends at " + offset + ", before its sealed length "
                                            + sealedLength));
        } else if (sealedLength != null) {
            step();
        } else if (failure != null && !near.isDone()) {
            near.completeExceptionally(failure);
        } else {
            near.complete(null);
            poll = loop.schedule(pollNanos, this::step);
            pollNanos = Math.min(POLL_NANOS_MOST, 2 * pollNanos);
        }
    }

    private void applyAll(ByteString bytes) {
        offset += bytes.size();
        reader.feed(bytes);
        for (LogRecord record = reader.next(); record != null; record = reader.next()) {
            apply.accept(record, reader.position());
        }
    }
}
