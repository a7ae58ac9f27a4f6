package cleave.server.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes local folders with all they hold. */
final class Folders {
    private static final Logger LOG = LoggerFactory.getLogger(Folders.class);

    private Folders() {}

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> found;
        try (Stream<Path> walk = Files.walk(folder)) {
            found = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : found) {
            Files.deleteIfExists(path);
        }
    }

    /** Files that are left are wiped at the next start. */
    static void deleteQuietly(Path folder) {
        try {
            delete(folder);
        } catch (IOException | java.io.UncheckedIOException failure) {
            LOG.info("a closed store's folder is not wiped yet folder={} reason={}", folder, failure.toString());
        }
    }
}
