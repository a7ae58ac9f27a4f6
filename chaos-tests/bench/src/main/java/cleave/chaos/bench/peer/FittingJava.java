package cleave.chaos.bench.peer;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds a Java of a version that a peer runs on, though this process may be on another. Stateless. */
final class FittingJava {
    /** Folders whose subfolders are Javas, on Linux and macOS. */
    private static final List<String> PARENTS =
            List.of("/usr/lib/jvm", "/usr/java", "/opt/java", "/opt", "~/.sdkman/candidates/java", "~/.jdks");

    private FittingJava() {}

    /**
     * The home of a Java with one of these versions.
     *
     * @param versions the best first
     * @param named the one that the user named, which must fit; null: any that is at hand
     * @throws CommandFailure if there is none
     */
    static Path home(String who, List<Integer> versions, @Nullable Path named) {
        return of(who, versions, named == null ? candidates() : List.of(named));
    }

    static Path of(String who, List<Integer> versions, Collection<Path> candidates) {
        Map<Path, Integer> found = new LinkedHashMap<>();
        candidates.stream()
                .filter(home -> Files.isExecutable(home.resolve("bin/java")))
                .forEach(home -> found.put(home, version(home)));
        return versions.stream()
                .flatMap(version -> found.entrySet().stream()
                        .filter(each -> each.getValue().equals(version))
                        .map(Map.Entry::getKey))
                .findFirst()
                .orElseThrow(() -> CommandFailure.failed(who + " needs Java "
                        + versions.stream().map(String::valueOf).collect(Collectors.joining(" or "))
                        + (found.isEmpty()
                                ? ", but there is none in " + candidates
                                : ", but here is only " + text(found))
                        + ". Install one (Debian: apt install openjdk-17-jre-headless), or name one by --peer-java"));
    }

    private static String text(Map<Path, Integer> found) {
        return found.entrySet().stream()
                .map(each -> (each.getValue() == 0 ? "an unknown version" : each.getValue()) + " in " + each.getKey())
                .collect(Collectors.joining(", "));
    }

    private static List<Path> candidates() {
        List<Path> all = new ArrayList<>();
        all.add(Path.of(System.getProperty("java.home")));
        Optional.ofNullable(System.getenv("JAVA_HOME")).map(Path::of).ifPresent(all::add);
        for (String parent : PARENTS) {
            all.addAll(children(Path.of(parent.replace("~", System.getProperty("user.home")))));
        }
        return all;
    }

    private static List<Path> children(Path folder) {
        List<Path> all = new ArrayList<>();
        if (Files.isReadable(folder) && Files.isDirectory(folder)) {
            try (DirectoryStream<Path> each = Files.newDirectoryStream(folder)) {
                each.forEach(all::add);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        all.sort(null);
        return all;
    }

    /** By the file that every JDK since 9 has; 0: unknown. */
    private static int version(Path home) {
        try {
            String text = Files.readString(home.resolve("release"));
            String version = text.replaceFirst("(?s).*JAVA_VERSION=\"(?:1\\.)?(\\d+).*", "$1");
            return version.matches("\\d{1,4}") ? Integer.parseInt(version) : 0;
        } catch (IOException unknown) {
            return 0;
        }
    }
}
