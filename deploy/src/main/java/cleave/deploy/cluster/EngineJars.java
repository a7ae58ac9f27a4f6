package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the libraries of BookKeeper and ZooKeeper: on the class path of this process, or where the build of the tree that this process
 * comes from has put them. Stateless.
 */
final class EngineJars {
    private static final String MODULE = "dfs-stub/bookkeeper";
    private static final List<String> NEEDED = List.of(
            "org/apache/zookeeper/server/quorum/QuorumPeerMain.class",
            "org/apache/bookkeeper/server/Main.class",
            "cleave/dfs/bookkeeper/package-info.class",
            "com/codahale/metrics/Reservoir.class",
            "org/xerial/snappy/Snappy.class",
            "org/rocksdb/RocksDB.class");

    private EngineJars() {}

    /** A class path with them; CommandFailure if they are nowhere. */
    static String addTo(String classPath) {
        ClassLoader loader = EngineJars.class.getClassLoader();
        if (NEEDED.stream().allMatch(name -> loader.getResource(name) != null)) {
            return classPath;
        }
        Path code = code();
        for (Path folder = code; folder != null; folder = folder.getParent()) {
            Path target = folder.resolve(MODULE).resolve("target");
            if (Files.isDirectory(target.resolve("engine"))) {
                return add(target, classPath);
            }
        }
        throw CommandFailure.failed(
                "the libraries of BookKeeper and ZooKeeper are neither on the class path nor built. In a"
                        + " folder of Cleave's sources './cleave engine --help' builds them, and so does 'mvn -Dfast -DskipTests package -pl "
                        + MODULE + " -am'; this cleave runs from " + code);
    }

    /** The class path with the jars of the folders, but no second copy of a library. */
    static String add(Path target, String classPath) {
        List<String> entries = new ArrayList<>(List.of(classPath.split(File.pathSeparator)));
        TreeSet<String> names = new TreeSet<>();
        entries.forEach(entry -> names.add(name(Path.of(entry))));
        for (Path folder : List.of(target, target.resolve("lib"), target.resolve("engine"))) {
            for (Path jar : jars(folder)) {
                if (names.add(name(jar))) {
                    entries.add(jar.toString());
                }
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    private static List<Path> jars(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> name(file).matches(".*(?<!-tests|-sources|-javadoc)\\.jar"))
                    .sorted()
                    .toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static @Nullable Path code() {
        return Optional.ofNullable(EngineJars.class.getProtectionDomain().getCodeSource())
                .map(source -> Path.of(URI.create(source.getLocation().toString())))
                .orElse(null);
    }
}
