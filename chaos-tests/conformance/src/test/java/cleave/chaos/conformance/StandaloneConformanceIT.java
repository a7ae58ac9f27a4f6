package cleave.chaos.conformance;

import cleave.chaos.system.StandaloneSystem;
import cleave.client.Endpoint;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every contract, against the all-in-one process. */
@ExtendWith(StandaloneSystem.class)
class StandaloneConformanceIT extends ClientContracts {
    StandaloneConformanceIT() {
        super(Map.of());
    }

    @Nested
    class Filters extends FilterContract {
        Filters(Endpoint endpoint) {
            super(endpoint, 1);
        }
    }

    @Nested
    class DebianSdks extends DebianSdksContract {
        DebianSdks(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class RoundTrip extends RoundTripContract {
        RoundTrip(Endpoint endpoint) {
            super(endpoint);
        }
    }
}
