package cleave.chaos.conformance;

import cleave.client.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The JavaScript SDK's suites. */
abstract class JavaScriptContract {
    private final JavaScriptSuites suites;

    /** @param environment of Node, besides that of this process */
    JavaScriptContract(Endpoint endpoint, Map<String, String> environment) {
        this.suites = new JavaScriptSuites(Path.of("src", "test", "javascript"), endpoint, environment);
    }

    @TestFactory
    Stream<DynamicTest> tablesEntitiesAndTransactions() throws IOException {
        return suites.results("suite.mjs", 25);
    }

    @TestFactory
    Stream<DynamicTest> signaturesAndPolicies() throws IOException {
        return suites.results("access.mjs", 4);
    }

    @TestFactory
    Stream<DynamicTest> propertiesAndStatistics() throws IOException {
        return suites.results("service.mjs", 1);
    }
}
