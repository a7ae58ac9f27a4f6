package cleave.chaos.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the libraries that the build put beside the product, of which images and archives are made, with the list of them. */
class LibrariesTest {
    private static final Path LIST = Sources.ROOT.resolve("deploy/image/libraries");
    private static final Path PRODUCT = Sources.ROOT.resolve("deploy/target");
    private static final Path OBJECTS = Sources.ROOT.resolve("deploy/objects/target");
    private static final Path ENGINE = Sources.ROOT.resolve("dfs-stub/bookkeeper/target");

    private static Set<String> jars(Path folder) throws IOException {
        assumeThat(folder).as("'mvn package' makes it").isDirectory();
        try (Stream<Path> files = Files.list(folder)) {
            Set<String> jars = new TreeSet<>();
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jar"))
                    .forEach(jars::add);
            return jars;
        }
    }

    /** Whatever JDK builds: poms may ask for libraries on some JDKs alone. */
    @Test
    void theBuildHasTheLibrariesOfTheListAndNoOthers() throws IOException {
        Set<String> built = new TreeSet<>(jars(PRODUCT.resolve("lib")));
        built.addAll(jars(OBJECTS.resolve("lib")));
        built.addAll(jars(ENGINE.resolve("lib")));
        built.addAll(jars(ENGINE.resolve("engine")));
        String version = jars(PRODUCT).stream()
                .filter(name -> name.matches("deploy-[0-9].*\\.jar") && !name.matches(".*-(sources|tests)\\.jar"))
                .findFirst()
                .orElseThrow()
                .substring("deploy-".length());
        built.removeIf(name -> name.endsWith("-" + version));
        assertThat(built)
                .as("if it should be so, write %s anew, and say why in docs/dependencies.md", LIST)
                .containsExactlyElementsOf(Files.readAllLines(LIST));
    }

    /** Of all that reads foreign bytes, data binding has had the most advisories. */
    @Test
    void noLibraryBindsData() throws IOException {
        assertThat(Files.readAllLines(LIST)).noneMatch(name -> name.matches("(jackson-databind|snakeyaml|xstream)-.*"));
    }
}
