package cleave.chaos.documents;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.FeatureLevels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What docs/versions.md says that goes together is what the build and the tests have. */
class VersionsTest {
    private static final Path JAVASCRIPT = Sources.ROOT.resolve("chaos-tests/conformance/src/test/javascript");
    private static final Pattern PACKAGE = Pattern.compile("\"((?:@azure/|azure-|fast-)[a-z/-]+)\": \"([0-9.]+)\"");

    private final String document = read("docs/versions.md");
    private final String pom = read("pom.xml");

    private static String read(String file) {
        try {
            return Files.readString(Sources.ROOT.resolve(file));
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    /** The first group of a pattern that a text has. */
    private static String found(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .findFirst()
                .map((MatchResult result) -> result.group(1))
                .orElseThrow(() -> new AssertionError("there is no " + pattern));
    }

    /** The second column of the row whose first one is this. */
    private String row(String what) {
        return found(document, "(?m)^\\| " + Pattern.quote(what) + " \\| ([^|]+) \\|");
    }

    private String property(String name) {
        return found(pom, "<" + Pattern.quote(name) + ">([^<]+)<");
    }

    private String version() {
        return found(pom, "<version>([^<]+)-SNAPSHOT</version>");
    }

    @Test
    void itIsAboutThisVersionWhoseChangesAreWrittenDown() {
        assertThat(row("this version")).isEqualTo(version());
        String changes = read("docs/CHANGELOG.md");
        assertThat(changes).contains("\n## " + version() + "\n");
        String section = changes.substring(changes.indexOf("\n## " + version() + "\n"));
        assertThat(section).contains("Feature levels " + row("feature levels"));
    }

    @Test
    void itHasTheFeatureLevelsOfTheProcesses() {
        assertThat(row("feature levels"))
                .isEqualTo(FeatureLevels.SUPPORTED.min() + " to " + FeatureLevels.SUPPORTED.max());
    }

    @Test
    void itHasTheOldestJdkAndMavenThatTheBuildTakes() {
        assertThat(row("JDK to build and run with")).isEqualTo(property("maven.compiler.release") + " or newer");
        assertThat(row("JDK to build and run with"))
                .isEqualTo(found(pom, "<requireJavaVersion><version>\\[([0-9.]+),\\)") + " or newer");
        assertThat(row("Maven to build with"))
                .isEqualTo(found(pom, "<requireMavenVersion><version>\\[([0-9.]+),\\)") + " or newer");
    }

    @Test
    void itHasTheKubernetesOfTheManifests() {
        assertThat(row("Kubernetes"))
                .isEqualTo(found(read("deploy/kubernetes/README.md"), "\\*\\*Kubernetes ([0-9.]+)\\*\\* or newer")
                        + " or newer");
        assertThat(document).contains("fabric8 " + property("fabric8.version"));
    }

    @Test
    void itHasTheSdksOfTheTests() throws IOException {
        assertThat(row("Java SDK `com.azure:azure-data-tables`")).isEqualTo(property("azure-tables.version"));
        assertThat(row("older Java SDK `com.microsoft.azure:azure-storage`"))
                .isEqualTo(property("azure-storage-legacy.version"));
        List<String> missing = new ArrayList<>();
        try (Stream<Path> files = Files.walk(JAVASCRIPT, 2)) {
            for (Path file : files.filter(path -> path.endsWith("package.json")).toList()) {
                PACKAGE.matcher(Files.readString(file))
                        .results()
                        .filter(sdk -> !sdk.group(1).equals("azure-common"))
                        .filter(sdk -> !document.contains("`" + sdk.group(1) + "` " + sdk.group(2))
                                && !document.contains("`" + sdk.group(1) + "` | " + sdk.group(2) + " |"))
                        .forEach(sdk -> missing.add(sdk.group()));
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void itHasTheEngineOfTheImage() {
        String libraries = read("deploy/image/libraries");
        assertThat(row("BookKeeper and ZooKeeper"))
                .isEqualTo(
                        property("bookkeeper.version") + " and " + found(libraries, "(?m)^zookeeper-([0-9.]+)\\.jar$"));
    }
}
