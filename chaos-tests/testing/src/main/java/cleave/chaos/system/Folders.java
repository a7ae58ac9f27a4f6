package cleave.chaos.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Folders below the build's, kept after a run so that the logs in them can be read. */
public final class Folders {
    private static final Path ROOT = Path.of("target", "systems");

    private Folders() {}

    /** A new folder whose name begins so. */
    public static Path fresh(String name) {
        try {
            Files.createDirectories(ROOT);
            return Files.createTempDirectory(ROOT, name + "-").toAbsolutePath();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
