package cleave.chaos.conformance;

import cleave.client.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every call of clients of old versions: azure-storage-legacy in Atom, azure-storage 0.4 in both formats, others in JSON. */
abstract class OldJavaScriptContract {
    private final JavaScriptSuites suites;

    /** @param environment of Node, besides that of this process */
    OldJavaScriptContract(Endpoint endpoint, Map<String, String> environment) {
        this.suites = new JavaScriptSuites(Path.of("src", "test", "javascript", "old"), endpoint, environment);
    }

    @TestFactory
    Stream<DynamicTest> azureStorageLegacy() throws IOException {
        return suites.results("legacy.mjs", 9);
    }

    @TestFactory
    Stream<DynamicTest> azureStorageAndAzureStorageSimple() throws IOException {
        return suites.results("storage.mjs", 9);
    }

    @TestFactory
    Stream<DynamicTest> fastAzureStorage() throws IOException {
        return suites.results("fast.mjs", 6);
    }
}
