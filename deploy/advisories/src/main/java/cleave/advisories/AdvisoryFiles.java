package cleave.advisories;

import cleave.client.JsonText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Reads advisories where a copy of a database of OSV has them. Stateless. */
final class AdvisoryFiles {
    private AdvisoryFiles() {}

    /**
     * @param path a folder, with all folders below it, or an archive (zip), of files whose names end with .json
     * @throws IOException also if one of them is no advisory; the message names it
     */
    static List<Advisory> read(Path path) throws IOException {
        List<Advisory> advisories = new ArrayList<>();
        if (Files.isDirectory(path)) {
            try (Stream<Path> files = Files.walk(path)) {
                for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                    add(advisories, file.toString(), Files.readAllBytes(file));
                }
            }
            return advisories;
        }
        try (InputStream bytes = Files.newInputStream(path);
                ZipInputStream zip = new ZipInputStream(bytes)) {
            ZipEntry entry;
            while ((entry = zip.getNextEntry()) != null) {
                add(advisories, path + ": " + entry.getName(), zip.readAllBytes());
            }
        }
        return advisories;
    }

    private static void add(List<Advisory> advisories, String name, byte[] bytes) throws IOException {
        if (name.endsWith(".json")) {
            Json json = object(name, bytes);
            if (json.text("id").isEmpty()) {
                throw new IOException(name + " is no advisory in the form of OSV: it has no id");
            }
            Advisory.of(json).ifPresent(advisories::add);
        }
    }

    /** @param name of the bytes, for the message of an error */
    static Json object(String name, byte[] bytes) throws IOException {
        try {
            return new Json(JsonText.object(bytes));
        } catch (IOException malformed) {
            throw new IOException(name + " is no JSON: " + malformed.getMessage(), malformed);
        }
    }
}
