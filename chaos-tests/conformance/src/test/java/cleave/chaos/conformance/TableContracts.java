package cleave.chaos.conformance;

import cleave.client.Endpoint;
import org.junit.jupiter.api.Nested;

/** The contracts of tables, entities, queries and transactions, for whichever service the subclass's extension gives the endpoint of. */
abstract class TableContracts {
    @Nested
    class JavaTables extends JavaTablesContract {
        JavaTables(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class JavaEntities extends JavaEntitiesContract {
        JavaEntities(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class JavaQueries extends JavaQueriesContract {
        JavaQueries(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class JavaTransactions extends JavaTransactionsContract {
        JavaTransactions(Endpoint endpoint) {
            super(endpoint);
        }
    }

    @Nested
    class Isolation extends IsolationContract {
        Isolation(Endpoint endpoint) {
            super(endpoint);
        }
    }
}
