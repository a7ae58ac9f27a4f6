package cleave.server.range;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.concurrent.CompletableFuture;

/** Reads and writes the file that a range's row names. Thread-safe. */
public final class ManifestFiles {
    /** Far above the size of any manifest. */
    private static final int BYTES_MAX = 64 << 20;

    private static final int PIECE_BYTES = 1 << 20;

    private final Dfs dfs;

    public ManifestFiles(Dfs dfs) {
        this.dfs = dfs;
    }

    /** Writes a new file; completes when it is whole, durable and sealed. */
    public CompletableFuture<Void> write(DfsFile file, Manifest manifest, Purpose purpose) {
        String path = file.path();
        byte[] bytes = ManifestCodec.encode(manifest);
        return file.append(UnsafeByteOperations.unsafeWrap(bytes), purpose)
                .thenCompose(length -> dfs.seal(path))
                .whenComplete((length, failure) -> file.close())
                .thenAccept(length -> {
                    if (length != bytes.length) {
                        throw new DfsException(
                                DfsException.Reason.BROKEN,
                                "manifest " + path + " was sealed at " + length + " of " + bytes.length + " bytes");
                    }
                });
    }

    /**
     * Fails with the failure of the DFS, or with {@link cleave.model.Damaged}. A manifest contains its length, so mostly the DFS is asked
     * once.
     */
    public CompletableFuture<Manifest> read(String path) {
        return dfs.read(path, 0, PIECE_BYTES)
                .thenCompose(bytes -> ManifestCodec.isWhole(bytes)
                        ? CompletableFuture.completedFuture(bytes)
                        : dfs.stat(path).thenCompose(file -> readOn(path, bounded(file), bytes)))
                .thenApply(bytes -> ManifestCodec.decode(bytes.toByteArray()));
    }

    private static long bounded(Dfs.FileInfo file) {
        if (file.length() > BYTES_MAX) {
            throw new DfsException(
                    DfsException.Reason.DAMAGED, "manifest " + file.path() + " has " + file.length() + " bytes");
        }
        return file.length();
    }

    private CompletableFuture<ByteString> readOn(String path, long length, ByteString soFar) {
        if (soFar.size() >= length) {
            return CompletableFuture.completedFuture(soFar);
        }
        int piece = (int) Math.min(PIECE_BYTES, length - soFar.size());
        return dfs.read(path, soFar.size(), piece).thenCompose(bytes -> {
            if (bytes.isEmpty()) {
                throw new DfsException(
                        DfsException.Reason.UNAVAILABLE, path + " ends at " + soFar.size() + ", before " + length);
            }
            return readOn(path, length, soFar.concat(bytes));
        });
    }
}
