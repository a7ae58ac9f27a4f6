package cleave.dfs;

import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;

/** Reads of bytes that are known to be there, from a manifest or from whoever sealed the file. Stateless. */
public final class ExactRead {
    private ExactRead() {}

    /**
     * Reads exactly these bytes; fewer only if the file ends before. A file that another process has sealed may still look
     * open here; then this asks for its state first, which makes everything visible.
     */
    public static CompletableFuture<ByteString> of(Dfs dfs, String path, long offset, int length) {
        return dfs.read(path, offset, length)
                .thenCompose(bytes -> bytes.size() == length
                        ? CompletableFuture.completedFuture(bytes)
                        : dfs.stat(path).thenCompose(known -> dfs.read(path, offset, length)));
    }
}
