package cleave.deploy.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Everything that one kustomization renders. Immutable, as long as nobody changes the objects. */
record Manifests(List<HasMetadata> objects) {
    static final Path FOLDER = Path.of("kubernetes").toAbsolutePath();

    static Manifests parse(String yaml) {
        KubernetesSerialization serialization = new KubernetesSerialization();
        List<HasMetadata> objects = new ArrayList<>();
        for (String document : yaml.split("(?m)^---\n")) {
            if (!document.isBlank()) {
                HasMetadata object = serialization.unmarshal(document);
                objects.add(object);
            }
        }
        return new Manifests(List.copyOf(objects));
    }

    /** What {@code kubectl kustomize} prints. The test is skipped on a machine without kubectl. */
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
        return Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "kubectl")));
    }

    <T extends HasMetadata> List<T> all(Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    <T extends HasMetadata> Optional<T> find(Class<T> type, String name) {
        return all(type).stream()
                .filter(object -> object.getMetadata().getName().equals(name))
                .findFirst();
    }

    List<Workload> workloads() {
        return objects.stream().flatMap(object -> Workload.of(object).stream()).toList();
    }

    /** Those that run all the time and serve others, unlike the commands of operators. */
    List<Workload> serving() {
        return workloads().stream()
                .filter(workload -> !workload.caller().equals("admin"))
                .toList();
    }
}
