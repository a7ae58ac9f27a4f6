package cleave.deploy.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** {@code kubectl kustomize} on the manifests of this module. Stateless. */
final class Kustomize {
    static final Path FOLDER = Path.of("..", "kubernetes").toAbsolutePath().normalize();

    private Kustomize() {}

    static Manifests manifests(Path folder) throws IOException, InterruptedException {
        return Manifests.parse(render(folder));
    }

    /** The output of {@code kubectl kustomize}. The test is skipped on a machine without kubectl. */
    static String render(Path folder) throws IOException, InterruptedException {
        assumeThat(kubectl())
                .as("there is no kubectl on the PATH: the manifests in deploy/kubernetes are not checked")
                .isTrue();
        Path errors = Files.createTempFile("kustomize", ".err");
        try {
            Process process = new ProcessBuilder("kubectl", "kustomize", folder.toString())
                    .redirectError(errors.toFile())
                    .start();
            String yaml = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue())
                    .as("kubectl kustomize %s: %s", folder, Files.readString(errors))
                    .isZero();
            return yaml;
        } finally {
            Files.delete(errors);
        }
    }

    private static boolean kubectl() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "kubectl")));
    }
}
