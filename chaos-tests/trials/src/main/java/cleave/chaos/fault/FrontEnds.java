package cleave.chaos.fault;

import cleave.client.Endpoint;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Where a client's connections lead. Thread-safe. */
public interface FrontEnds {
    /** For a new connection; IOException if none is ready. */
    Endpoint next() throws IOException;

    /** Notes a connection that could not be opened, or broke. */
    void failed(Endpoint endpoint);

    /**
     * For one client, which keeps to one of them until that fails.
     *
     * @param first index of the first one, modulo their number
     */
    static FrontEnds inTurn(List<Endpoint> all, int first) {
        AtomicInteger current = new AtomicInteger(first);
        return new FrontEnds() {
            @Override
            public Endpoint next() {
                return all.get(Math.floorMod(current.get(), all.size()));
            }

            @Override
            public void failed(Endpoint endpoint) {
                current.incrementAndGet();
            }
        };
    }
}
