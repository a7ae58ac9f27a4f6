package cleave.chaos.fault;

import cleave.chaos.history.EntityKey;
import cleave.chaos.history.History;
import cleave.chaos.operation.OperationMix;
import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Clients that work without pause on one table during faults: some share all entities, and in each range one has an
 * entity of its own. Confined to its owner.
 */
public final class Workload {
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final Duration PROBE_PAUSE = Duration.ofMillis(20);
    private static final Duration FOLLOWER_PAUSE = Duration.ofMillis(1);
    private static final int ROWS = 3;

    private final List<RecordingClient> clients = new ArrayList<>();
    private final List<ScanningClient> scanners = new ArrayList<>();
    private final List<RecordingClient> probers;
    private final RecordingClient reader;
    private final List<Endpoint> frontEnds;
    private final List<Thread> threads = new ArrayList<>();
    private final String table;
    private final String rowPrefix;

    /**
     * @param clients that share all partitions, in addition to one client for each partition
     * @param rowPrefix of all RowKeys, unique among the workloads on a table
     */
    public Workload(List<Endpoint> frontEnds, String table, int partitions, int clients, String rowPrefix) {
        this.frontEnds = frontEnds;
        this.table = table;
        this.rowPrefix = rowPrefix;
        List<EntityKey> shared = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            addRows(partition, shared);
            List<EntityKey> probe = List.of(probe(partition));
            add(() -> probe, OperationMix.PROBE, PROBE_PAUSE);
        }
        probers = List.copyOf(this.clients);
        for (int client = 0; client < clients; client++) {
            add(() -> shared, OperationMix.EVERYTHING, PAUSE);
        }
        reader = this.clients.get(this.clients.size() - 1);
    }

    /** Adds clients that concentrate on some partitions, which may change from call to call. Only before the start. */
    void follow(Supplier<List<Integer>> partitions, int count) {
        Supplier<List<EntityKey>> keys = () -> {
            List<EntityKey> some = new ArrayList<>();
            for (int partition : partitions.get()) {
                addRows(partition, some);
            }
            return some;
        };
        for (int client = 0; client < count; client++) {
            add(keys, OperationMix.EVERYTHING, FOLLOWER_PAUSE);
        }
    }

    /** Limits the total rate of all clients, evenly. Only before the start. */
    public void pace(int operationsPerSecond) {
        long period = clients.size() * Duration.ofSeconds(1).toNanos() / operationsPerSecond;
        clients.forEach(client -> client.pace(period));
    }

    /** Adds a client that repeatedly scans the table from end to end. Only before the start. */
    ScanningClient scan(StableRows stable) {
        ScanningClient scanner =
                new ScanningClient(clients.size() + scanners.size() + 1_000, frontEnds, stable, rowPrefix);
        scanners.add(scanner);
        threads.add(new Thread(scanner, "scanner-" + scanners.size()));
        return scanner;
    }

    private void addRows(int partition, List<EntityKey> to) {
        for (int row = 0; row < ROWS; row++) {
            to.add(new EntityKey(table, partitionKey(partition), rowPrefix + "r" + row));
        }
    }

    private void add(Supplier<List<EntityKey>> keys, OperationMix mix, Duration pause) {
        RecordingClient client = new RecordingClient(clients.size(), frontEnds, keys, mix, pause);
        clients.add(client);
        threads.add(new Thread(client, "client-" + threads.size()));
    }

    /** The partition with this number; keys sort like numbers. */
    public static String partitionKey(int partition) {
        return String.format(Locale.ROOT, "p%03d", partition);
    }

    /** The key of the entity that only this partition's client writes. */
    public EntityKey probe(int partition) {
        return new EntityKey(table, partitionKey(partition), rowPrefix + "probe");
    }

    public void start() {
        threads.forEach(Thread::start);
    }

    /** Waits until each range has taken a write that began after this call. */
    public void awaitWritesEverywhere(Patience patience) {
        long now = System.nanoTime();
        for (int i = 0; i < probers.size(); i++) {
            RecordingClient prober = probers.get(i);
            patience.until("the range of " + probe(i) + " takes writes", () -> prober.lastDoneInvoked() > now);
        }
    }

    /** Waits for a time in which each range must take writes again and again. */
    void keepWriting(Duration duration, Patience patience) {
        long from = System.nanoTime();
        while (System.nanoTime() - from < duration.toNanos()) {
            awaitWritesEverywhere(patience);
        }
    }

    /** Ends all clients, reads every entity once more, and returns the history. */
    public History stop() {
        clients.forEach(RecordingClient::stop);
        scanners.forEach(ScanningClient::stop);
        threads.forEach(Workload::join);
        reader.readAll();
        History history = new History();
        clients.forEach(client -> history.addAll(client.history()));
        scanners.forEach(scanner -> history.addAll(scanner.history()));
        return history;
    }

    /** The failed requests; only after it was stopped. */
    public List<FailedRequest> failedRequests() {
        List<FailedRequest> failedRequests = new ArrayList<>();
        clients.forEach(client -> failedRequests.addAll(client.failedRequests()));
        scanners.forEach(scanner -> failedRequests.addAll(scanner.failedRequests()));
        return failedRequests;
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }
}
