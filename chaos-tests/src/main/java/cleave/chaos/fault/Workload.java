package cleave.chaos.fault;

import cleave.chaos.client.Endpoint;
import cleave.chaos.history.History;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Clients that work without pause on one table while faults happen: some on all entities together, one on an entity of its own
 * in each range. Confined to its owner.
 */
public final class Workload {
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final Duration PROBE_PAUSE = Duration.ofMillis(20);
    private static final int ROWS = 3;

    private final List<RecordingClient> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /** @param clients that work on all partitions; besides, each partition has a client of its own */
    public Workload(List<Endpoint> frontEnds, String table, int partitions, int clients) {
        List<String> shared = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            for (int row = 0; row < ROWS; row++) {
                shared.add(partitionKey(partition) + "/r" + row);
            }
            add(frontEnds, table, List.of(probe(partition)), OperationMix.PROBE, PROBE_PAUSE);
        }
        for (int client = 0; client < clients; client++) {
            add(frontEnds, table, shared, OperationMix.EVERYTHING, PAUSE);
        }
    }

    private void add(List<Endpoint> frontEnds, String table, List<String> keys, OperationMix mix, Duration pause) {
        RecordingClient client = new RecordingClient(clients.size(), frontEnds, table, keys, mix, pause);
        clients.add(client);
        threads.add(new Thread(client, "client-" + threads.size()));
    }

    /** The partition with this number; its keys sort as the numbers do. */
    public static String partitionKey(int partition) {
        return String.format(Locale.ROOT, "p%03d", partition);
    }

    /** The key of the entity that only the client of this partition writes. */
    public static String probe(int partition) {
        return partitionKey(partition) + "/probe";
    }

    public void start() {
        threads.forEach(Thread::start);
    }

    /** Ends all clients and gives what they saw. */
    public History stop() {
        clients.forEach(RecordingClient::stop);
        History history = new History();
        for (int i = 0; i < threads.size(); i++) {
            join(threads.get(i));
            history.addAll(clients.get(i).history());
        }
        return history;
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }
}
