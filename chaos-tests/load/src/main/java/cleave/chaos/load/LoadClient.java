package cleave.chaos.load;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * A client that sends one request after another on a connection of its own, and opens another one when it breaks; no request is
 * repeated. Confined to the thread that runs it, except for its counts.
 */
public final class LoadClient implements Runnable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ERRORS_MAX = 20;

    private final Endpoint endpoint;
    private final Function<Requests, Ask> demand;
    private final BooleanSupplier due;
    private final Histogram latencies = new Histogram(Figures.DIGITS);
    private final List<String> errors = new ArrayList<>();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();

    /** @param due returns true when the next request is due, and false at the end */
    public LoadClient(Endpoint endpoint, Function<Requests, Ask> demand, BooleanSupplier due) {
        this.endpoint = endpoint;
        this.demand = demand;
        this.due = due;
    }

    @Override
    public void run() {
        boolean goesOn = due.getAsBoolean();
        while (goesOn) {
            try (Connection connection = Connection.open(endpoint, PATIENCE)) {
                Requests requests = new Requests(endpoint);
                for (; goesOn; goesOn = due.getAsBoolean()) {
                    exchange(connection, demand.apply(requests));
                }
            } catch (IOException broken) {
                failed(broken.toString());
                goesOn = due.getAsBoolean();
            }
        }
    }

    private void exchange(Connection connection, Ask ask) throws IOException {
        long begin = System.nanoTime();
        Answer answer = connection.exchange(ask.request());
        if (ask.isRight().test(answer)) {
            latencies.recordValue(System.nanoTime() - begin);
            answered.incrementAndGet();
        } else {
            failed(ask.request() + ": " + answer);
        }
    }

    private void failed(String how) {
        failures.incrementAndGet();
        if (errors.size() < ERRORS_MAX) {
            errors.add(Instant.now() + " " + how);
        }
    }

    /** Number of requests with the expected answer so far. */
    public long answered() {
        return answered.get();
    }

    /** Number of requests with another answer, and of broken connections, so far. */
    public long failures() {
        return failures.get();
    }

    /** Latencies of the expected answers in nanoseconds; must be read only after its thread has ended. */
    public Histogram latencies() {
        return latencies;
    }

    /** The first failures as text; must be read only after its thread has ended. */
    public List<String> errors() {
        return List.copyOf(errors);
    }
}
