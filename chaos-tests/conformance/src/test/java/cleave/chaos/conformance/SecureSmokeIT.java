package cleave.chaos.conformance;

import cleave.chaos.system.SecureSystem;
import cleave.client.Endpoint;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks what TLS could break: the connections of the two Java SDKs, whose HTTP clients differ. */
@ExtendWith(SecureSystem.class)
class SecureSmokeIT {
    @Nested
    class JavaTables extends JavaTablesContract {
        JavaTables(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class LegacyJava extends LegacyJavaContract {
        LegacyJava(Endpoint endpoint) {
            super(endpoint);
        }
    }
}
