package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.exchanges.ExchangeFile;
import cleave.exchanges.Scene;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nothing of the protocol is without something that shows it, and the document says what. */
class ProtocolRowsTest {
    /** The depth of {@code src/test/java} in a module two folders below the root. */
    private static final int MODULE_DEPTH = 6;

    private static final Path ROOT = Path.of("..", "..");
    private static final Path DOCUMENT = ROOT.resolve(Path.of("docs", "protocol.md"));

    private final ProtocolRows rows;
    private final Set<String> scenes;

    ProtocolRowsTest() throws IOException {
        rows = ProtocolRows.read();
        scenes = ExchangeFile.allIn(ROOT.resolve("front-end/testing/exchanges")).stream()
                .map(Scene::id)
                .collect(Collectors.toSet());
    }

    @Test
    void everyRowIsShownByWhatExists() throws IOException {
        Map<String, String> tests = tests();
        List<String> missing = new ArrayList<>();
        for (ProtocolRows.Row row : rows.all()) {
            for (String shown : row.shownBy()) {
                if (!(shown.contains("/") ? scenes.contains(shown) : isTest(tests, shown))) {
                    missing.add(row.what() + ": " + shown);
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    private static boolean isTest(Map<String, String> tests, String name) {
        String[] parts = name.split("\\.", 2);
        String source = tests.get(parts[0]);
        return source != null && (parts.length == 1 || source.contains("void " + parts[1] + "("));
    }

    private static Map<String, String> tests() throws IOException {
        Map<String, String> tests = new TreeMap<>();
        Path folder = Path.of("src", "test", "java");
        try (Stream<Path> files = Files.find(ROOT, MODULE_DEPTH, (file, attributes) -> file.endsWith(folder))) {
            for (Path module : files.toList()) {
                try (Stream<Path> sources = Files.walk(module)) {
                    sources.filter(file -> file.toString().endsWith(".java"))
                            .forEach(file ->
                                    tests.put(file.getFileName().toString().replace(".java", ""), source(file)));
                }
            }
        }
        return tests;
    }

    private static String source(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @Test
    void whatIsNotApplicableSaysWhy() {
        assertThat(rows.all()).allMatch(row -> row.isApplicable() || !row.note().isEmpty());
    }

    @Test
    void everySceneShowsSomething() {
        Set<String> unbound = new TreeSet<>(scenes);
        rows.all().forEach(row -> unbound.removeAll(Set.copyOf(row.shownBy())));
        assertThat(unbound).isEmpty();
    }

    @Test
    void theDocumentIsWrittenFromTheRows() throws IOException {
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.writeString(DOCUMENT, rows.document());
        }
        assertThat(Files.readString(DOCUMENT))
                .as("run with -Dgolden.rewrite=true and read the diff, if the change is meant")
                .isEqualTo(rows.document());
    }
}
