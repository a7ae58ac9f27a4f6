package cleave.chaos.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Blobs as files of a folder, which need not exist before the first one. Confined to its run. */
final class FolderBlobs implements BlobStore {
    private final Path folder;

    FolderBlobs(Path folder) {
        this.folder = folder;
    }

    @Override
    public String kind() {
        return "a folder";
    }

    @Override
    public void put(String name, byte[] bytes) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.resolveSibling(""));
        Files.write(file, bytes);
    }

    @Override
    public byte[] get(String name) throws IOException {
        return Files.readAllBytes(folder.resolve(name));
    }

    @Override
    public void delete(String name) throws IOException {
        Files.delete(folder.resolve(name));
    }

    @Override
    public List<String> names(String prefix) throws IOException {
        return all().stream()
                .filter(Files::isRegularFile)
                .map(file -> folder.relativize(file).toString().replace('\\', '/'))
                .filter(name -> name.startsWith(prefix))
                .sorted()
                .toList();
    }

    @Override
    public void drop() throws IOException {
        for (Path each : all()) {
            Files.delete(each);
        }
    }

    /** The folder and all in it, what is in a folder before the folder. */
    private List<Path> all() throws IOException {
        try (Stream<Path> found = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
            return found.sorted(Comparator.reverseOrder()).toList();
        }
    }
}
