package cleave.chaos.lab;

import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.process.Cluster;
import cleave.chaos.system.ClusterSystem;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Labs on a cluster, which they leave as they found it; otherwise like {@link LabsIT}. */
@ExtendWith(ClusterSystem.class)
@Tag("nightly")
class ClusterLabsIT {
    @TempDir
    private Path blobs;

    static Stream<Lab> labs() {
        return LabsIT.thatNeed(Needs.CLUSTER);
    }

    @ParameterizedTest
    @MethodSource("labs")
    void claimsHoldOnACluster(Lab lab, Cluster cluster) {
        LabsIT.check(lab, LabSystem.of(cluster), blobs);
    }
}
