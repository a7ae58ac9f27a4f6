package cleave.chaos.lab.partitioning;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that together send requests at a steady rate, and none again. Its owner starts, slows and ends it; each client is confined to a thread
 * of its own. What is not answered with success is counted as refused if the answer is 503, and as failed otherwise.
 */
final class SteadyLoad implements AutoCloseable {
    static final int CLIENTS = 8;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int BUSY = 503;
    /** A client never catches up on a delay of more than this. */
    private static final long BEHIND_NANOS_MAX = 500_000_000L;
    /** How often a waiting client looks whether the load has ended or has another rate, and its pause after a failure. */
    private static final long WAIT_NANOS_MAX = 50_000_000L;

    private static final int ERRORS_MAX = 20;

    private final Endpoint endpoint;
    private final Demand demand;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    private final long beginNanos = System.nanoTime();
    private volatile double requestsPerSecond;
    private volatile boolean isEnded;
    private volatile long endNanos;

    /** What to send next. Called by all clients, each with a random generator of its own. */
    interface Demand {
        Request next(Requests requests, Random random);
    }

    private SteadyLoad(Endpoint endpoint, double requestsPerSecond, Demand demand) {
        this.endpoint = endpoint;
        this.demand = demand;
        this.requestsPerSecond = requestsPerSecond;
        for (int i = 0; i < CLIENTS; i++) {
            Client client = new Client(i);
            Thread thread = new Thread(client, "steady-" + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
    }

    static SteadyLoad started(Endpoint endpoint, double requestsPerSecond, Demand demand) {
        SteadyLoad load = new SteadyLoad(endpoint, requestsPerSecond, demand);
        load.threads.forEach(Thread::start);
        return load;
    }

    private final class Client implements Runnable {
        private final Random random;
        private long due;

        Client(int number) {
            this.random = new Random(number);
            this.due = System.nanoTime() + (long) (gapNanos() * number / CLIENTS);
        }

        private double gapNanos() {
            return NANOS_PER_SECOND * CLIENTS / requestsPerSecond;
        }

        @Override
        public void run() {
            while (!isEnded) {
                try (Connection connection = Connection.open(endpoint, PATIENCE)) {
                    while (awaitDue()) {
                        count(connection.exchange(demand.next(new Requests(endpoint), random)));
                    }
                } catch (IOException | RuntimeException broken) {
                    failed(broken.toString());
                    LockSupport.parkNanos(WAIT_NANOS_MAX);
                }
            }
        }

        /** True when the next request is due; false at the end. */
        private boolean awaitDue() {
            for (long wait = due - System.nanoTime(); wait > 0 && !isEnded; wait = due - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(wait, WAIT_NANOS_MAX));
            }
            due = Math.max(due + (long) gapNanos(), System.nanoTime() - BEHIND_NANOS_MAX);
            return !isEnded;
        }
    }

    private void count(Answer answer) {
        if (answer.isSuccess()) {
            answered.incrementAndGet();
        } else if (answer.status() == BUSY) {
            refused.incrementAndGet();
        } else {
            failed(answer.toString());
        }
    }

    private void failed(String how) {
        failed.incrementAndGet();
        if (errors.size() < ERRORS_MAX) {
            errors.add(how);
        }
    }

    /** Requests answered with success until now. */
    long answered() {
        return answered.get();
    }

    /** Requests answered with success, each second until now or the end: a busy machine may not do what it was to do. */
    double answeredPerSecond() {
        long until = endNanos == 0 ? System.nanoTime() : endNanos;
        return answered() * NANOS_PER_SECOND / (until - beginNanos);
    }

    /** Requests answered with 503 until now. */
    long refused() {
        return refused.get();
    }

    /** Requests with any other answer, broken connections and failures of the demand, until now. */
    long failed() {
        return failed.get();
    }

    /** Requests that have ended, in whatever way. */
    long sent() {
        return answered() + refused() + failed();
    }

    /** The first failures, as text. */
    List<String> errors() {
        return List.copyOf(errors);
    }

    /** IOException if a request had an answer that is neither success nor 503, or none. */
    void mustNotHaveFailed() throws IOException {
        if (failed() > 0) {
            throw new IOException(failed() + " requests of a load failed: " + errors());
        }
    }

    @Override
    public void close() {
        end();
    }

    /** Returns when all clients have their last answers. */
    void end() {
        isEnded = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while a load ended", interrupted);
            }
        }
        if (endNanos == 0) {
            endNanos = System.nanoTime();
        }
    }
}
