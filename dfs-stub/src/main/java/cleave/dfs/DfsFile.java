package cleave.dfs;

import cleave.model.RequestId;
import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The writing end of one file. Thread-safe, but the order of appends is the order of calls, so one thread should call.
 *
 * <p>Appends are pipelined and become durable in order: if one completes, all before it are durable; if one fails, all
 * after it fail. An append fails when the <em>file</em> is sealed or deleted, there is no space for its purpose, or the
 * file breaks. Its outcome is then unknown until the file is sealed and its length read.
 *
 * <p>The implementation handles lost, slow and restarted replicas itself, for as long as it can. Where it cannot go on, the
 * file <b>breaks</b>, although nobody has sealed it: BROKEN. Many files may break at once, idle ones too, while no file can
 * be sealed or created (UNAVAILABLE). A broken file takes no more appends or barriers; it stays open until it is sealed,
 * which remains possible, and it keeps all that was acknowledged.
 */
public interface DfsFile {
    String path();

    /** An essential append. */
    default CompletableFuture<Long> append(ByteString bytes) {
        return append(bytes, Purpose.ESSENTIAL);
    }

    /**
     * Appends; completes with the file's length behind these bytes when they are on stable storage. The bytes are not
     * copied. Fails with NO_SPACE if the disk has too little space for this purpose; barriers and appends of any kind
     * fail afterwards.
     */
    CompletableFuture<Long> append(ByteString bytes, Purpose purpose);

    /**
     * The same; where the implementation logs something about this append, it names the request.
     *
     * @param request a client's, whose write is in the bytes
     * @param times where the implementation notes how long it took, if it knows; null if nobody asks
     */
    default CompletableFuture<Long> append(
            ByteString bytes, Purpose purpose, RequestId request, @Nullable AppendTimes times) {
        return append(bytes, purpose);
    }

    /**
     * An empty append: completes as soon as it is known that the file was not sealed when the barrier reached it.
     * Proves nothing about appends before it. Fails with SEALED, DELETED, NO_SPACE or BROKEN.
     */
    CompletableFuture<Void> barrier();

    /** The purpose of bytes, which decides whether they are accepted when space is short. */
    enum Purpose {
        /** Small, and needed to free space; waits while the disk is full. */
        ESSENTIAL,
        /** The manifest without which a range is not served: may use part of what is left on a full disk, and waits behind that. */
        SERVING,
        /** A file of a checkpoint: may use part of the reserve for freeing space. */
        CHECKPOINT,
        /** A client's write. */
        WRITE
    }

    /**
     * Gives the handle up, and nothing of it remains in this process once what is under way has ended. Appends and barriers
     * fail afterwards. A file that was not sealed before can never grow again, so the implementation may seal it, at once or
     * later. Idempotent.
     */
    void close();
}
