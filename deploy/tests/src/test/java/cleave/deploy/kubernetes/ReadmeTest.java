package cleave.deploy.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the patches that README.md of the manifests shows administrators, and the figures by which they choose nodes. */
class ReadmeTest {
    private static final Path README = Kustomize.FOLDER.resolve("README.md");
    private static final Pattern PATCHES = Pattern.compile("(?ms)^( *)```\n( *patches:\n.*?)^\\1```$");

    @TempDir
    private Path dir;

    static Stream<String> patches() throws IOException {
        return PATCHES.matcher(Files.readString(README))
                .results()
                .map(block -> block.group(2).replaceAll("(?m)^" + block.group(1), ""));
    }

    @Test
    void patchesAreFound() throws IOException {
        assertThat(patches())
                .hasSizeGreaterThanOrEqualTo(4)
                .allSatisfy(text -> assertThat(text).startsWith("patches:\n"));
    }

    /** A patch whose target does not exist is ignored without a word. */
    @ParameterizedTest
    @MethodSource("patches")
    void aPatchChangesAnOverlay(String patch) throws Exception {
        assertThat(render("patched", patch)).isNotEqualTo(render("plain", ""));
    }

    private String render(String name, String patch) throws IOException, InterruptedException {
        Path own = Files.createDirectory(dir.toRealPath().resolve(name));
        Path manifests = own.relativize(Kustomize.FOLDER);
        Files.writeString(
                own.resolve("kustomization.yaml"),
                "namespace: cleave\nresources: [" + manifests + "/overlays/production]\ncomponents: [" + manifests
                        + "/components/backup, " + manifests + "/components/monitoring]\n" + patch);
        return Kustomize.render(own);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dev", "production"})
    void whatAnOverlayRequestsIsToldRight(String overlay) throws Exception {
        Manifests manifests =
                Kustomize.manifests(Kustomize.FOLDER.resolve("overlays").resolve(overlay));
        Matcher row = Pattern.compile("\\| `" + overlay
                        + "` \\| ([0-9.]+) \\| ([0-9.]+) GiB"
                        + " \\| ([0-9.]+) CPUs, ([0-9.]+) GiB, ([0-9.]+) GiB of the node's disk \\| ([0-9.]+) GiB \\|")
                .matcher(Files.readString(README));
        assertThat(row.find()).as("the row of %s", overlay).isTrue();
        assertThat(List.of(
                        sum(manifests, "cpu"),
                        gib(sum(manifests, "memory")),
                        largest(manifests, "cpu"),
                        gib(largest(manifests, "memory")),
                        gib(largest(manifests, "ephemeral-storage")),
                        gib(volumes(manifests))))
                .usingElementComparator(BigDecimal::compareTo)
                .containsExactlyElementsOf(Stream.of(1, 2, 3, 4, 5, 6)
                        .map(column -> new BigDecimal(row.group(column)))
                        .toList());
    }

    private static BigDecimal requested(Workload workload, String what) {
        Map<String, Quantity> requests = workload.container().getResources().getRequests();
        return requests.getOrDefault(what, new Quantity("0")).getNumericalAmount();
    }

    private static BigDecimal sum(Manifests manifests, String what) {
        return Workload.serving(manifests).stream()
                .map(workload -> requested(workload, what).multiply(BigDecimal.valueOf(workload.replicas())))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    private static BigDecimal largest(Manifests manifests, String what) {
        return Workload.serving(manifests).stream()
                .map(workload -> requested(workload, what))
                .reduce(BigDecimal.ZERO, BigDecimal::max);
    }

    private static BigDecimal volumes(Manifests manifests) {
        return Workload.serving(manifests).stream()
                .flatMap(workload -> workload.claims().stream()
                        .map(claim ->
                                claim.getSpec().getResources().getRequests().get("storage"))
                        .map(size -> size.getNumericalAmount().multiply(BigDecimal.valueOf(workload.replicas()))))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    private static BigDecimal gib(BigDecimal bytes) {
        return bytes.divide(BigDecimal.valueOf(1L << 30));
    }
}
