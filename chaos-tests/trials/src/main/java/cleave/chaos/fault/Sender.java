package cleave.chaos.fault;

import cleave.chaos.history.Outcome;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over one connection, each at most once. Confined to its client's thread.
 *
 * <p>When a connection breaks, its operation has an unknown outcome, and the next operation uses the next front end.
 */
final class Sender {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final List<Requests> frontEnds;
    private int current;
    private @Nullable Connection connection;

    /** @param first index of the first front end to use, modulo their number */
    Sender(List<Endpoint> frontEnds, int first) {
        this.frontEnds = frontEnds.stream().map(Requests::new).toList();
        this.current = first % frontEnds.size();
    }

    /** The answer to a request, or why there is none. */
    record Sent(@Nullable Answer answer, Outcome failure, String text) {}

    Sent send(Function<Requests, Request> making) {
        Request request = making.apply(frontEnds.get(current));
        Connection open = connected();
        if (open == null) {
            current = (current + 1) % frontEnds.size();
            return new Sent(null, Outcome.NOT_EXECUTED, "no connection");
        }
        try {
            Answer answer = open.exchange(request);
            if (answer.header("Connection").equalsIgnoreCase("close")) {
                disconnect();
            }
            return new Sent(answer, Outcome.DONE, "");
        } catch (IOException broken) {
            disconnect();
            current = (current + 1) % frontEnds.size();
            return new Sent(null, Outcome.UNKNOWN, broken.toString());
        }
    }

    private @Nullable Connection connected() {
        if (connection == null) {
            try {
                connection = Connection.open(frontEnds.get(current).endpoint(), PATIENCE);
            } catch (IOException refused) {
                return null;
            }
        }
        return connection;
    }

    void disconnect() {
        if (connection != null) {
            try {
                connection.close();
            } catch (IOException alreadyBroken) {
                // The connection is given up anyway.
            }
            connection = null;
        }
    }
}
