package cleave.deploy.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The script {@code deploy/kubernetes/chart}. Helm is not needed: the templates have three expressions alone, which the test replaces as Helm
 * does.
 */
class ChartTest {
    private static final Pattern EXPRESSION = Pattern.compile("\\{\\{.*?}}");

    @TempDir
    private Path dir;

    private String printed = "";

    private int chart(Path overlay, Path output) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        "sh",
                        Kustomize.FOLDER.resolve("chart").toString(),
                        overlay.toString(),
                        output.toString(),
                        "1.2.3")
                .redirectErrorStream(true)
                .start();
        printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return process.exitValue();
    }

    /** An overlay with every component that it does not have, in this namespace. */
    private Path overlay(String name, String namespace, List<String> components) throws IOException {
        Path own = Files.createDirectory(dir.toRealPath().resolve(name + "-" + namespace));
        Path manifests = own.relativize(Kustomize.FOLDER);
        String https = name.equals("dev") ? "" : """
                replacements:
                  - source: {kind: Service, name: cleave, fieldPath: metadata.namespace}
                    targets:
                      - select: {kind: Certificate, name: cleave-https}
                        fieldPaths: [spec.dnsNames.1, spec.dnsNames.2]
                        options: {delimiter: ., index: 1}
                """;
        Files.writeString(
                own.resolve("kustomization.yaml"),
                "namespace: " + namespace + "\nresources: [" + manifests + "/overlays/" + name + "]\ncomponents: "
                        + components.stream()
                                .map(component -> manifests + "/components/" + component)
                                .collect(Collectors.joining(", ", "[", "]"))
                        + "\n" + https);
        return own;
    }

    @ParameterizedTest
    @ValueSource(strings = {"dev", "production"})
    void whatHelmMakesOfItIsTheOverlay(String name) throws Exception {
        List<String> components = List.of("autoscaling", "backup", "board", "gateway", "ingress", "monitoring");
        Path ours = overlay(name, "cleave", components);
        String expected = Kustomize.render(overlay(name, "elsewhere", components));

        assertThat(chart(ours, dir.resolve("chart"))).as("%s", printed).isZero();

        String image = Files.readAllLines(dir.resolve("chart/values.yaml")).stream()
                .filter(line -> line.startsWith("image: "))
                .findFirst()
                .orElseThrow()
                .substring("image: ".length());
        String templates = Files.readString(dir.resolve("chart/templates/objects.yaml"));
        assertThat(EXPRESSION
                        .matcher(templates)
                        .results()
                        .map(found -> found.group())
                        .distinct())
                .containsExactlyInAnyOrder("{{ .Release.Namespace }}", "{{ .Values.image }}", "{{ \"{{\" }}");
        assertThat(templates
                        .replace("{{ .Release.Namespace }}", "elsewhere")
                        .replace("{{ .Values.image }}", image)
                        .replace("{{ \"{{\" }}", "{{"))
                .isEqualTo(Stream.of(expected.split("(?m)^---\n"))
                        .filter(document -> !document.contains("kind: Namespace\n"))
                        .collect(Collectors.joining("---\n")));
        assertThat(Files.readString(dir.resolve("chart/Chart.yaml")))
                .contains("\nversion: 1.2.3\n", "\nappVersion: \"unreleased\"\n");
    }

    @Test
    void aFolderThatExistsIsNotWrittenTo() throws Exception {
        Path overlay = overlay("dev", "cleave", List.of());

        assertThat(chart(overlay, dir)).isEqualTo(1);

        assertThat(printed).contains(dir + " exists");
    }
}
