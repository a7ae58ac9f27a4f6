package cleave.deploy.backup;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.DfsIdentityFile;
import cleave.dfs.ExactRead;
import cleave.model.DfsIdentity;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;

/** Reads and copies whole DFS files, a few pieces at a time. Blocks its caller; failures are {@link DfsException}s. */
final class DfsFiles {
    private static final int PIECE_BYTES = 1 << 20;
    private static final int UNDER_WAY = 4;

    private final Dfs dfs;
    private final Waiting waiting;

    DfsFiles(Dfs dfs, Waiting waiting) {
        this.dfs = dfs;
        this.waiting = waiting;
    }

    private <T> T await(CompletableFuture<T> work) {
        return waiting.await(work);
    }

    /** The identity of the DFS; empty if it has none. */
    Optional<DfsIdentity> identity() {
        return await(DfsIdentityFile.read(dfs));
    }

    /** All files, by path. */
    List<Dfs.FileInfo> all() {
        return await(dfs.list(""));
    }

    Dfs.FileInfo stat(String path) {
        return await(dfs.stat(path));
    }

    Manifest manifest(String path) {
        int length = Math.toIntExact(stat(path).length());
        ByteString.Output bytes = ByteString.newOutput(length);
        try {
            read(path, 0, length, bytes);
        } catch (IOException impossible) {
            throw new AssertionError("writing to memory", impossible);
        }
        return ManifestCodec.decode(bytes.toByteString().toByteArray());
    }

    /** Exactly these bytes. */
    void read(String path, long from, long length, OutputStream out) throws IOException {
        try (InputStream content = content(path, from, length)) {
            content.transferTo(out);
        }
    }

    /** Exactly these bytes, read a few pieces ahead. For one thread. */
    InputStream content(String path, long from, long length) {
        return new Content(path, from, from + length);
    }

    private final class Content extends InputStream {
        private final String path;
        private final long end;
        private final ArrayDeque<CompletableFuture<ByteString>> underWay = new ArrayDeque<>();
        private long asked;
        private long come;
        private InputStream piece = InputStream.nullInputStream();

        Content(String path, long from, long end) {
            this.path = path;
            this.end = end;
            this.asked = from;
            this.come = from;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int at, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            int read = piece.read(into, at, length);
            while (read < 0 && come < end) {
                piece = next().newInput();
                read = piece.read(into, at, length);
            }
            return read;
        }

        private ByteString next() {
            while (asked < end && underWay.size() < UNDER_WAY) {
                int bytes = (int) Math.min(PIECE_BYTES, end - asked);
                underWay.add(ExactRead.of(dfs, path, asked, bytes));
                asked += bytes;
            }
            ByteString bytes = await(underWay.remove());
            come += bytes.size();
            if (bytes.isEmpty()) {
                throw new DfsException(Reason.UNAVAILABLE, path + " ends at " + come + ", before " + end);
            }
            if (come < asked && bytes.size() < PIECE_BYTES) {
                underWay.forEach(
                        DfsFiles.this
                                ::await); // The read ended at a boundary within the DFS; the rest is requested again.
                underWay.clear();
                asked = come;
            }
            return bytes;
        }
    }

    /** Copies to a new path, where the file is durable and sealed afterwards; returns the checksum of the bytes that were read. */
    int write(InputStream in, String path, long length) throws IOException {
        CRC32C crc = new CRC32C();
        DfsFile file = await(dfs.createStaged(path));
        try {
            ArrayDeque<CompletableFuture<Long>> underWay = new ArrayDeque<>();
            for (byte[] piece = in.readNBytes(PIECE_BYTES); piece.length > 0; piece = in.readNBytes(PIECE_BYTES)) {
                crc.update(piece, 0, piece.length);
                underWay.add(file.append(UnsafeByteOperations.unsafeWrap(piece), Purpose.CHECKPOINT));
                if (underWay.size() >= UNDER_WAY) {
                    await(underWay.remove());
                }
            }
            underWay.forEach(this::await);
            long sealed = await(dfs.seal(path));
            if (sealed != length) {
                throw new IOException(path + " was sealed at " + sealed + " of " + length + " bytes");
            }
        } finally {
            file.close();
        }
        return (int) crc.getValue();
    }

    long seal(String path) {
        return await(dfs.seal(path));
    }
}
