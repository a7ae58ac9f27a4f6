package cleave.deploy.access;

import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;

/** Writes files that hold keys: whole or not at all, and readable for their owner only. */
public final class OwnersFile {
    private OwnersFile() {}

    public static void write(Path file, String text) {
        try {
            Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent(), "a file lies in a folder");
            PrivateFiles.makeNamed(folder);
            Path written =
                    Files.createTempFile(folder, "." + file.getFileName(), ".tmp"); // Mode 600 where there are modes.
            Files.writeString(written, text);
            if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rw-------"));
            }
            Files.move(written, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw new UncheckedIOException("writing " + file, failed);
        }
    }
}
