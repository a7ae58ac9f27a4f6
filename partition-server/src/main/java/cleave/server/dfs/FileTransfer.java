package cleave.server.dfs;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.ExactRead;
import cleave.model.manifest.Manifest;
import cleave.runtime.loop.EventLoop;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.zip.CRC32C;

/**
 * Copies whole files between a local folder and the DFS. Thread-safe; blocks its caller.
 *
 * <p>A small file takes long because the DFS is asked several times, one question after the other. So the files of a call are copied
 * together; the bounds apply to each call.
 */
public final class FileTransfer {
    private static final int APPEND_BYTES = 1 << 20;
    private static final int READ_BYTES = 2 << 20;
    private static final int DAMAGE_BYTES = 16 << 10;
    private static final int BYTES_UNDER_WAY_MAX = 4 << 20;
    /** Files that were created and are not filled yet; and, apart from those, pieces. */
    private static final int UNDER_WAY_MAX = 16;

    private final Dfs dfs;

    public FileTransfer(Dfs dfs) {
        this.dfs = dfs;
    }

    /** A local file and the fresh path that it gets in the DFS. */
    public record Upload(Path local, String path) {}

    /** Checks a local file after it was read for an upload, and throws if its bytes are not those that were written when it was made. */
    public interface Check {
        /** @param sent the checksum of the bytes that were sent */
        void check(Path local, int sent) throws IOException;
    }

