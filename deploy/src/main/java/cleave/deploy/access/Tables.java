package cleave.deploy.access;

import cleave.client.Answer;
import cleave.client.Endpoint;
import cleave.client.Refused;
import cleave.client.Repeat;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import cleave.client.RetryingClient;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * The tables of an account, for commands: every failure is a CommandFailure. Thread-safe; each thread has a connection while it waits for
 * an answer.
 *
 * <p>Requests that the service could not execute now are repeated, so send only requests that may be executed twice.
 */
public final class Tables implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Until patience ends. */
    private static final RetryPolicy RETRIES = RetryPolicy.fixed(Integer.MAX_VALUE, Duration.ofMillis(200));

    private final Requests requests;
    private final Queue<RetryingClient> idle = new ConcurrentLinkedQueue<>();

    public Tables(Endpoint account) {
        requests = new Requests(account);
    }

    /** The address of the account. */
    public String url() {
        return requests.endpoint().url();
    }

    /** @param request made and signed again for each attempt */
    public Answer send(Function<Requests, Request> request) {
        return with(client -> client.exchange(request));
    }

    /** True if the table was created, false if it existed. */
    public boolean create(String table) {
        return with(client -> client.createTable(table));
    }

    private interface Call<T> {
        T of(RetryingClient client) throws IOException;
    }

    private <T> T with(Call<T> call) {
        RetryingClient known = idle.poll();
        RetryingClient client =
                known == null ? new RetryingClient(requests, PATIENCE, RETRIES, Repeat.TRANSIENT) : known;
        try {
            return call.of(client);
        } catch (Refused refused) {
            throw CommandFailure.failed(String.valueOf(refused.getMessage()));
        } catch (ConnectException nobody) {
            throw CommandFailure.unreachable("no service answers at " + url()
                    + ". Is it running? Start one with 'cleave standalone', or name another one by an option.");
        } catch (IOException broken) {
            throw CommandFailure.unreachable(
                    "no answer from " + url() + " within " + PATIENCE.toSeconds() + " s: " + broken);
        } finally {
            idle.add(client);
        }
    }

    /** The answer, if it is a success. */
    public static Answer expect(Answer answer, String what) {
        if (!answer.isSuccess()) {
            throw CommandFailure.failed(what + " was answered " + answer.problem());
        }
        return answer;
    }

    @Override
    public void close() {
        idle.forEach(RetryingClient::close);
    }
}
