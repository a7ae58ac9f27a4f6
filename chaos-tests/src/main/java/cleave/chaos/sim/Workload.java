package cleave.chaos.sim;

import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Requests;
import cleave.chaos.history.History;
import cleave.chaos.history.Operation;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What all clients of a simulation share: the table, its keys, and the history. Confined to the simulation.
 *
 * <p>Keys are {@code partition/row}. A row that met too many unknown outcomes is retired for a fresh one, for each of them may come
 * true at any later time, and the checker has to think of all.
 */
final class Workload {
    static final String TABLE = "chaos";
    static final int PARTITIONS = 6;
    static final int PAIRS = 2;
    private static final int ROWS = 4;
    private static final int UNKNOWN_MAX = 4;

    private final Taste taste = new Taste();
    private final History history = new History();
    private final Requests requests = Requests.unsigned(Endpoint.development(10002));
    private final List<String> keys = new ArrayList<>();
    private final TreeSet<String> everUsed = new TreeSet<>();
    private final TreeMap<String, Integer> unknown = new TreeMap<>();
    private boolean tableExists;
    private int values;
    private int answered;

    Workload() {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int row = 0; row < ROWS; row++) {
                keys.add("p" + partition + "/r" + row);
            }
        }
        everUsed.addAll(keys);
    }

    Requests requests() {
        return requests;
    }

    boolean tableExists() {
        return tableExists;
    }

    void tableExistsNow() {
        tableExists = true;
    }

    String randomKey(Random random) {
        return taste.key(keys, random);
    }

    OperationKind randomKind(Random random) {
        return taste.kind(random);
    }

    /** Two rows of one partition that are only written together. */
    static List<String> pair(int number, int generation) {
        return List.of("q" + number + "/a" + generation, "q" + number + "/b" + generation);
    }

    /** All keys that may hold an entity, in order. */
    SortedSet<String> everUsed() {
        return everUsed;
    }

    void use(String key) {
        everUsed.add(key);
    }

    String newValue() {
        return "v" + values++;
    }

    History history() {
        return history;
    }

    /** Operations that had a definite end. */
    int answered() {
        return answered;
    }

    int unknownOf(String key) {
        return unknown.getOrDefault(key, 0);
    }

    void record(Operation operation) {
        history.add(operation);
        if (operation.result().outcome() == Outcome.UNKNOWN && operation.kind().isWrite()) {
            int times = unknown.merge(operation.key(), 1, Integer::sum);
            if (times >= UNKNOWN_MAX) {
                retire(operation.key());
            }
        } else if (operation.result().outcome() != Outcome.NOT_EXECUTED) {
            answered++;
        }
    }

    private void retire(String key) {
        int at = keys.indexOf(key);
        if (at >= 0) {
            String fresh = key + "x";
            keys.set(at, fresh);
            everUsed.add(fresh);
        }
    }
}
