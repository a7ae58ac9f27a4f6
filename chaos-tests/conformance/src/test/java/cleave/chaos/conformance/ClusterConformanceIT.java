package cleave.chaos.conformance;

import cleave.chaos.system.ClusterSystem;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** All contracts of clients, against a cluster of separate processes; {@link ClusterSmokeIT} has some of them in each build. */
@ExtendWith(ClusterSystem.class)
@Tag("nightly")
class ClusterConformanceIT extends ClientContracts {
    ClusterConformanceIT() {
        super(Map.of());
    }
}
