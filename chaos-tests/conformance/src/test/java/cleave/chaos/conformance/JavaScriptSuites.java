package cleave.chaos.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import cleave.client.Endpoint;
import cleave.client.JsonText;
import cleave.node.NodeProject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;

/**
 * Suites in JavaScript, run by this machine's Node; one test for each of their results. Immutable.
 *
 * @param sources the folder of the suites
 * @param environment of Node, besides that of this process
 */
record JavaScriptSuites(Path sources, Endpoint endpoint, Map<String, String> environment) {
    JavaScriptSuites {
        environment = Map.copyOf(environment);
    }

    /** @param count how many results there are at least */
    Stream<DynamicTest> results(String suite, int count) throws IOException {
        return tests(run(List.of(suite, endpoint.connectionString())), count);
    }

    /** The tests of what a suite printed: a line of JSON for each. */
    static Stream<DynamicTest> tests(String output, int count) {
        List<String> results =
                output.lines().filter(line -> line.startsWith("{")).toList();
        assertThat(results).as("results in: %s", output).hasSizeGreaterThanOrEqualTo(count);
        return results.stream().map(JavaScriptSuites::dynamicTest);
    }

    /** Skips the test, and says so, where Node is missing. */
    private String run(List<String> arguments) throws IOException {
        try {
            return NodeProject.installed(sources).run(arguments, environment);
        } catch (NodeProject.Missing missing) {
            return abort("skipped: " + missing.getMessage());
        }
    }

    private static DynamicTest dynamicTest(String line) {
        try {
            Map<String, @Nullable Object> result = JsonText.object(line.getBytes(StandardCharsets.UTF_8));
            return DynamicTest.dynamicTest(String.valueOf(result.get("name")), () -> {
                if (!Boolean.TRUE.equals(result.get("ok"))) {
                    fail(String.valueOf(result.get("error")));
                }
            });
        } catch (IOException malformed) {
            throw new AssertionError("no result: " + line, malformed);
        }
    }
}
