package cleave.server.loop;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.loop.EventLoop;
import cleave.model.Damaged;
import cleave.model.Manifest;
import cleave.server.state.LogPosition;
import cleave.server.state.LogRecord;
import cleave.server.state.LogRecordReader;
import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Replays one sealed log, from its position in a manifest to exactly its sealed length. Confined to the range's loop.
 *
 * <p>Invariant I3: an end before the sealed length is a failure, never an end.
 */
final class LogReplay {
    private static final int PIECE_BYTES = 1 << 20;

    private final EventLoop loop;
    private final Dfs dfs;
    private final Manifest.Log log;
    private final long sealedLength;
    private final BiConsumer<LogRecord, LogPosition> apply;
    private final LogRecordReader reader;
    private final CompletableFuture<Long> done = new CompletableFuture<>();
    private long offset;

    /** {@code apply} is given each record and the position behind it. */
    LogReplay(EventLoop loop, Dfs dfs, Manifest.Log log, long sealedLength, BiConsumer<LogRecord, LogPosition> apply) {
        this.loop = loop;
        this.dfs = dfs;
        this.log = log;
        this.sealedLength = sealedLength;
        this.apply = apply;
        this.offset = log.offset();
        this.reader = new LogRecordReader(new LogPosition(log.path(), log.offset(), log.sequence()));
    }

    /** Completes inside the loop, with the bytes replayed. */
    CompletableFuture<Long> run() {
        if (sealedLength < log.offset()) {
            done.completeExceptionally(
                    new Damaged("log " + log.path() + " ends at " + sealedLength + ", before " + log.offset()));
        } else {
            step();
        }
        return done;
    }

    private void step() {
        if (offset == sealedLength) {
            done.complete(reader.position().offset() - log.offset()); // What is left was cut by the seal.
            return;
        }
        int piece = (int) Math.min(PIECE_BYTES, sealedLength - offset);
        Hop.back(loop, dfs.read(log.path(), offset, piece), this::took);
    }

    private void took(@Nullable ByteString bytes, @Nullable Throwable failure) {
        if (bytes == null) {
            done.completeExceptionally(failure == null ? new IllegalStateException("no bytes") : failure);
        } else if (bytes.isEmpty()) {
            done.completeExceptionally(new DfsException(
                    DfsException.Reason.UNAVAILABLE,
                    "log " + log.path() + " ends at " + offset + ", before its sealed length " + sealedLength));
        } else {
            try {
                applyAll(bytes);
            } catch (Damaged | StoreException bad) {
                done.completeExceptionally(bad);
                return;
            }
            step();
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
