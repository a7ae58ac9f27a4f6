package cleave.chaos.load.run;

import cleave.chaos.load.workload.Operation;
import cleave.chaos.load.workload.Workload;
import java.io.IOException;
import java.time.Duration;

/** A store on which a load is put. Thread-safe. */
public interface Target {
    /** Its address for reports. */
    String address();

    /** A client's session, which need not be connected yet; IllegalArgumentException if the store cannot do all that the workload asks for. */
    Session open(String table, Workload workload, Duration patience);

    /** Creates a table and loads the workload's entities; IOException if the store does not take all of them. */
    void fill(String table, Workload workload) throws IOException;

    /** The entities in a table, counted one by one. */
    long count(String table) throws IOException;

    /** One client of the store, with a connection of its own. Confined to the client's thread. */
    interface Session extends AutoCloseable {
        /** One attempt at an operation. Whatever goes wrong is its outcome. */
        Attempt attempt(Operation operation);

        @Override
        void close();
    }
}
