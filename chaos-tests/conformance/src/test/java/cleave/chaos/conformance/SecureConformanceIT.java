package cleave.chaos.conformance;

import cleave.chaos.system.SecureSystem;
import cleave.chaos.system.SecureSystem.Authority;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contracts of clients, over HTTPS. */
@ExtendWith(SecureSystem.class)
class SecureConformanceIT extends ClientContracts {
    SecureConformanceIT(Authority authority) {
        super(Map.of("NODE_EXTRA_CA_CERTS", authority.certificate().toString()));
    }
}
