package cleave.deploy.backup;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint files of a backup, as a DFS that can only be read. Thread-safe. A file is read from its beginning to its end, piece by piece;
 * if its checksum does not match then, its last piece is damaged. Other orders of reading begin anew for each piece.
 */
final class BackupDfs implements Dfs {
    private final BackupFolder folder;
    private final Map<String, Piece> pieces = new HashMap<>();
    private final Map<String, Integer> checksums = new HashMap<>();
    private final ReentrantLock reading = new ReentrantLock();
    /** The file that is being read; null if there is none. */
    private @Nullable Sequence current;

    BackupDfs(BackupFolder folder, BackupIndex index) {
        this.folder = folder;
        index.checksums().forEach((piece, checksum) -> {
            if (piece.from() == 0) {
                pieces.put(piece.path(), piece);
                checksums.put(piece.path(), checksum);
            }
        });
    }

    /** One file, read in order. */
    private final class Sequence {
        private final Piece piece;
        private final int checksum;
        private final InputStream in;
        private final CRC32C crc = new CRC32C();
        private final boolean isWhole;
        private long at;

        Sequence(Piece piece, int checksum, long from) throws IOException {
            this.piece = piece;
            this.checksum = checksum;
            this.in = folder.open(piece, checksum);
            this.isWhole = from == 0;
            this.at = from;
            in.skipNBytes(from);
        }

        byte[] read(int length) throws IOException {
            byte[] bytes = in.readNBytes((int) Math.min(length, piece.length() - at));
            crc.update(bytes);
            at += bytes.length;
            if (at == piece.length() && isWhole && (int) crc.getValue() != checksum) {
                throw new DfsException(Reason.DAMAGED, piece.path() + " is damaged in the backup");
            }
            return bytes;
        }
    }

    @Override
    public CompletableFuture<ByteString> read(String path, long offset, int length) {
        reading.lock();
        try {
            Sequence from = current;
            if (from == null || !from.piece.path().equals(path) || from.at != offset) {
                end();
                Piece piece = pieces.get(path);
                if (piece == null) {
                    throw new DfsException(Reason.NOT_FOUND, "the backup does not hold " + path);
                }
                from = new Sequence(piece, checksums.getOrDefault(path, 0), offset);
                current = from;
            }
            return CompletableFuture.completedFuture(UnsafeByteOperations.unsafeWrap(from.read(length)));
        } catch (DfsException answer) {
            return CompletableFuture.failedFuture(answer);
        } catch (NoSuchFileException missing) {
            return CompletableFuture.failedFuture(new DfsException(Reason.DAMAGED, missing.getFile() + " is missing"));
        } catch (IOException failed) {
            return CompletableFuture.failedFuture(new DfsException(
                    Reason.UNAVAILABLE,
                    String.valueOf(folder.place().failure(failed).getMessage())));
        } finally {
            reading.unlock();
        }
    }

    private void end() throws IOException {
        Sequence ended = current;
        current = null;
        if (ended != null) {
            ended.in.close();
        }
    }

    @Override
    public CompletableFuture<FileInfo> stat(String path) {
        Piece piece = pieces.get(path);
        return piece == null
                ? CompletableFuture.failedFuture(new DfsException(Reason.NOT_FOUND, "the backup does not hold " + path))
                : CompletableFuture.completedFuture(new FileInfo(path, piece.length(), true));
    }

    private static <T> CompletableFuture<T> readOnly() {
        return CompletableFuture.failedFuture(new DfsException(Reason.UNAVAILABLE, "a backup can only be read"));
    }

    @Override
    public CompletableFuture<DfsFile> create(String path) {
        return readOnly();
    }

    @Override
    public CompletableFuture<Long> seal(String path) {
        return readOnly();
    }

    @Override
    public CompletableFuture<List<FileInfo>> list(String prefix) {
        return readOnly();
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        return readOnly();
    }

    @Override
    public void close() {
        reading.lock();
        try {
            end();
        } catch (IOException unread) {
            return; // Nothing is lost.
        } finally {
            reading.unlock();
        }
    }
}
