package cleave.chaos.lab;

import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.process.Cluster;
import cleave.chaos.system.ClusterSystem;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Labs on a cluster, which they leave as they found it; otherwise like {@link LabsIT}. */
@ExtendWith(ClusterSystem.class)
class ClusterLabsIT {
    private static final Set<String> QUICK = Set.of("ranges-and-servers", "continuation-tokens", "parallel-queries");

    @TempDir
    private Path blobs;

    /** The labs that do not wait for the balancer. */
    static Stream<Lab> quickLabs() {
        return LabsIT.thatNeed(Needs.CLUSTER).filter(ClusterLabsIT::isQuick);
    }

    static Stream<Lab> otherLabs() {
        return LabsIT.thatNeed(Needs.CLUSTER).filter(lab -> !isQuick(lab));
    }

    private static boolean isQuick(Lab lab) {
        return QUICK.contains(lab.card().name());
    }

    @ParameterizedTest
    @MethodSource("quickLabs")
    void claimsHoldOnACluster(Lab lab, Cluster cluster) {
        LabsIT.check(lab, LabSystem.of(cluster), blobs);
    }

    @ParameterizedTest
    @MethodSource("otherLabs")
    @Tag("nightly")
    void claimsOfLabsThatWatchTheBalancerHold(Lab lab, Cluster cluster) {
        LabsIT.check(lab, LabSystem.of(cluster), blobs);
    }
}
