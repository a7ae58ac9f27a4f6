package cleave.master.raft;

import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes a file atomically: after a crash it is complete or absent. Stateless. */
final class DurableFile {
    private DurableFile() {}

    /** The content of a file. */
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    static void write(Path path, byte[] bytes) throws IOException {
        write(path, out -> out.write(bytes));
    }

    static void write(Path path, Content content) throws IOException {
        Path folder = path.toAbsolutePath().getParent();
        Path written = path.resolveSibling(path.getFileName() + ".new");
        try (FileChannel channel = PrivateFiles.open(
                written, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            // Not closed, because that would close the channel before it is forced. Not buffered, because writers write
            // large pieces.
            content.writeTo(Channels.newOutputStream(channel));
            channel.force(true);
        }
        Files.move(written, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        if (folder != null) {
            try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
                directory.force(true);
            }
        }
    }
}
