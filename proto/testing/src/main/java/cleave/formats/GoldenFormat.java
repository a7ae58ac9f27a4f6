package cleave.formats;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The kept bytes of one stored format, a folder for each version, as the version that introduced it wrote them. They are never written
 * again: bytes that a version has once written are read forever. Immutable.
 */
public final class GoldenFormat {
    private static final Path ROOT = Path.of("src/test/resources/formats");

    private final Path folder;
    private final String name;

    private GoldenFormat(String name, int version) {
        this.name = name + " format " + version;
        folder = ROOT.resolve(name).resolve(Integer.toString(version));
    }

    public static GoldenFormat of(String name, int version) {
        return new GoldenFormat(name, version);
    }

    /** The kept file. */
    public byte[] file(String file) {
        try {
            return Files.readAllBytes(folder.resolve(file));
        } catch (IOException failure) {
            throw new UncheckedIOException(name + " has no golden file " + file, failure);
        }
    }

    /** All kept files, by name. */
    public Map<String, byte[]> files() {
        TreeMap<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                files.put(folder.relativize(path).toString(), Files.readAllBytes(path));
            }
            return files;
        } catch (IOException failure) {
            throw new UncheckedIOException(name + " has no golden files", failure);
        }
    }

    /**
     * Claims that the present code writes the kept bytes. With {@code -Dgolden.new=true} a file that is missing is written: that
     * is how a new version gets its golden file.
     */
    public void assertIsWritten(String file, byte[] now) {
        keep(file, now);
        assertThat(now)
                .as(name + " is not written as before: keep it, and give what is new another version and a golden file"
                        + " of its own (-Dgolden.new=true); docs/upgrades.md says how")
                .isEqualTo(file(file));
    }

    /** With {@code -Dgolden.new=true}: keeps these bytes, unless there is such a file. */
    public void keep(String file, byte[] now) {
        Path path = folder.resolve(file);
        try {
            if (Boolean.getBoolean("golden.new") && !Files.exists(path)) {
                Files.createDirectories(path.toAbsolutePath().getParent());
                Files.write(path, now);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
