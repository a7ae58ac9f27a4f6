package cleave.chaos.conformance;

import cleave.chaos.client.Endpoint;
import cleave.chaos.system.StandaloneSystem;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every client contract, against the all-in-one process. */
@ExtendWith(StandaloneSystem.class)
class StandaloneConformanceIT {
    @Nested
    class JavaTables extends JavaTablesContract {
        JavaTables(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class JavaEntities extends JavaEntitiesContract {
        JavaEntities(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class JavaQueries extends JavaQueriesContract {
        JavaQueries(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class JavaTransactions extends JavaTransactionsContract {
        JavaTransactions(Endpoint endpoint) {
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
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class LegacyJava extends LegacyJavaContract {
        LegacyJava(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class Isolation extends IsolationContract {
        Isolation(Endpoint endpoint) {
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
    class LegacySas extends LegacySasContract {
        LegacySas(Endpoint endpoint) {
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
    class LegacyService extends LegacyServiceContract {
        LegacyService(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class JavaScript extends JavaScriptContract {
        JavaScript(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class Connections extends ConnectionsContract {
        Connections(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class HostileInput extends HostileInputContract {
        HostileInput(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class Filters extends FilterContract {
        Filters(Endpoint endpoint) {
            super(endpoint, 1);
        }
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class RoundTrip extends RoundTripContract {
        RoundTrip(Endpoint endpoint) {
            super(endpoint);
        }
    }
}
