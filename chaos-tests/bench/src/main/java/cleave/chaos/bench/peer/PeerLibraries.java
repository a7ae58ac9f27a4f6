package cleave.chaos.bench.peer;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the libraries of peers where the build of the tree that this process comes from has put them. Stateless. */
final class PeerLibraries {
    private static final String MODULES = "chaos-tests/peers";

    private PeerLibraries() {}

    /** The jars that a peer needs; CommandFailure if they were not fetched. */
    static List<Path> of(PeerKind kind) {
        return below(code(), kind);
    }

    /** The same of the tree in which this file lies. */
    static List<Path> below(@Nullable Path code, PeerKind kind) {
        String module = MODULES + "/" + kind.id();
        for (Path folder = code; folder != null; folder = folder.getParent()) {
            Path libraries = folder.resolve(module).resolve("target/lib");
            if (Files.isDirectory(libraries)) {
                return jars(libraries);
            }
        }
        throw CommandFailure.failed("the libraries for " + kind.title()
                + " were not fetched. In a folder of Cleave's sources './cleave bench --peer " + kind.id()
                + "' fetches them, and so does 'mvn -Ppeers package -pl " + module + "'; this cleave runs from "
                + code);
    }

    private static List<Path> jars(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static @Nullable Path code() {
        return Optional.ofNullable(PeerLibraries.class.getProtectionDomain().getCodeSource())
                .map(source -> Path.of(URI.create(source.getLocation().toString())))
                .orElse(null);
    }
}
