package cleave.chaos.load.run;

import cleave.client.Endpoint;
import cleave.client.Http2Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The connections of HTTP/2 that the clients of a load share evenly. They outlast its steps. Thread-safe. */
public final class Http2Connections {
    private final List<Http2Connection> connections;
    private final AtomicInteger given = new AtomicInteger();

    /** IllegalArgumentException unless the endpoint is one of https. */
    public Http2Connections(Endpoint endpoint, int count, Duration patience) {
        connections = Stream.generate(() -> new Http2Connection(endpoint, patience))
                .limit(count)
                .toList();
    }

    int count() {
        return connections.size();
    }

    /** The connection of the next client. */
    Http2Connection next() {
        return connections.get(Math.floorMod(given.getAndIncrement(), connections.size()));
    }
}
