package cleave.chaos.load;

import cleave.chaos.load.run.Clients;
import cleave.chaos.load.run.Pace;
import cleave.chaos.load.run.Tally;
import cleave.client.Answer;
import cleave.client.Endpoint;
import cleave.client.KeptConnection;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Clients that together send the requests of a demand at a rate, however long the answers take, and none again. Its owner starts, slows and ends it.
 * An answer that is not the expected one counts as refused if it is 503, and as failed otherwise. Thread-safe.
 */
public final class SteadyLoad implements AutoCloseable {
    public static final int CLIENTS = 8;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long PAUSE_AFTER_FAILURE_NANOS = 50_000_000L;
    private static final int BUSY = 503;
    private static final int ERRORS_MAX = 20;

    private final List<Endpoint> endpoints;
    private final Demand demand;
    private final long seed;
    private final Pace pace;
    private final LongAdder answered = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final Histogram latencies = new ConcurrentHistogram(Tally.DIGITS);
    private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    private final long beginNanos = System.nanoTime();
    private final Clients clients;

    /** The next request. Called by all clients, each with a random generator of its own. */
    public interface Demand {
        Ask next(Requests requests, Random random);
    }

    private SteadyLoad(List<Endpoint> endpoints, int count, Pace pace, Demand demand, long seed) {
        this.endpoints = List.copyOf(endpoints);
        this.demand = demand;
        this.seed = seed;
        this.pace = pace;
        this.clients = Clients.started(count, "steady", this::client);
    }

    /** {@link #CLIENTS} clients of one endpoint, whose requests are evenly spaced. */
    public static SteadyLoad started(Endpoint endpoint, double requestsPerSecond, Demand demand) {
        return started(List.of(endpoint), CLIENTS, Pace.steady(requestsPerSecond, null), demand, 0);
    }

    /**
     * Clients that share endpoints evenly.
     *
     * @param seed of the clients' random generators
     */
    public static SteadyLoad started(List<Endpoint> endpoints, int count, Pace pace, Demand demand, long seed) {
        return new SteadyLoad(endpoints, count, pace, demand, seed);
    }

    private void client(int number) {
        Random random = new Random(seed * 1_000_003 + number);
        Requests requests = new Requests(endpoints.get(number % endpoints.size()));
        try (KeptConnection connection = new KeptConnection(requests.endpoint(), PATIENCE)) {
            while (pace.awaitDue() >= 0) {
                try {
                    exchange(connection, demand.next(requests, random));
                } catch (IOException | RuntimeException broken) {
                    failed(broken.toString());
                    LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
                }
            }
        }
    }

    private void exchange(KeptConnection connection, Ask ask) throws IOException {
        long begin = System.nanoTime();
        Answer answer = connection.exchange(ask.request());
        if (ask.isRight().test(answer)) {
            latencies.recordValue(System.nanoTime() - begin);
            answered.increment();
        } else if (answer.inner().status() == BUSY) {
            refused.increment();
        } else {
            failed(ask.request() + ": " + answer);
        }
    }

    private void failed(String how) {
        failed.increment();
        if (errors.size() < ERRORS_MAX) {
            errors.add(how);
        }
    }

    /** Sets the rate from now on. */
    public void rate(double requestsPerSecond) {
        pace.rate(requestsPerSecond);
    }

    /** Requests with the expected answer until now. */
    public long answered() {
        return answered.sum();
    }

    /** Requests with the expected answer, each second until now or the end: a busy machine may not do what it was to do. */
    public double answeredPerSecond() {
        return answered() * NANOS_PER_SECOND / (clients.nowOrEnd() - beginNanos);
    }

    /** Requests answered with 503 until now. */
    public long refused() {
        return refused.sum();
    }

    /** Requests with any other answer, broken connections and failures of the demand, until now. */
    public long failed() {
        return failed.sum();
    }

    /** Requests that have ended, in whatever way. */
    public long sent() {
        return answered() + refused() + failed();
    }

    /** The latencies of expected answers in nanoseconds. */
    public Histogram latencies() {
        return latencies.copy();
    }

    /** The first failures, as text. */
    public List<String> errors() {
        return List.copyOf(errors);
    }

    @Override
    public void close() {
        end();
    }

    /** Returns when all clients have their last answers. */
    public void end() {
        pace.stop();
        clients.join();
    }
}
