package cleave.board.browser;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import cleave.node.NodeProject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The suites in JavaScript of this module, and the Chromium that they drive. Immutable.
 *
 * <p>Where there is no Node, no npm or no Chromium, a test is skipped and says so; with {@code CLEAVE_BROWSER=required} it fails instead.
 */
record Browser(NodeProject suites) {
    private static final Path SOURCES = Path.of("src", "test", "javascript");
    private static final Path PAGE = Path.of("..", "src", "main", "resources", "cleave", "board", "web");
    private static final Path PICTURES = Path.of("..", "..", "..", "docs", "pictures");

    static Browser here() throws IOException {
        try {
            return new Browser(NodeProject.installed(SOURCES));
        } catch (NodeProject.Missing missing) {
            throw absent(missing);
        }
    }

    private static IOException absent(NodeProject.Missing missing) {
        if ("required".equals(System.getenv("CLEAVE_BROWSER"))) {
            return fail("CLEAVE_BROWSER=required, but " + missing.getMessage());
        }
        return abort("skipped: " + missing.getMessage());
    }

    /** Runs tests that need no browser. */
    void runModules(String suite) throws IOException {
        run(suite, Map.of());
    }

    /** Runs tests in Chromium; screenshots lie in the build folder. */
    void run(String suite, String variable, String value) throws IOException {
        Map<String, String> environment = new HashMap<>();
        environment.put(variable, value);
        environment.put("SCREENSHOTS", absolute(Path.of("target", "screenshots")));
        if (Boolean.getBoolean("board.pictures")) {
            environment.put("PICTURES", absolute(PICTURES));
        }
        try {
            environment.put(
                    "CHROMIUM",
                    NodeProject.program("chromium", "chromium-browser").toString());
        } catch (NodeProject.Missing missing) {
            throw absent(missing);
        }
        run(suite, environment);
    }

    private void run(String suite, Map<String, String> more) throws IOException {
        Map<String, String> environment = new HashMap<>(more);
        environment.put("BOARD_WEB", absolute(PAGE));
        System.out.println(suites.run(List.of("--test", "--test-reporter=spec", suite), environment));
    }

    /** Writes one of the recordings of {@code recordings.mjs}. */
    Path recording(String name, Path folder) throws IOException {
        Path file = folder.resolve(name + ".jsonl");
        suites.run(List.of("recordings.mjs", name, file.toAbsolutePath().toString()), Map.of());
        return file;
    }

    private static String absolute(Path path) {
        return path.toAbsolutePath().normalize().toString();
    }
}
