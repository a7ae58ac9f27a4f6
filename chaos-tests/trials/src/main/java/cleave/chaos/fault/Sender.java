package cleave.chaos.fault;

import cleave.chaos.history.Outcome;
import cleave.client.Answer;
import cleave.client.Endpoint;
import cleave.client.KeptConnection;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over one connection at a time, each at most once. Confined to its client's thread.
 *
 * <p>When a connection breaks, its operation has an unknown outcome, and the next operation uses the next front end.
 */
final class Sender {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final List<Requests> frontEnds;
    private final List<KeptConnection> connections;
    private int current;

    /** @param first index of the first front end to use, modulo their number */
    Sender(List<Endpoint> frontEnds, int first) {
        this.frontEnds = frontEnds.stream().map(Requests::new).toList();
        this.connections = frontEnds.stream()
                .map(frontEnd -> new KeptConnection(frontEnd, PATIENCE))
                .toList();
        this.current = first % frontEnds.size();
    }

    /** The answer to a request, or why there is none. */
    record Sent(@Nullable Answer answer, Outcome failure, String text) {}

    Sent send(Function<Requests, Request> making) {
        Request request = making.apply(frontEnds.get(current));
        KeptConnection connection = connections.get(current);
        try {
            connection.connect();
        } catch (IOException refused) {
            current = (current + 1) % frontEnds.size();
            return new Sent(null, Outcome.NOT_EXECUTED, "no connection");
        }
        try {
            return new Sent(connection.exchange(request), Outcome.DONE, "");
        } catch (IOException broken) {
            current = (current + 1) % frontEnds.size();
            return new Sent(null, Outcome.UNKNOWN, broken.toString());
        }
    }

    void disconnect() {
        connections.forEach(KeptConnection::close);
    }
}
