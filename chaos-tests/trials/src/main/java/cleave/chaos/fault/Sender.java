package cleave.chaos.fault;

import cleave.chaos.history.Outcome;
import cleave.client.Answer;
import cleave.client.Endpoint;
import cleave.client.KeptConnection;
import cleave.client.Repeat;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over one connection at a time. Confined to its client's thread.
 *
 * <p>When a connection breaks, its request has an unknown outcome, and the next one uses the next front end.
 */
final class Sender {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final FrontEnds frontEnds;
    private final RetryPolicy retries;
    private final Random random = new Random();
    private final List<Long> repeated = new ArrayList<>();
    private @Nullable Link link;

    private record Link(Requests requests, KeptConnection connection) {}

    /** @param retries other than {@link RetryPolicy#NONE} only for requests that may be executed twice */
    Sender(FrontEnds frontEnds, RetryPolicy retries) {
        this.frontEnds = frontEnds;
        this.retries = retries;
    }

    /** The answer to a request, or why there is none. */
    record Sent(@Nullable Answer answer, Outcome failure, String text) {
        boolean isTransient() {
            return answer == null || Repeat.TRANSIENT.applies(answer);
        }
    }

    /** When each request was sent first that was sent more than once. */
    List<Long> repeated() {
        return List.copyOf(repeated);
    }

    Sent send(Function<Requests, Request> making) {
        long begun = System.nanoTime();
        for (int before = 0; ; before++) {
            double wait = retries.waitSeconds(before, random);
            Sent sent = sendOnce(making);
            if (!sent.isTransient() || wait < 0) {
                // An earlier attempt may have been executed, whatever is known of the last.
                return before > 0 && sent.isTransient()
                        ? new Sent(
                                null,
                                Outcome.UNKNOWN,
                                sent.answer() == null
                                        ? sent.text()
                                        : sent.answer().toString())
                        : sent;
            }
            if (before == 0) {
                repeated.add(begun);
            }
            String after = sent.answer() == null ? "" : sent.answer().header("Retry-After");
            LockSupport.parkNanos((long) ((after.isEmpty() ? wait : Long.parseLong(after)) * 1e9));
        }
    }

    private Sent sendOnce(Function<Requests, Request> making) {
        Link open;
        try {
            open = open();
        } catch (IOException refused) {
            return new Sent(null, Outcome.NOT_EXECUTED, "no connection");
        }
        try {
            Answer answer = open.connection().exchange(making.apply(open.requests()));
            if (answer.header("Connection").equalsIgnoreCase("close")) {
                disconnect();
            }
            return new Sent(answer, Outcome.DONE, "");
        } catch (IOException broken) {
            failed(open);
            return new Sent(null, Outcome.UNKNOWN, broken.toString());
        }
    }

    private Link open() throws IOException {
        Link open = link;
        if (open == null) {
            Endpoint endpoint = frontEnds.next();
            open = new Link(new Requests(endpoint), new KeptConnection(endpoint, PATIENCE));
            link = open;
        }
        try {
            open.connection().connect();
            return open;
        } catch (IOException refused) {
            failed(open);
            throw refused;
        }
    }

    private void failed(Link broken) {
        frontEnds.failed(broken.requests().endpoint());
        disconnect();
    }

    void disconnect() {
        if (link != null) {
            link.connection().close();
            link = null;
        }
    }
}
