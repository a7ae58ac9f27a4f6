package cleave.chaos.conformance;

import cleave.client.Endpoint;
import java.util.Map;
import org.junit.jupiter.api.Nested;

/** The contracts that hold for every running service; its subclasses say which one, by an extension that gives the endpoint. */
abstract class ClientContracts extends TableContracts {
    private final Map<String, String> nodeEnvironment;

    /** @param nodeEnvironment what Node needs for the service, besides the environment of this process */
    ClientContracts(Map<String, String> nodeEnvironment) {
        this.nodeEnvironment = nodeEnvironment;
    }

    @Nested
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
    class SasCommand extends SasCommandContract {
        SasCommand(Endpoint endpoint) {
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
        JavaScript(Endpoint endpoint) {
            super(endpoint, nodeEnvironment);
        }
    }

    @Nested
    class OldJavaScript extends OldJavaScriptContract {
        OldJavaScript(Endpoint endpoint) {
            super(endpoint, nodeEnvironment);
        }
    }

    @Nested
    class HostileInput extends HostileInputContract {
        HostileInput(Endpoint endpoint) {
            super(endpoint);
        }
    }
}
