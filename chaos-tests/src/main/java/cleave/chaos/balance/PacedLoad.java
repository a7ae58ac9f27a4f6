package cleave.chaos.balance;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Requests;
import cleave.chaos.load.Figures;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Clients that request a fixed rate of entities, at random moments, however long the answers take; none repeats a request. To be
 * started, slowed down and stopped by its owner; each client is confined to its own thread until then.
 */
final class PacedLoad {
    private static final int CLIENTS = 16;
    private static final int ERRORS_MAX = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double NANOS_PER_SECOND = 1e9;
    /** What a client is behind by more than this is never made up for. */
    private static final long BEHIND_NANOS_MAX = 1_000_000_000L;
    /** So often a client that waits looks whether anything has changed. */
    private static final long WAIT_NANOS_MAX = 50_000_000L;

    private final List<Endpoint> frontEnds;
    private final Demand demand;
    private final List<Client> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();
    private long requestsBefore;
    private volatile double entitiesPerSecond;
    private volatile boolean stopped;

    private PacedLoad(List<Endpoint> frontEnds, Demand demand, double entitiesPerSecond, long seed) {
        this.frontEnds = List.copyOf(frontEnds);
        this.demand = demand;
        this.entitiesPerSecond = entitiesPerSecond;
        for (int i = 0; i < CLIENTS; i++) {
            Client client = new Client(i, new Random(seed * CLIENTS + i));
            clients.add(client);
            threads.add(new Thread(client, "paced-" + i));
        }
    }

    static PacedLoad started(List<Endpoint> frontEnds, Demand demand, double entitiesPerSecond, long seed) {
        PacedLoad load = new PacedLoad(frontEnds, demand, entitiesPerSecond, seed);
        load.threads.forEach(Thread::start);
        return load;
    }

    /** One connection. Its requests come as if each did not know of the others: after gaps that are exponentially distributed. */
    private final class Client implements Runnable {
        private final int number;
        private final Random random;
        private final Histogram latencies = new Histogram(Figures.DIGITS);
        private final List<String> errors = new ArrayList<>();
        private final AtomicLong answered = new AtomicLong();
        private long due = System.nanoTime();

        private Client(int number, Random random) {
            this.number = number;
            this.random = random;
        }

        @Override
        public void run() {
            while (!stopped) {
                Endpoint endpoint = frontEnds.get(number % frontEnds.size());
                try (Connection connection = Connection.open(endpoint, PATIENCE)) {
                    work(connection, new Requests(endpoint));
                } catch (IOException broken) {
                    failed(broken.toString());
                    due = System.nanoTime() + WAIT_NANOS_MAX;
                    awaitDue();
                }
            }
        }

        private void work(Connection connection, Requests requests) throws IOException {
            while (awaitDue()) {
                Ask ask = demand.next(requests, random);
                long begin = System.nanoTime();
                Answer answer = connection.exchange(ask.request());
                latencies.recordValue(System.nanoTime() - begin);
                if (ask.isRightlyAnsweredBy(answer)) {
                    answered.incrementAndGet();
                } else {
                    failed(ask.request() + ": " + answer);
                }
            }
        }

        /** Returns when the next request is due: true; or at the end: false. */
        private boolean awaitDue() {
            double gap = -Math.log(1 - random.nextDouble()) * CLIENTS * Demand.ENTITIES / entitiesPerSecond;
            due = Math.max(due + (long) (gap * NANOS_PER_SECOND), System.nanoTime() - BEHIND_NANOS_MAX);
            for (long wait = due - System.nanoTime(); wait > 0 && !stopped; wait = due - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(wait, WAIT_NANOS_MAX));
            }
            return !stopped;
        }

        private void failed(String how) {
            failures.incrementAndGet();
            if (errors.size() < ERRORS_MAX) {
                errors.add(Instant.now() + " " + how);
            }
        }
    }

    /** Sets the rate from now on. */
    void pace(double entities) {
        entitiesPerSecond = entities;
    }

    /** Sets the rate from now on, and forgets what was measured before. */
    void begin(double entities) {
        requestsBefore = requests();
        pace(entities);
    }

    /** Entities that were asked for and answered since it began. */
    long entities() {
        return (requests() - requestsBefore) * Demand.ENTITIES;
    }

    private long requests() {
        return clients.stream().mapToLong(client -> client.answered.get()).sum();
    }

    /** Requests that were not answered rightly, until now. */
    int failures() {
        return failures.get();
    }

    /** Returns when all clients have their last answers. */
    void stop() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }
    }

    /** Some of the wrong answers; to be asked when it was stopped. */
    List<String> errors() {
        return clients.stream().flatMap(client -> client.errors.stream()).toList();
    }

    /** How long answers took; to be asked when it was stopped. */
    Histogram latencies() {
        Histogram all = new Histogram(Figures.DIGITS);
        clients.forEach(client -> all.add(client.latencies));
        return all;
    }
}