    /** The checksum of a file as it is now. */
    public static int checksum(Path local) throws IOException {
        CRC32C crc = new CRC32C();
        byte[] piece = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(local)) {
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                crc.update(piece, 0, read);
            }
        }
        return (int) crc.getValue();
    }

    /** The checksum in manifests: CRC32C. */
    public static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /**
     * Copies local files; all of them are durable and sealed afterwards, or none stays: a failure is thrown once the created files are
     * deleted again. Answers them in the same order, with the checksums of the bytes that were sent.
     *
     * @param check called with each file when it was read: bytes that are bad by then may have been sent, and bytes that go bad later were
     *     not
     */
    public List<Manifest.File> upload(List<Upload> files, Check check) throws IOException {
        List<Uploading> begun = new ArrayList<>();
        boolean whole = false;
        try {
            Window<Long> window = new Window<>();
            for (int i = 0; i < files.size(); i++) {
                while (begun.size() < Math.min(files.size(), i + UNDER_WAY_MAX)) {
                    begun.add(new Uploading(files.get(begun.size())));
                }
                int sent = begun.get(i).copy(window);
                check.check(files.get(i).local(), sent);
            }
            List<Manifest.File> uploaded = new ArrayList<>();
            for (Uploading each : begun) {
                uploaded.add(each.sealed());
            }
            whole = true;
            return uploaded;
        } finally {
            boolean stays = whole;
            CompletableFuture.allOf(begun.stream().map(each -> each.end(stays)).toArray(CompletableFuture<?>[]::new))
                    .join();
        }
    }

    /** One file on its way to the DFS. */
    private final class Uploading {
        private final Upload file;
        private final CompletableFuture<DfsFile> created;
        private final CRC32C checksum = new CRC32C();
        private CompletableFuture<Long> sealed = new CompletableFuture<>();
        private long length;

        Uploading(Upload file) {
            this.file = file;
            this.created = dfs.create(file.path());
        }

        /** Answers the checksum of the bytes that are sent. */
        int copy(Window<Long> window) throws IOException {
            DfsFile to = await(created);
            List<CompletableFuture<Long>> appends = new ArrayList<>();
            try (InputStream in = Files.newInputStream(file.local())) {
                for (byte[] piece = in.readNBytes(APPEND_BYTES);
                        piece.length > 0;
                        piece = in.readNBytes(APPEND_BYTES)) {
                    checksum.update(piece);
                    ByteString bytes = UnsafeByteOperations.unsafeWrap(piece);
                    appends.add(window.begin(piece.length, () -> to.append(bytes, Purpose.CHECKPOINT), done -> {}));
                    length += piece.length;
                }
            }
            sealed = CompletableFuture.allOf(appends.toArray(CompletableFuture<?>[]::new))
                    .thenCompose(acknowledged -> dfs.seal(file.path()));
            return (int) checksum.getValue();
        }

        Manifest.File sealed() throws IOException {
            long end = await(sealed);
            if (end != length) {
                throw new IOException(file.path() + " was sealed at " + end + " of " + length + " bytes");
            }
            return new Manifest.File(
                    file.local().getFileName().toString(), file.path(), length, (int) checksum.getValue());
        }

        /**
         * Deletes the file unless it {@code stays}, if it is known that it was created here. Never fails: a file that the DFS does not
         * delete now is swept with the files that nobody names.
         */
        CompletableFuture<Void> end(boolean stays) {
            return created.thenCompose(handle -> {
                        CompletableFuture<Void> ended =
                                stays ? CompletableFuture.completedFuture(null) : dfs.delete(file.path());
                        handle.close();
                        return ended;
                    })
                    .exceptionally(unknown -> null);
        }
    }

    /**
     * Copies the files of a checkpoint to their names in a local folder. Bytes that the DFS cannot read are left empty.
     *
     * @param copied gets how many more bytes were copied from the DFS, in the caller's thread
     * @return the files whose bytes are not those that were sent to the DFS, as far as that can be seen: those that have no checksum may be
     *     among the others
     */
    public List<Manifest.File> download(Manifest.FileSet files, Path folder, LongConsumer copied) throws IOException {
        Window<Optional<ByteString>> window = new Window<>();
        List<Downloading> begun = new ArrayList<>();
        for (Manifest.File file : files.stored()) {
            Downloading each = new Downloading(file, created(folder, file.localName()));
            begun.add(each);
            for (long offset = 0; offset < file.length(); offset += READ_BYTES) {
                long at = offset;
                int piece = (int) Math.min(READ_BYTES, file.length() - at);
                window.begin(piece, () -> each.read(at, piece), bytes -> {
                    each.take(bytes, at);
                    copied.accept(piece);
                });
            }
        }
        for (Manifest.InlineFile file : files.inline()) {
            write(file.content(), created(folder, file.localName()), 0);
        }
        window.end();
        List<Manifest.File> damaged = new ArrayList<>();
        for (Downloading each : begun) {
            if (!each.isWhole() && !each.repeated()) {
                damaged.add(each.file);
            }
        }
        return damaged;
    }

    /** Copies a file again that has come already and is found to be bad; true if all of it could be read. */
    public boolean fetchAgain(Manifest.File file, Path folder) throws IOException {
        return new Downloading(file, folder.resolve(file.localName())).repeated();
    }

    /** One file on its way from the DFS. Its pieces are taken in their order. */
    private final class Downloading {
        private final Manifest.File file;
        private final Path local;
        private final CRC32C checksum = new CRC32C();
        private boolean hasHoles;

        Downloading(Manifest.File file, Path local) {
            this.file = file;
            this.local = local;
        }

        /** These bytes, or nothing if the DFS finds them damaged. */
        CompletableFuture<Optional<ByteString>> read(long offset, int length) {
            return ExactRead.of(dfs, file.path(), offset, length).handle((bytes, failure) -> {
                if (failure == null) {
                    if (bytes.size() < length) {
                        throw new CompletionException(new IOException(
                                file.path() + " ends at " + (offset + bytes.size()) + ", before " + file.length()));
                    }
                    return Optional.of(bytes);
                }
                if (isDamage(failure)) {
                    return Optional.empty();
                }
                throw failure instanceof CompletionException known ? known : new CompletionException(failure);
            });
        }

        void take(Optional<ByteString> bytes, long offset) throws IOException {
            if (bytes.isEmpty()) {
                hasHoles = true;
                return;
            }
            for (ByteBuffer part : bytes.get().asReadOnlyByteBufferList()) {
                checksum.update(part);
            }
            write(bytes.get(), local, offset);
        }

        boolean isWhole() {
            Integer sent = file.checksum();
            return !hasHoles && (sent == null || sent == (int) checksum.getValue());
        }

        /** Copies it again, now in the smallest pieces in which the DFS finds damage; true if it is whole now. */
        boolean repeated() throws IOException {
            Downloading again = new Downloading(file, local);
            try (FileChannel out = FileChannel.open(local, StandardOpenOption.WRITE)) {
                out.truncate(0);
                for (long at = 0; at < file.length(); at += DAMAGE_BYTES) {
                    again.take(await(again.read(at, (int) Math.min(DAMAGE_BYTES, file.length() - at))), at);
                }
                if (out.size() < file.length()) {
                    out.write(ByteBuffer.allocate(1), file.length() - 1);
                }
            }
            return again.isWhole();
        }
    }

    private static boolean isDamage(Throwable failure) {
        return EventLoop.cause(failure) instanceof DfsException answer
                && answer.reason() == DfsException.Reason.DAMAGED;
    }

    private static Path created(Path folder, String name) throws IOException {
        Path local = folder.resolve(name);
        if (!folder.equals(local.getParent())) {
            throw new IOException("a checkpoint's file cannot be called " + name);
        }
        return Files.createFile(local);
    }

    private static void write(ByteString bytes, Path local, long offset) throws IOException {
        try (FileChannel out = FileChannel.open(local, StandardOpenOption.WRITE)) {
            long at = offset;
            for (ByteBuffer part : bytes.asReadOnlyByteBufferList()) {
                while (part.hasRemaining()) {
                    at += out.write(part, at);
                }
            }
        }
    }

    /** The pending work of one call, whose results are taken in the order in which the work began. Confined to the caller's thread. */
    private static final class Window<T> {
        private final Deque<Work<T>> underWay = new ArrayDeque<>();
        private long bytesUnderWay;

        private record Work<T>(int bytes, CompletableFuture<T> result, Taker<T> taker) {}

        /** Takes a result. */
        interface Taker<T> {
            void take(T result) throws IOException;
        }

        /** Begins work on this many bytes, when there is room for it. */
        CompletableFuture<T> begin(int bytes, Supplier<CompletableFuture<T>> work, Taker<T> taker) throws IOException {
            while (!underWay.isEmpty()
                    && (bytesUnderWay + bytes > BYTES_UNDER_WAY_MAX || underWay.size() >= UNDER_WAY_MAX)) {
                takeOldest();
            }
            CompletableFuture<T> result = work.get();
            underWay.add(new Work<>(bytes, result, taker));
            bytesUnderWay += bytes;
            return result;
        }

        void end() throws IOException {
            while (!underWay.isEmpty()) {
                takeOldest();
            }
        }

        private void takeOldest() throws IOException {
            Work<T> oldest = underWay.remove();
            bytesUnderWay -= oldest.bytes();
            oldest.taker().take(await(oldest.result()));
        }
    }

    private static <T> T await(CompletableFuture<T> work) throws IOException {
        try {
            return work.join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof DfsException answer) {
                throw new IOException(answer.getMessage(), answer);
            }
            if (failure.getCause() instanceof IOException answer) {
                throw new IOException(answer.getMessage(), answer);
            }
            throw failure;
        }
    }
}
