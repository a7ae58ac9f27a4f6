package cleave.chaos.conformance;

import cleave.chaos.client.Endpoint;
import cleave.chaos.system.SecureSystem;
import cleave.chaos.system.SecureSystem.Authority;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contracts of the SDKs, over HTTPS. */
@ExtendWith(SecureSystem.class)
class SecureConformanceIT {
    @Nested
    class JavaTables extends JavaTablesContract {
        JavaTables(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class JavaAsync extends JavaAsyncContract {
        JavaAsync(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class JavaSas extends JavaSasContract {
        JavaSas(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class JavaService extends JavaServiceContract {
        JavaService(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class LegacyJava extends LegacyJavaContract {
        LegacyJava(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class LegacySas extends LegacySasContract {
        LegacySas(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class LegacyService extends LegacyServiceContract {
        LegacyService(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class JavaScript extends JavaScriptContract {
        JavaScript(Endpoint endpoint, Authority authority) {
            super(
                    endpoint,
                    Map.of("NODE_EXTRA_CA_CERTS", authority.certificate().toString()));
        }
    }
}
