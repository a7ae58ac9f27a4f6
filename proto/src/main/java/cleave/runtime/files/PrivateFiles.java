package cleave.runtime.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes folders and files that only the user of this process can look into: modes 700 and 600, where there are modes. Stateless.
 *
 * <p>What libraries make (RocksDB, Ratis) lies in such folders, so nobody else reaches it, whatever mode it has itself.
 */
public final class PrivateFiles {
    private static final Logger LOG = LoggerFactory.getLogger(PrivateFiles.class);
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final boolean HAS_MODES =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private PrivateFiles() {}

    /**
     * Makes a folder that somebody has named, and those above it that are missing. One that is there keeps its mode, for it may be
     * more than ours, or mounted so; if others can look into it, that is warned of.
     */
    public static Path makeNamed(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return make(folder);
        }
        if (isOpen(folder)) {
            LOG.warn("data folder is accessible to other users, run chmod 700 on it folder={}", folder);
        }
        return folder;
    }

    /** Makes a folder inside of one that was named. One that is there, as older versions have made it, is closed to others. */
    public static Path make(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Files.createDirectories(folder, attributes(FOLDER));
        }
        if (isOpen(folder)) {
            Files.setPosixFilePermissions(folder, FOLDER);
        }
        return folder;
    }

    private static boolean isOpen(Path folder) throws IOException {
        return HAS_MODES && !FOLDER.containsAll(Files.getPosixFilePermissions(folder));
    }

    /** Opens a file; one that is made by that is private. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), attributes(FILE));
    }

    /** Writes a text file, over what was there. */
    public static Path write(Path file, String text) throws IOException {
        try (FileChannel channel =
                open(file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer left = StandardCharsets.UTF_8.encode(text);
            while (left.hasRemaining()) {
                channel.write(left);
            }
        }
        return file;
    }

    private static FileAttribute<?>[] attributes(Set<PosixFilePermission> permissions) {
        return HAS_MODES
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
                : new FileAttribute<?>[0];
    }
}
