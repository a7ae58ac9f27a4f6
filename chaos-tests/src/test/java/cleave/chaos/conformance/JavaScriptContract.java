package cleave.chaos.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import cleave.chaos.client.Endpoint;
import cleave.chaos.client.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The JavaScript SDK's suite ({@code src/test/javascript}), run by this machine's Node; one test for each of its results. */
abstract class JavaScriptContract {
    private final Endpoint endpoint;

    JavaScriptContract(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    @TestFactory
    Stream<DynamicTest> javaScriptSdk() throws IOException {
        String output = NodeProject.installed().run("suite.mjs", endpoint.connectionString());
        List<String> results =
                output.lines().filter(line -> line.startsWith("{")).toList();
        assertThat(results).as("results in: %s", output).hasSizeGreaterThan(20);
        return results.stream().map(JavaScriptContract::dynamicTest);
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
