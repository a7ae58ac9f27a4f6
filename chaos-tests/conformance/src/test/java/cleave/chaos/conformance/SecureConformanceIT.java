package cleave.chaos.conformance;

import cleave.chaos.system.SecureSystem;
import cleave.chaos.system.SecureSystem.Authority;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** All contracts of clients, over HTTPS. */
@ExtendWith(SecureSystem.class)
@Tag("nightly")
class SecureConformanceIT extends ClientContracts {
    SecureConformanceIT(Authority authority) {
        super(Map.of("NODE_EXTRA_CA_CERTS", authority.certificate().toString()));
    }
}
