package cleave.deploy.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assertions.assertAll;

import cleave.deploy.Cleave;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Checks what every overlay renders, alone and with each component: its fields exist, and it keeps our rules. */
class ManifestsTest {
    /** Components that the overlay for production has, and that no overlay can take twice. */
    private static final Set<String> IN_PRODUCTION = Set.of("tls", "bookkeeper", "bookkeeper-tls");

    @TempDir
    private Path dir;

    private Path own = Path.of("");

    static Stream<String> overlays() throws IOException {
        return names("overlays");
    }

    static Stream<String> components() throws IOException {
        return names("components");
    }

    private static Stream<String> names(String folder) throws IOException {
        try (Stream<Path> found = Files.list(Kustomize.FOLDER.resolve(folder))) {
            return found
                    .filter(Files::isDirectory)
                    .map(path -> path.getFileName().toString())
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    /** Renders an overlay with components, as an operator's own overlay does. */
    private Manifests with(String overlay, List<String> components) throws IOException, InterruptedException {
        own = Files.createDirectories(dir.toRealPath().resolve("own"));
        StringBuilder text =
                new StringBuilder("namespace: cleave\nresources:\n  - ").append(relative(own, "overlays", overlay));
        text.append("\ncomponents:\n");
        components.forEach(component -> text.append("  - ")
                .append(relative(own, "components", component))
                .append('\n'));
        Files.writeString(own.resolve("kustomization.yaml"), text);
        return Kustomize.manifests(own);
    }

    private static Path relative(Path own, String folder, String name) {
        return own.relativize(Kustomize.FOLDER.resolve(folder).resolve(name));
    }

    static void check(Manifests manifests) throws IOException {
        Set<String> needed = Network.needed(manifests);
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
        Manifests manifests =
                Kustomize.manifests(Kustomize.FOLDER.resolve("overlays").resolve(overlay));
        assertThat(Workload.serving(manifests).stream().map(Workload::component))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(Stream.of("master", "server", "front-end"), dfsOf(overlay))
                                .toList());
        check(manifests);
    }

    private static Stream<String> dfsOf(String overlay) {
        return overlay.equals("dev") ? Stream.of("dfs") : Stream.of("zookeeper", "bookie", "autorecovery");
    }

    @ParameterizedTest
    @MethodSource("components")
    void aComponentKeepsTheRules(String component) throws Exception {
        check(with(
                IN_PRODUCTION.contains(component) || isEngine(component) ? "dev" : "production",
                component.equals("bookkeeper-tls") ? List.of("tls", "bookkeeper", component) : List.of(component)));
    }

    private static boolean isEngine(String component) {
        return component.startsWith("bookkeeper");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bookkeeper", "bookkeeper-external"})
    void theEngineReplacesTheNodeWithAndWithoutTlsAndBackups(String engine) throws Exception {
        for (List<String> components : List.of(
                List.of(engine, "tls", "backup"), List.of("backup", "tls", engine), List.of("backup", engine))) {
            Manifests manifests = with("dev", components);
            check(manifests);
            assertThat(manifests.objects().stream()
                            .filter(object -> !object.getKind().equals("Certificate"))
                            .map(object -> object.getMetadata().getName()))
                    .as("%s", components)
                    .noneMatch(name -> name.startsWith("cleave-dfs"));
            assertThat(job(manifests, "cleave-backup").arguments(manifests))
                    .anyMatch(argument -> argument.startsWith("bookkeeper://") && argument.endsWith("?clear=true"));
            Files.delete(own.resolve("kustomization.yaml"));
        }
    }

    /** Copies of a piece are on different hosts only if bookies are. While one is away, only a fourth one can take new copies. */
    @Test
    void productionHasFourBookiesAndThreeServersOfZooKeeper() throws Exception {
        Manifests production = Kustomize.manifests(Kustomize.FOLDER.resolve("overlays/production"));
        assertThat(Workload.serving(production).stream()
                        .filter(workload -> isEngineRole(workload.component()))
                        .map(workload -> workload.component() + " " + workload.replicas()))
                .containsExactlyInAnyOrder("zookeeper 3", "bookie 4", "autorecovery 2");
        CronJob format = production.find(CronJob.class, "cleave-format").orElseThrow();
        assertThat(format.getSpec().getSuspend()).isTrue();
        Workload job = job(production, "cleave-format");
        assertThatCode(() ->
                        Cleave.commandLine().parseArgs(job.arguments(production).toArray(String[]::new)))
                .doesNotThrowAnyException();
        assertThat(Network.leaving(production, job)).containsExactly("zookeeper:2181");
    }

    @Test
    void productionTalksWithItsEngineOverTlsAlone() throws Exception {
        Manifests production = Kustomize.manifests(Kustomize.FOLDER.resolve("overlays/production"));

        assertThat(Workload.all(production).stream()
                        .filter(workload -> isEngineRole(workload.component())
                                || workload.component().equals("format")))
                .hasSize(4)
                .allSatisfy(workload -> {
                    assertThat(workload.arguments(production)).containsSequence("--set", "tls=/etc/cleave/tls");
                    assertThat(workload.mountOf("/etc/cleave/tls"))
                            .flatMap(mount -> workload.volume(mount.getName()))
                            .get()
                            .extracting(volume -> volume.getSecret().getSecretName())
                            .isIn("cleave-zookeeper-tls", "cleave-bookie-tls", "cleave-autorecovery-tls");
                });
        assertThat(Workload.serving(production).stream()
                        .filter(workload -> Set.of("master", "server").contains(workload.component()))
                        .flatMap(workload -> workload.arguments(production).stream())
                        .filter(argument -> argument.contains("bookkeeper://")))
                .hasSize(2)
                .allSatisfy(argument -> assertThat(argument).endsWith("/cleave"));
    }

    private static boolean isEngineRole(String component) {
        return List.of("zookeeper", "bookie", "autorecovery").contains(component);
    }

    @Test
    void allComponentsTogetherKeepTheRules() throws Exception {
        Manifests manifests = with(
                "production",
                components()
                        .filter(name -> !IN_PRODUCTION.contains(name) && !isEngine(name))
                        .toList());
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
            assertThat(arguments).contains("--tls=" + tls, "--masters", "--dfs");
            assertThat(arguments.get(arguments.indexOf("--dfs") + 1))
                    .startsWith(
                            overlay.equals("dev")
                                    ? "dfs:cleave-dfs-0.cleave-dfs:10500"
                                    : "bookkeeper://cleave-zookeeper-0.cleave-zookeeper:2181,");
            assertThatCode(() -> Cleave.commandLine().parseArgs(arguments.toArray(String[]::new)))
                    .doesNotThrowAnyException();
            assertThat(job.mountOf(arguments.get(1)))
                    .flatMap(mount -> job.volume(mount.getName()))
                    .get()
                    .extracting(Volume::getPersistentVolumeClaim)
                    .isNotNull();
            assertThat(Network.leaving(manifests, job))
                    .containsExactlyInAnyOrderElementsOf(
                            overlay.equals("dev")
                                    ? List.of("dfs:10500", "master:10100")
                                    : List.of("bookie:3181", "master:10100", "zookeeper:2181"));
        }
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void theBoardIsACommandWithTheClustersAddressesThatNobodyReaches(String overlay) throws Exception {
        Manifests manifests = with(overlay, List.of("board"));
        Workload board = job(manifests, "cleave-board");
        List<String> arguments = board.arguments(manifests);

        assertThatCode(() -> Cleave.commandLine().parseArgs(arguments.toArray(String[]::new)))
                .doesNotThrowAnyException();
        assertThat(arguments)
                .contains(
                        "--listen=127.0.0.1:10800",
                        overlay.equals("dev") ? "--tls=" : "--tls=/etc/cleave/tls",
                        overlay.equals("dev")
                                ? "--scrape=dfs=cleave-dfs:10900"
                                : "--scrape=bookie=cleave-bookie:10900");
        assertThat(board.volume("tls"))
                .get()
                .extracting(volume -> volume.getSecret().getSecretName())
                .isEqualTo("cleave-viewer-tls");
        assertThat(board.container().getPorts()).isEmpty();
    }

    private static Workload job(Manifests manifests, String name) {
        return Workload.all(manifests).stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void operatorsExportTablesThroughFrontEnds(String overlay) throws Exception {
        Manifests manifests =
                Kustomize.manifests(Kustomize.FOLDER.resolve("overlays").resolve(overlay));
        assertThat(Network.leaving(manifests, job(manifests, "cleave-admin"))).contains("front-end:10002");
    }

    @Test
    void strangersReachOnlyFrontEnds() throws Exception {
        Manifests dev = Kustomize.manifests(Kustomize.FOLDER.resolve("overlays/dev"));
        assertThat(Network.open(dev)).containsExactly("front-end:10002");
        Manifests production = Kustomize.manifests(Kustomize.FOLDER.resolve("overlays/production"));
        assertThat(Network.open(production)).containsExactly("front-end:10002", "front-end:10443");
    }

    @Test
    void aChangedSettingGetsAConfigMapOfAnotherName() throws Exception {
        Manifests dev = Kustomize.manifests(Kustomize.FOLDER.resolve("overlays/dev"));
        Manifests production = Kustomize.manifests(Kustomize.FOLDER.resolve("overlays/production"));
        assertThat(named(dev, "cleave-server")).isNotEqualTo(named(production, "cleave-server"));
        assertThat(named(dev, "cleave-master")).isEqualTo(named(production, "cleave-master"));
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
        Manifests production = Kustomize.manifests(Kustomize.FOLDER.resolve("overlays/production"));
        Workload masters = Workload.serving(production).stream()
                .filter(workload -> workload.component().equals("master"))
                .findFirst()
                .orElseThrow();
        assertThat(masters.replicas()).isEqualTo(3);
        assertThat(masters.settings(production).get("master.peers").split(",")).hasSize(3);
    }
}
