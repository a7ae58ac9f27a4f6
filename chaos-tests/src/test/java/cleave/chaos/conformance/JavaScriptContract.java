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

/** The JavaScript SDK's suites ({@code src/test/javascript}), run by this machine's Node; one test for each of their results. */
abstract class JavaScriptContract {
    private final Endpoint endpoint;
    private final Map<String, String> environment;

    /** @param environment of Node, besides that of this process */
    JavaScriptContract(Endpoint endpoint, Map<String, String> environment) {
        this.endpoint = endpoint;
        this.environment = Map.copyOf(environment);
    }

    @TestFactory
    Stream<DynamicTest> tablesEntitiesAndTransactions() throws IOException {
        return results("suite.mjs", 25);
    }

    @TestFactory
    Stream<DynamicTest> signaturesAndPolicies() throws IOException {
        return results("access.mjs", 4);
    }

    @TestFactory
    Stream<DynamicTest> propertiesAndStatistics() throws IOException {
        return results("service.mjs", 1);
    }

    private Stream<DynamicTest> results(String suite, int count) throws IOException {
        String output = NodeProject.installed().run(suite, endpoint.connectionString(), environment);
        List<String> results =
                output.lines().filter(line -> line.startsWith("{")).toList();
        assertThat(results).as("results in: %s", output).hasSizeGreaterThanOrEqualTo(count);
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
