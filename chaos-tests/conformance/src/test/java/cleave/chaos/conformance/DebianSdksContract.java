package cleave.chaos.conformance;

import static org.junit.jupiter.api.Assumptions.abort;

import cleave.client.Endpoint;
import cleave.node.NodeProject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The SDKs that Debian packages. The tests of one that is missing are skipped, and say so. */
abstract class DebianSdksContract {
    private static final Path SOURCES = Path.of("src", "test");
    /** Where Debian's packages put sources of Go; the variable has the last word. */
    private static final String GOPATH = Objects.requireNonNullElse(
            System.getenv("GOPATH"), Path.of("/usr", "share", "gocode").toString());

    private final Endpoint endpoint;

    DebianSdksContract(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** The table client from before aztables. */
    @TestFactory
    Stream<DynamicTest> go() throws IOException {
        if (!Files.isDirectory(Path.of(GOPATH, "src/github.com/Azure/azure-sdk-for-go/storage"))) {
            return abort("skipped: no Go SDK in " + GOPATH + " (Debian: golang-github-azure-azure-sdk-for-go-dev)");
        }
        Map<String, String> environment = Map.of(
                "GOPATH",
                GOPATH,
                "GO111MODULE",
                "off",
                "GOCACHE",
                Path.of("target", "go").toAbsolutePath().toString());
        return tests(8, SOURCES.resolve("go"), environment, "go", "run", "suite.go", endpoint.connectionString());
    }

    @TestFactory
    Stream<DynamicTest> python() throws IOException {
        Map<String, String> environment = Map.of("PYTHONDONTWRITEBYTECODE", "1", "PYTHONIOENCODING", "UTF-8");
        Path sources = SOURCES.resolve("python");
        try {
            NodeProject.printed(sources, List.of("python3", "-c", "import azure.data.tables"), environment);
        } catch (IOException missing) {
            return abort("skipped: python3 finds no azure.data.tables (Debian: python3-azure)");
        }
        return tests(7, sources, environment, "python3", "suite.py", endpoint.connectionString());
    }

    private static Stream<DynamicTest> tests(
            int count, Path folder, Map<String, String> environment, String program, String... arguments)
            throws IOException {
        try {
            NodeProject.program(program);
        } catch (NodeProject.Missing missing) {
            return abort("skipped: " + missing.getMessage());
        }
        List<String> command =
                Stream.concat(Stream.of(program), Stream.of(arguments)).toList();
        return JavaScriptSuites.tests(NodeProject.printed(folder, command, environment), count);
    }
}
