package cleave.deploy.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assertions.assertAll;

import cleave.deploy.Cleave;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every overlay renders, alone and with each component: fields that exist, and our rules. */
class ManifestsTest {
    @TempDir
    private Path dir;

    static Stream<String> overlays() throws IOException {
        return names("overlays");
    }

    static Stream<String> components() throws IOException {
        return names("components");
    }

    private static Stream<String> names(String folder) throws IOException {
        try (Stream<Path> found = Files.list(Manifests.FOLDER.resolve(folder))) {
            return found
                    .filter(Files::isDirectory)
                    .map(path -> path.getFileName().toString())
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    /** As an operator's own overlay does. */
    private Manifests with(String overlay, List<String> components) throws IOException, InterruptedException {
        Path own = Files.createDirectory(dir.toRealPath().resolve("own"));
        StringBuilder text =
                new StringBuilder("namespace: cleave\nresources:\n  - ").append(relative(own, "overlays", overlay));
        text.append("\ncomponents:\n");
        components.forEach(component -> text.append("  - ")
                .append(relative(own, "components", component))
                .append('\n'));
        Files.writeString(own.resolve("kustomization.yaml"), text);
        return Manifests.parse(Manifests.render(own));
    }

    private static Path relative(Path own, String folder, String name) {
        return own.relativize(Manifests.FOLDER.resolve(folder).resolve(name));
    }

    static void check(Manifests manifests) throws IOException {
        Set<String> needed = Network.needed();
        List<String> violations;
        try (AdminPaths paths = AdminPaths.start()) {
            violations = ManifestRules.violations(manifests, paths::exists);
        }
        assertAll(
                () -> assertThat(StrictModel.violations(manifests)).isEmpty(),
                () -> assertThat(violations).isEmpty(),
                () -> assertThat(Network.permitted(manifests)).isEqualTo(needed),
                () -> assertThat(Network.deniesTheRest(manifests)).isTrue());
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void anOverlayKeepsTheRules(String overlay) throws Exception {
        Manifests manifests = Manifests.parse(
                Manifests.render(Manifests.FOLDER.resolve("overlays").resolve(overlay)));
        assertThat(manifests.serving().stream().map(Workload::component))
                .containsExactlyInAnyOrder("dfs", "master", "server", "front-end");
        check(manifests);
    }

    @ParameterizedTest
    @MethodSource("components")
    void aComponentKeepsTheRules(String component) throws Exception {
        String overlay = component.equals("tls") ? "dev" : "production";
        check(with(overlay, List.of(component)));
    }

    @Test
    void allComponentsTogetherKeepTheRules() throws Exception {
        Manifests manifests = with(
                "production", components().filter(name -> !name.equals("tls")).toList());
        check(manifests);
        assertThat(manifests.find(Deployment.class, "cleave-front-end"))
                .get()
                .extracting(deployment -> deployment.getSpec().getReplicas())
                .as("the autoscaler's to set")
                .isNull();
    }

    /** The commands that pods run must be ones that exist. */
    @ParameterizedTest
    @MethodSource("overlays")
    void backupAndRestoreAreCommandsWithTheClustersAddresses(String overlay) throws Exception {
        Manifests manifests = with(overlay, List.of("backup"));
        check(manifests);
        String tls = overlay.equals("dev") ? "" : "/etc/cleave/tls";
        for (String name : List.of("cleave-backup", "cleave-restore")) {
            Workload job = job(manifests, name);
            List<String> arguments = job.arguments(manifests);
            assertThat(arguments).contains("--tls=" + tls, "--masters", "--dfs", "dfs:cleave-dfs-0.cleave-dfs:10500");
            assertThatCode(() -> Cleave.commandLine().parseArgs(arguments.toArray(String[]::new)))
                    .doesNotThrowAnyException();
            assertThat(job.mountOf(arguments.get(1)))
                    .flatMap(mount -> job.volume(mount.getName()))
                    .get()
                    .extracting(Volume::getPersistentVolumeClaim)
                    .isNotNull();
            assertThat(Network.leaving(manifests, job)).containsExactly("dfs:10500", "master:10100");
        }
    }

    private static Workload job(Manifests manifests, String name) {
        return manifests.workloads().stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void operatorsExportTablesThroughFrontEnds(String overlay) throws Exception {
        Manifests manifests = Manifests.parse(
                Manifests.render(Manifests.FOLDER.resolve("overlays").resolve(overlay)));
        assertThat(Network.leaving(manifests, job(manifests, "cleave-admin"))).contains("front-end:10002");
    }

    @Test
    void strangersReachOnlyFrontEnds() throws Exception {
        Manifests dev = Manifests.parse(Manifests.render(Manifests.FOLDER.resolve("overlays/dev")));
        assertThat(Network.open(dev)).containsExactly("front-end:10002");
        Manifests production = Manifests.parse(Manifests.render(Manifests.FOLDER.resolve("overlays/production")));
        assertThat(Network.open(production)).containsExactly("front-end:10002", "front-end:10443");
    }

    @Test
    void aChangedSettingGetsAConfigMapOfAnotherName() throws Exception {
        Manifests dev = Manifests.parse(Manifests.render(Manifests.FOLDER.resolve("overlays/dev")));
        Manifests production = Manifests.parse(Manifests.render(Manifests.FOLDER.resolve("overlays/production")));
        assertThat(named(dev, "cleave-server")).isNotEqualTo(named(production, "cleave-server"));
        assertThat(named(dev, "cleave-dfs")).isEqualTo(named(production, "cleave-dfs"));
    }

    private static String named(Manifests manifests, String prefix) {
        return manifests.all(ConfigMap.class).stream()
                .map(HasMetadata::getMetadata)
                .map(meta -> meta.getName())
                .filter(name -> name.matches(prefix + "-[a-z0-9]{10}"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void productionHasThreeMastersOfOneGroup() throws Exception {
        Manifests production = Manifests.parse(Manifests.render(Manifests.FOLDER.resolve("overlays/production")));
        Workload masters = production.serving().stream()
                .filter(workload -> workload.component().equals("master"))
                .findFirst()
                .orElseThrow();
        assertThat(masters.replicas()).isEqualTo(3);
        assertThat(masters.settings(production).get("master.peers").split(",")).hasSize(3);
    }
}
