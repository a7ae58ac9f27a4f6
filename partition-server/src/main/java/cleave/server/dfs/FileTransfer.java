package cleave.server.dfs;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.ExactRead;
import cleave.model.manifest.Manifest;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Copies whole files between a local folder and the DFS. Thread-safe; blocks its caller. */
public final class FileTransfer {
    private static final int PIECE_BYTES = 2 << 20;
    private static final int PIECES_UNDER_WAY = 4;

    private final Dfs dfs;

    public FileTransfer(Dfs dfs) {
        this.dfs = dfs;
    }

    /** Copies a local file to a fresh path, where it is durable and sealed afterwards, or nothing is; answers its length. */
    public long upload(Path local, String path) throws IOException {
        DfsFile file = await(dfs.create(path));
        boolean whole = false;
        try {
            long length = copy(local, file);
            long sealed = await(dfs.seal(path));
            if (sealed != length) {
                throw new IOException(path + " was sealed at " + sealed + " of " + length + " bytes");
            }
            whole = true;
            return length;
        } finally {
            if (!whole) {
                discard(path);
            }
            file.close();
        }
    }

    private static long copy(Path local, DfsFile file) throws IOException {
        long length = 0;
        try (InputStream in = Files.newInputStream(local)) {
            Deque<CompletableFuture<Long>> underWay = new ArrayDeque<>();
            for (byte[] piece = in.readNBytes(PIECE_BYTES); piece.length > 0; piece = in.readNBytes(PIECE_BYTES)) {
                underWay.add(file.append(UnsafeByteOperations.unsafeWrap(piece), Purpose.CHECKPOINT));
                length += piece.length;
                if (underWay.size() >= PIECES_UNDER_WAY) {
                    await(underWay.remove());
                }
            }
            while (!underWay.isEmpty()) {
                await(underWay.remove());
            }
        }
        return length;
    }

    /** Copies a file of a checkpoint to its name in a local folder. */
    public void download(Manifest.File file, Path folder) throws IOException {
        Path local = folder.resolve(file.localName());
        if (!folder.equals(local.getParent())) {
            throw new IOException("a checkpoint's file cannot be called " + file.localName());
        }
        try (OutputStream out = Files.newOutputStream(local)) {
            long offset = 0;
            while (offset < file.length()) {
                int piece = (int) Math.min(PIECE_BYTES, file.length() - offset);
                ByteString bytes = await(ExactRead.of(dfs, file.path(), offset, piece));
                if (bytes.isEmpty()) {
                    throw new IOException(file.path() + " ends at " + offset + ", before " + file.length());
                }
                bytes.writeTo(out);
                offset += bytes.size();
            }
        }
    }

    /** Deletes a file that was uploaded by this process, if that is possible. */
    public void discard(String path) {
        dfs.delete(path);
    }

    private static <T> T await(CompletableFuture<T> work) throws IOException {
        try {
            return work.join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof DfsException answer) {
                throw new IOException(answer.getMessage(), answer);
            }
            throw failure;
        }
    }
}
