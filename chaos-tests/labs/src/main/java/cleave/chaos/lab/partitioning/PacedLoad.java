package cleave.chaos.lab.partitioning;

import cleave.chaos.load.Figures;
import cleave.chaos.load.LoadClient;
import cleave.client.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Clients that request entities at a fixed rate, at random times, however long the answers take; none repeats a
 * request. Its owner starts, slows and stops it; each client is confined to its own thread until then.
 */
final class PacedLoad {
    private static final int CLIENTS = 16;
    private static final double NANOS_PER_SECOND = 1e9;
    /** A client never catches up on a delay of more than this. */
    private static final long BEHIND_NANOS_MAX = 1_000_000_000L;
    /** How often a waiting client checks whether anything has changed. */
    private static final long WAIT_NANOS_MAX = 50_000_000L;

    private final List<LoadClient> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private long requestsBefore;
    private volatile double entitiesPerSecond;
    private volatile boolean stopped;

    private PacedLoad(List<Endpoint> frontEnds, Demand demand, double entitiesPerSecond, long seed) {
        this.entitiesPerSecond = entitiesPerSecond;
        for (int i = 0; i < CLIENTS; i++) {
            Random random = new Random(seed * CLIENTS + i);
            Pace pace = new Pace(random);
            Endpoint endpoint = frontEnds.get(i % frontEnds.size());
            LoadClient client = new LoadClient(endpoint, requests -> demand.next(requests, random), pace::awaitDue);
            clients.add(client);
            threads.add(new Thread(client, "paced-" + i));
        }
    }

    static PacedLoad started(List<Endpoint> frontEnds, Demand demand, double entitiesPerSecond, long seed) {
        PacedLoad load = new PacedLoad(frontEnds, demand, entitiesPerSecond, seed);
        load.threads.forEach(Thread::start);
        return load;
    }

    /**
     * The times at which the requests of one client are due: a Poisson process, with exponentially distributed gaps.
     */
    private final class Pace {
        private final Random random;
        private long due = System.nanoTime();

        Pace(Random random) {
            this.random = random;
        }

        /** Returns true when the next request is due, and false at the end. */
        boolean awaitDue() {
            double gap = -Math.log(1 - random.nextDouble()) * CLIENTS * Demand.ENTITIES / entitiesPerSecond;
            due = Math.max(due + (long) (gap * NANOS_PER_SECOND), System.nanoTime() - BEHIND_NANOS_MAX);
            for (long wait = due - System.nanoTime(); wait > 0 && !stopped; wait = due - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(wait, WAIT_NANOS_MAX));
            }
            return !stopped;
        }
    }

    /** Sets the rate from now on. */
    void pace(double entities) {
        entitiesPerSecond = entities;
    }

    /** Sets the rate from now on and resets the measurements. */
    void begin(double entities) {
        requestsBefore = requests();
        pace(entities);
    }

    /** Number of entities in answered requests since it began. */
    long entities() {
        return (requests() - requestsBefore) * Demand.ENTITIES;
    }

    private long requests() {
        return clients.stream().mapToLong(LoadClient::answered).sum();
    }

    /** Number of requests with a wrong answer so far. */
    long failures() {
        return clients.stream().mapToLong(LoadClient::failures).sum();
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

    /** Some of the wrong answers; must be read only after it was stopped. */
    List<String> errors() {
        return clients.stream().flatMap(client -> client.errors().stream()).toList();
    }

    /** The latencies of answers; must be read only after it was stopped. */
    Histogram latencies() {
        Histogram all = new Histogram(Figures.DIGITS);
        clients.forEach(client -> all.add(client.latencies()));
        return all;
    }
}
