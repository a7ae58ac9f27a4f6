package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.model.Invariant;
import cleave.runtime.loop.EventLoop;
import cleave.server.state.LogPosition;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The writing end of one commit log, with its bookkeeping. Confined to the range's loop. */
final class LogWriter {
    private final EventLoop loop;
    private final DfsFile file;
    private long end;
    private long durable;
    private long sequence = LogPosition.FIRST_SEQUENCE;
    private int inFlight;

    LogWriter(EventLoop loop, DfsFile file) {
        this.loop = loop;
        this.file = file;
    }

    /** What becomes of an append or barrier; called inside the loop. */
    interface Ending {
        void ended(@Nullable Throwable failure);
    }

    /** Sends a record; answers the position behind it. */
    LogPosition append(ByteBuffer record, Purpose purpose, Ending ending) {
        end += record.remaining();
        sequence++;
        inFlight++;
        LogPosition behind = new LogPosition(path(), end, sequence);
        CompletableFuture<Long> append = file.append(UnsafeByteOperations.unsafeWrap(record), purpose);
        Hop.back(loop, append, (length, failure) -> {
            inFlight--;
            if (failure == null && length != null) {
                Invariant.check(length == behind.offset(), "%s: append ended at %s, not at %s", path(), length, behind);
                durable = Math.max(durable, length);
            }
            ending.ended(failure);
        });
        return behind;
    }

    void barrier(Ending ending) {
        Hop.back(loop, file.barrier(), (nothing, failure) -> ending.ended(failure));
    }

    String path() {
        return file.path();
    }

    /** Number of the next record. */
    long sequence() {
        return sequence;
    }

    /** Length of all that was sent. */
    long end() {
        return end;
    }

    /** Length of what is known to be durable. */
    long durable() {
        return durable;
    }

    /** Appends that were sent and have not ended. */
    int inFlight() {
        return inFlight;
    }

    void close() {
        file.close();
    }
}
