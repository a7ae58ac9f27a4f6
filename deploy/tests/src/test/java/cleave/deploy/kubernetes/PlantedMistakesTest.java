package cleave.deploy.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** A line ends where {@code \n} stands. */
    private static void assertFound(String all, String right, String wrong, String expected) throws Exception {
        String planted = right.replace("\\n", "\n");
        assertThat(all).contains(planted);
        assertThat(violations(Manifests.parse(all.replace(planted, wrong.replace("\\n", "\n")))))
                .anyMatch(found -> found.contains(expected));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            replicas: 1 | replicaz: 1 | there is no field .spec.replicaz
            failureThreshold: 6\\n | failureTreshold: 6\\n | livenessProbe.failureTreshold
            containerPort: 10300 | containerPort: 10301 | but its settings listen on [10300, 10900]
            path: /readyz | path: /ready | the admin port does not have /ready
            path: /readyz | path: /healthz | readinessProbe must ask /readyz
            periodSeconds: 1\\n | periodSeconds: 2\\n | Probe must ask each second
            kind: PodDisruptionBudget | kind: Eviction | needs one PodDisruptionBudget, and has 0
            server.drain-deadline=300s | server.drain-dedline=300s | unknown setting server.drain-dedline
            server.drain-deadline=300s | server.drain-deadline=7200s | must be at most 1h
            terminationGracePeriodSeconds: 60 | terminationGracePeriodSeconds: 25 | may take 30 s to end
            server.block-cache=256MiB | server.block-cache=1GiB | add up to 2048 MiB, but its limit is 1536
            -Xmx512m -XX:MaxDirect | -XX:MaxDirect | must set -Xmx
            readOnlyRootFilesystem: true | readOnlyRootFilesystem: false | read-only root
            runAsNonRoot: true | runAsNonRoot: false | other than root
            type: RuntimeDefault | type: Unconfined | seccompProfile
            automountServiceAccountToken: false | automountServiceAccountToken: true | automount
            cleave:unreleased | cleave:latest | not latest
            cleave:unreleased | cleave | must have a tag
            publishNotReadyAddresses: true | publishNotReadyAddresses: false | headless Service
            ReadWriteOncePod | ReadWriteOnce | must be ReadWriteOncePod
            sizeLimit: 5Gi | medium: "" | needs a sizeLimit
            master.dir=/var/lib/cleave/ | master.dir=/var/lib/other/ | not in a persistent volume
            MASTERS: cleave-master-0 | MASTERS: cleave-master-1 | where nothing listens
            MASTERS: cleave | MASTRS: cleave | MASTERS is nowhere
            suspend: true | suspend: false | must be asked for
            unhealthyPodEvictionPolicy: AlwaysAllow | minAvailable: null | AlwaysAllow
            topologyKey: topology.kubernetes.io/zone | topologyKey: rack | over zones
            safe-to-evict: "true" | safe-to-evict: "false" | safe-to-evict: "true"
            tolerationSeconds: 30 | tolerationSeconds: 300 | half a minute after their node was lost
            targetPort: http | targetPort: htpp | with the same name
            """)
    void aMistakeIsFound(String right, String wrong, String expected) throws Exception {
        assertFound(yaml, right, wrong, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            zone=$(ZONE) | zone=a/b | setting zone is 'a/b'
            bookiePort=3181 | bookiePort=3182 | its settings listen on [10900, 3182]
            3888;2181 | 3888;2182 | listen on [10900, 2182, 2888, 3888]
            server.3= | server.4=cleave-zookeeper-3.x:2888:3888;2181\\n    server.3= | 3 pods
            server.3=cleave-zookeeper-2.cleave-zookeeper: | server.3=cleave-zookeeper-2.wrong: | where nothing listens
            dbStorage_rocksDB_blockCacheSize=268435456 | dbStorage_rocksDB_blockCacheSize=1268435456 | but its limit is 4096 MiB
            dbStorage_writeCacheMaxSizeMb=512 | dbStorage_writeCacheMaxSizeMb=1024 | half of its direct
            journalDirectories=/var/lib/cleave/journal/ | journalDirectories=/var/lib/cleave/ledgers/ | share a volume
            - cleave-server\\n | - cleave-servers\\n | its certificate does not have that name
            volumeClaimTemplates: | claims: | should be a Deployment
            dataLogDir=/var/lib/cleave/log/ | dataLogDir=/tmp/ | not in a persistent volume
            whenScaled: Retain | whenScaled: Delete | must retain
            METADATA: zk+ | METADATA: zz+ | must be zk+
            terminationGracePeriodSeconds: 120 | terminationGracePeriodSeconds: 60 | may take 80 s to end
            """)
    void aMistakeWithBookiesIsFound(String right, String wrong, String expected) throws Exception {
        assertFound(Kustomize.render(Kustomize.FOLDER.resolve("overlays/production")), right, wrong, expected);
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
