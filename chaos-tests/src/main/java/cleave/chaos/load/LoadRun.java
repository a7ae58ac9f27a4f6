package cleave.chaos.load;

import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Requests;
import cleave.deploy.terminal.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * One kind of operation on one endpoint for some time, in a closed loop: each connection sends its next request when it has the
 * answer to the last one. Confined to the thread that started it.
 */
final class LoadRun {
    private static final Duration WARM = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private final List<LoadClient> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final long begin = System.nanoTime();
    private volatile boolean stopped;

    private LoadRun() {}

    /** @param firstClient number of the first client, which the others follow; must never be used twice on one table */
    static LoadRun started(
            Endpoint endpoint, String table, LoadKind kind, int connections, Duration duration, int firstClient) {
        LoadRun run = new LoadRun();
        for (int i = 0; i < connections; i++) {
            LoadClient client = new LoadClient(
                    endpoint,
                    requests(table, kind, firstClient + i),
                    () -> !run.stopped && System.nanoTime() - run.begin < duration.toNanos());
            run.clients.add(client);
            run.threads.add(new Thread(client, "load-" + kind.id() + "-" + i));
        }
        run.threads.forEach(Thread::start);
        return run;
    }

    private static Function<Requests, Ask> requests(String table, LoadKind kind, int client) {
        Random random = new Random(client);
        AtomicLong sequence = new AtomicLong();
        return to -> kind.next(to, table, client, sequence.getAndIncrement(), random);
    }

    /** Waits until there are as many answers as connections. */
    void awaitWarm() {
        Wait.until(
                () -> clients.stream()
                                .mapToLong(client -> client.answered() + client.failures())
                                .sum()
                        >= clients.size(),
                WARM,
                PAUSE);
    }

    /** Stops sending requests. */
    Figures stop() {
        stopped = true;
        return end();
    }

    /** Waits until all clients have ended. */
    Figures end() {
        threads.forEach(LoadRun::join);
        long elapsed = System.nanoTime() - begin;
        Histogram all = new Histogram(Figures.DIGITS);
        clients.forEach(client -> all.add(client.latencies()));
        String failure = clients.stream()
                .flatMap(client -> client.errors().stream())
                .findFirst()
                .orElse("");
        return Figures.of(
                all, elapsed, clients.stream().mapToLong(LoadClient::failures).sum(), failure);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }
}
