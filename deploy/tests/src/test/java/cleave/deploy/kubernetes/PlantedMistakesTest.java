package cleave.deploy.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Mistakes that the checks are for: each is planted in the output of the dev overlay, and found. */
@Tag("nightly")
class PlantedMistakesTest {
    private static String yaml = "";

    @BeforeAll
    static void render() throws Exception {
        yaml = Kustomize.render(Kustomize.FOLDER.resolve("overlays/dev"));
    }

    private static List<String> violations(Manifests manifests) {
        List<String> found = new ArrayList<>(StrictModel.violations(manifests));
        try (AdminPaths paths = AdminPaths.start()) {
            found.addAll(ManifestRules.violations(manifests, paths::exists));
        }
        return found;
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                arguments("replicas: 1", "replicaz: 1", "there is no field .spec.replicaz"),
                arguments("failureThreshold: 6\n", "failureTreshold: 6\n", "livenessProbe.failureTreshold"),
                arguments("containerPort: 10300", "containerPort: 10301", "but its settings listen on [10300, 10900]"),
                arguments("path: /readyz", "path: /ready", "the admin port does not have /ready"),
                arguments("path: /readyz", "path: /healthz", "readinessProbe must ask /readyz"),
                arguments("periodSeconds: 1\n", "periodSeconds: 2\n", "Probe must ask each second"),
                arguments("kind: PodDisruptionBudget", "kind: Eviction", "needs one PodDisruptionBudget, and has 0"),
                arguments(
                        "server.drain-deadline=300s",
                        "server.drain-dedline=300s",
                        "unknown setting server.drain-dedline"),
                arguments("server.drain-deadline=300s", "server.drain-deadline=7200s", "must be at most 1h"),
                arguments(
                        "terminationGracePeriodSeconds: 60",
                        "terminationGracePeriodSeconds: 25",
                        "may take 30 s to end"),
                arguments(
                        "server.block-cache=256MiB",
                        "server.block-cache=1GiB",
                        "add up to 2048 MiB, but its limit is 1536"),
                arguments("-Xmx512m -XX:MaxDirect", "-XX:MaxDirect", "must set -Xmx"),
                arguments("readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "read-only root"),
                arguments("runAsNonRoot: true", "runAsNonRoot: false", "other than root"),
                arguments("type: RuntimeDefault", "type: Unconfined", "seccompProfile"),
                arguments("automountServiceAccountToken: false", "automountServiceAccountToken: true", "automount"),
                arguments("cleave:unreleased", "cleave:latest", "not latest"),
                arguments("cleave:unreleased", "cleave", "must have a tag"),
                arguments("publishNotReadyAddresses: true", "publishNotReadyAddresses: false", "headless Service"),
                arguments("ReadWriteOncePod", "ReadWriteOnce", "must be ReadWriteOncePod"),
                arguments("sizeLimit: 5Gi", "medium: \"\"", "needs a sizeLimit"),
                arguments("master.dir=/var/lib/cleave/", "master.dir=/var/lib/other/", "not in a persistent volume"),
                arguments("MASTERS: cleave-master-0", "MASTERS: cleave-master-1", "where nothing listens"),
                arguments("MASTERS: cleave", "MASTRS: cleave", "MASTERS is nowhere"),
                arguments("suspend: true", "suspend: false", "must be asked for"),
                arguments("unhealthyPodEvictionPolicy: AlwaysAllow", "minAvailable: null", "AlwaysAllow"),
                arguments("topologyKey: topology.kubernetes.io/zone", "topologyKey: rack", "over zones"),
                arguments("safe-to-evict: \"true\"", "safe-to-evict: \"false\"", "safe-to-evict: \"true\""),
                arguments("tolerationSeconds: 30", "tolerationSeconds: 300", "half a minute after their node was lost"),
                arguments("targetPort: http", "targetPort: htpp", "with the same name"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsFound(String right, String wrong, String expected) throws Exception {
        assertThat(yaml).contains(right);
        assertThat(violations(Manifests.parse(yaml.replace(right, wrong)))).anyMatch(found -> found.contains(expected));
    }

    static Stream<Arguments> mistakesWithBookies() {
        return Stream.of(
                arguments("zone=$(ZONE)", "zone=a/b", "setting zone is 'a/b'"),
                arguments("bookiePort=3181", "bookiePort=3182", "its settings listen on [10900, 3182]"),
                arguments("3888;2181", "3888;2182", "listen on [10900, 2182, 2888, 3888]"),
                arguments("server.3=", "server.4=cleave-zookeeper-3.x:2888:3888;2181\n    server.3=", "3 pods"),
                arguments(
                        "server.3=cleave-zookeeper-2.cleave-zookeeper:",
                        "server.3=cleave-zookeeper-2.wrong:",
                        "where nothing listens"),
                arguments(
                        "dbStorage_rocksDB_blockCacheSize=268435456",
                        "dbStorage_rocksDB_blockCacheSize=1268435456",
                        "but its limit is 4096 MiB"),
                arguments(
                        "dbStorage_writeCacheMaxSizeMb=512",
                        "dbStorage_writeCacheMaxSizeMb=1024",
                        "half of its direct"),
                arguments(
                        "journalDirectories=/var/lib/cleave/journal/",
                        "journalDirectories=/var/lib/cleave/ledgers/",
                        "share a volume"),
                arguments("- cleave-server\n", "- cleave-servers\n", "its certificate does not have that name"),
                arguments("volumeClaimTemplates:", "claims:", "should be a Deployment"),
                arguments("dataLogDir=/var/lib/cleave/log/", "dataLogDir=/tmp/", "not in a persistent volume"),
                arguments("whenScaled: Retain", "whenScaled: Delete", "must retain"),
                arguments("METADATA: zk+", "METADATA: zz+", "must be zk+"),
                arguments(
                        "terminationGracePeriodSeconds: 120",
                        "terminationGracePeriodSeconds: 60",
                        "may take 80 s to end"));
    }

    @ParameterizedTest
    @MethodSource("mistakesWithBookies")
    void aMistakeWithBookiesIsFound(String right, String wrong, String expected) throws Exception {
        String production = Kustomize.render(Kustomize.FOLDER.resolve("overlays/production"));
        assertThat(production).contains(right);
        assertThat(violations(Manifests.parse(production.replace(right, wrong))))
                .anyMatch(found -> found.contains(expected));
    }

    @Test
    void aSelectorThatMatchesNoPodIsFound() throws Exception {
        String changed = yaml.replaceFirst(
                "(?s)(kind: StatefulSet.{0,400}?matchLabels:\\s+app.kubernetes.io/component: )\\w+", "$1other");
        assertThat(violations(Manifests.parse(changed)))
                .anyMatch(found -> found.contains("its selector does not match"));
    }

    @Test
    void anEdgeTooManyAndOneTooFewAreFound() throws Exception {
        Set<String> needed = Network.needed(Manifests.parse(yaml));
        assertThat(needed)
                .contains("front-end -> server:10300", "server -> dfs:10500")
                .hasSizeGreaterThan(8);
        assertThat(Network.permitted(Manifests.parse(yaml.replace("port: 10101", "port: 10109"))))
                .doesNotContain("master -> master:10101");
        assertThat(Network.permitted(Manifests.parse(yaml.replace("port: 10300\n", "port: 10900\n"))))
                .isNotEqualTo(needed)
                .contains("front-end -> server:10900");
    }
}
