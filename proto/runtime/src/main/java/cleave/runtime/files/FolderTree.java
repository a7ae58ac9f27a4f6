package cleave.runtime.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Deletes folders with all that they hold. Stateless. */
public final class FolderTree {
    private FolderTree() {}

    /** Deletes a folder, which is there. What others delete in it meanwhile is no failure. */
    public static void delete(Path folder) throws IOException {
        List<Path> found;
        try (Stream<Path> walk = Files.walk(folder)) {
            found = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : found) {
            Files.deleteIfExists(path);
        }
    }

    public static void deleteIfExists(Path folder) throws IOException {
        if (Files.exists(folder)) {
            delete(folder);
        }
    }
}
