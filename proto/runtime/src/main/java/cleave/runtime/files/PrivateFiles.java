package cleave.runtime.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
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
 * Creates folders and files that only the user of this process can access: modes 700 and 600 on POSIX file systems. Stateless.
 *
 * <p>Libraries (RocksDB, Ratis) create their files in such folders, so nobody else can reach them, even if their modes permit it.
 */
public final class PrivateFiles {
    private static final Logger LOG = LoggerFactory.getLogger(PrivateFiles.class);
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final boolean HAS_MODES =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private PrivateFiles() {}

    /**
     * Creates a folder from a setting, and its missing parents. An existing folder keeps its mode, because it may be shared or mounted; a
     * warning is logged if others can access it.
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

    /** Creates a folder inside another one. Access of others to an existing one, as older versions created it, is removed. */
    public static Path make(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            if (Files.exists(folder)) {
                throw new NotDirectoryException(folder.toString());
            }
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

    /** Opens a file; a file that this creates is private. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), attributes(FILE));
    }

    /** Writes or overwrites a text file. */
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
