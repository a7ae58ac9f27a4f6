package cleave.chaos.fault;

import cleave.chaos.fault.ScanningClient.Scans;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.History;
import cleave.chaos.load.run.Clients;
import cleave.chaos.operation.OperationMix;
import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import cleave.client.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Clients that work on one table during faults. Confined to its owner. */
public final class RecordingClients {
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final Duration PROBE_PAUSE = Duration.ofMillis(20);
    private static final Duration FOLLOWER_PAUSE = Duration.ofMillis(1);
    private static final int ROWS = 3;

    private final List<RecordingClient> clients = new ArrayList<>();
    private final List<RecordingClient> probers = new ArrayList<>();
    /** The clients that together read every entity at the end. */
    private final List<RecordingClient> readers = new ArrayList<>();

    private final List<Endpoint> frontEnds;
    private final List<Runnable> all = new ArrayList<>();
    private final String table;
    private final String rowPrefix;
    private @Nullable ScanningClient scanner;
    private @Nullable Clients threads;

    private RecordingClients(List<Endpoint> frontEnds, String table, String rowPrefix) {
        this.frontEnds = frontEnds;
        this.table = table;
        this.rowPrefix = rowPrefix;
    }

    /**
     * Clients that never pause for long and never retry: some share all entities, and in each partition one has an entity of its own.
     *
     * @param clients that share all partitions, in addition to one client for each partition
     * @param rowPrefix of all RowKeys, unique among the workloads on a table
     */
    public RecordingClients(List<Endpoint> frontEnds, String table, int partitions, int clients, String rowPrefix) {
        this(frontEnds, table, rowPrefix);
        List<EntityKey> shared = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            addRows(partition, shared);
            List<EntityKey> probe = List.of(key(partition, "probe"));
            probers.add(add(() -> probe, OperationMix.PROBE, PROBE_PAUSE));
        }
        for (int client = 0; client < clients; client++) {
            add(() -> shared, OperationMix.EVERYTHING, PAUSE);
        }
        readers.add(this.clients.get(this.clients.size() - 1));
    }

    /**
     * Clients that behave like SDKs with default settings: each writes and reads entities of its own in all partitions, and sends a request
     * again up to three times, after 0.8, 1.6 and 3.2 s or the time that the answer names, if the connection fails or the answer says that it
     * may succeed later.
     */
    static RecordingClients ofSdks(FrontEnds frontEnds, String table, int partitions, int clients, Duration pause) {
        RecordingClients workload = new RecordingClients(List.of(), table, "sdk-");
        for (int client = 0; client < clients; client++) {
            String row = Integer.toString(client);
            List<EntityKey> own = IntStream.range(0, partitions)
                    .mapToObj(partition -> workload.key(partition, row))
                    .toList();
            Sender sender = new Sender(frontEnds, RetryPolicy.SDK);
            workload.readers.add(workload.add(sender, () -> own, OperationMix.PROBE, pause));
        }
        return workload;
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

    /** Adds a client that repeatedly scans the table from end to end. Only once, and before the start. */
    void scan(StableRows stable) {
        scanner = new ScanningClient(clients.size() + 1_000, frontEnds, stable, rowPrefix);
        all.add(scanner);
    }

    private void addRows(int partition, List<EntityKey> to) {
        for (int row = 0; row < ROWS; row++) {
            to.add(key(partition, "r" + row));
        }
    }

    private EntityKey key(int partition, String row) {
        return new EntityKey(table, partitionKey(partition), rowPrefix + row);
    }

    private RecordingClient add(Supplier<List<EntityKey>> keys, OperationMix mix, Duration pause) {
        return add(new Sender(FrontEnds.inTurn(frontEnds, clients.size()), RetryPolicy.NONE), keys, mix, pause);
    }

    private RecordingClient add(Sender sender, Supplier<List<EntityKey>> keys, OperationMix mix, Duration pause) {
        RecordingClient client = new RecordingClient(clients.size(), sender, keys, mix, pause);
        clients.add(client);
        all.add(client);
        return client;
    }

    /** The partition with this number; keys sort like numbers. */
    public static String partitionKey(int partition) {
        return String.format(Locale.ROOT, "p%03d", partition);
    }

    public void start() {
        threads =
                Clients.started(all.size(), "client", number -> all.get(number).run());
    }

    /** True if in each partition one client has an entity of its own, and nothing to do but to write and read it. */
    boolean probes() {
        return !probers.isEmpty();
    }

    /** Waits until each partition that one client has an entity of its own in has taken a write that began after this call. */
    public void awaitWritesEverywhere(Patience patience) {
        long now = System.nanoTime();
        for (int i = 0; i < probers.size(); i++) {
            RecordingClient prober = probers.get(i);
            patience.until("the range of " + partitionKey(i) + " takes writes", () -> prober.lastDoneInvoked() > now);
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
        if (scanner != null) {
            scanner.stop();
        }
        Objects.requireNonNull(threads, "not started").join();
        readers.forEach(RecordingClient::readAll);
        History history = new History();
        clients.forEach(client -> history.addAll(client.history()));
        if (scanner != null) {
            history.addAll(scanner.history());
        }
        return history;
    }

    /** The failed requests; only after it was stopped. */
    public List<FailedRequest> failedRequests() {
        List<FailedRequest> failedRequests = new ArrayList<>();
        clients.forEach(client -> failedRequests.addAll(client.failedRequests()));
        if (scanner != null) {
            failedRequests.addAll(scanner.failedRequests());
        }
        return failedRequests;
    }

    /** When each operation began that was sent more than once; only after it was stopped. */
    List<Long> repeated() {
        return clients.stream().flatMap(client -> client.repeated().stream()).toList();
    }

    /** Only after it was stopped. */
    Scans scans() {
        return scanner == null ? Scans.NONE : scanner.scans();
    }
}
