package cleave.chaos.sim.cluster;

import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.History;
import cleave.chaos.history.Operation;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Write;
import cleave.chaos.operation.OperationMix;
import cleave.chaos.operation.Walk;
import cleave.chaos.operation.Writes;
import cleave.chaos.sim.world.Finding;
import cleave.client.Endpoint;
import cleave.client.Requests;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tables, keys and history that all clients of a simulation share.
 *
 * <p>Keys are grouped into families, the rows that one transaction may write. A family with too many unknown outcomes
 * is replaced by a new one, because each of them may still take effect at any later time and the checker has to
 * consider all.
 */
public final class SimWorkload {
    public static final String TABLE = "chaos";
    private static final String MORE = "more";
    public static final int PARTITIONS = 6;
    private static final int PARTITIONS_OF_MORE = 2;
    private static final int ROWS = 3;
    private static final int FAMILY = 3;
    private static final int UNKNOWN_MAX = 5;

    private final List<String> all;
    private final History history = new History();
    private final Requests requests = Requests.unsigned(Endpoint.development(10002));
    private final Writes writes = new Writes(this::newValue);
    private final List<List<EntityKey>> families = new ArrayList<>();
    private final List<EntityKey> keys = new ArrayList<>();
    private final TreeSet<EntityKey> everUsed = new TreeSet<>();
    private final TreeMap<EntityKey, Integer> unknown = new TreeMap<>();
    private final TreeSet<String> tables = new TreeSet<>();
    private Consumer<Operation> watcher = operation -> {};
    /** Many clients prefer this key for a while. */
    private int favourite;

    private int favouriteFor;
    /** The share of reads besides the usual ones; none in every second seed. */
    private @Nullable Double reading;

    private int values;
    private int answered;
    private int scans;

    private SimWorkload(List<String> all) {
        this.all = all;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            addPartition(TABLE, "p" + partition);
        }
    }

    /** For scripts, which use one table. */
    public static SimWorkload ofOneTable() {
        return new SimWorkload(List.of(TABLE));
    }

    public static SimWorkload ofTwoTables() {
        SimWorkload workload = new SimWorkload(List.of(TABLE, MORE));
        for (int partition = 0; partition < PARTITIONS_OF_MORE; partition++) {
            workload.addPartition(MORE, "p" + partition);
        }
        return workload;
    }

    private void addPartition(String table, String partition) {
        for (int row = 0; row < ROWS; row++) {
            addFamily(List.of(new EntityKey(table, partition, "r" + row)));
        }
        List<EntityKey> family = new ArrayList<>();
        for (int row = 0; row < FAMILY; row++) {
            family.add(new EntityKey(table, partition, "t" + row));
        }
        addFamily(family);
    }

    private void addFamily(List<EntityKey> family) {
        families.add(family);
        keys.addAll(family);
        everUsed.addAll(family);
    }

    public Requests requests() {
        return requests;
    }

    /** A table that is not known to exist; null if all are known to. */
    @Nullable
    String missingTable() {
        return all.stream().filter(table -> !tables.contains(table)).findFirst().orElse(null);
    }

    public List<String> tables() {
        return all;
    }

    public void tableExistsNow(String table) {
        tables.add(table);
    }

    EntityKey randomKey(Random random) {
        if (favouriteFor-- <= 0) {
            favourite = random.nextInt(keys.size());
            favouriteFor = 20 + random.nextInt(100);
        }
        return keys.get(random.nextInt(3) == 0 ? favourite : random.nextInt(keys.size()));
    }

    OperationKind randomKind(Random random) {
        if (reading == null) {
            reading = random.nextBoolean() ? 0 : random.nextDouble();
        }
        return random.nextDouble() < reading ? OperationKind.GET : OperationMix.EVERYTHING.pick(random);
    }

    public Write write(EntityKey key, OperationKind kind, Random random) {
        return writes.next(key, kind, random);
    }

    /** Writes of one to three entities of a family. */
    List<Write> transaction(Random random) {
        List<List<EntityKey>> several =
                families.stream().filter(family -> family.size() > 1).toList();
        List<EntityKey> family = new ArrayList<>(several.get(random.nextInt(several.size())));
        Collections.shuffle(family, random);
        return family.subList(0, random.nextInt(5) == 0 ? 1 : 2 + random.nextInt(FAMILY - 1)).stream()
                .map(key -> write(key, OperationMix.TRANSACTION.pick(random), random))
                .toList();
    }

    public List<Write> together(List<EntityKey> of, OperationKind kind, Random random) {
        return of.stream().map(key -> write(key, kind, random)).toList();
    }

    /** Scans a table or a part of one. */
    Walk walk(Random random) {
        int scan = scans++;
        EntityKey key = randomKey(random);
        return switch (random.nextInt(8)) {
            case 0, 1, 2, 3 -> Walk.ofTable(scan, key.table());
            case 4, 5 -> Walk.ofPartition(scan, key.table(), key.partition());
            case 6 -> Walk.ofRows(scan, key, new EntityKey(key.table(), key.partition(), "t~"));
            default -> Walk.ofEntity(scan, key);
        };
    }

    public Walk walkOf(String table) {
        return Walk.ofTable(scans++, table);
    }

    /** All keys that may hold an entity, in order. */
    SortedSet<EntityKey> everUsed() {
        return everUsed;
    }

    public void use(EntityKey key) {
        everUsed.add(key);
    }

    String newValue() {
        return "v" + values++;
    }

    public History history() {
        return history;
    }

    /** The operations that some findings name. */
    public List<Operation> named(List<Finding> findings) {
        return history.operations().stream()
                .filter(operation -> {
                    String call = operation.call().toString();
                    return findings.stream().anyMatch(finding -> finding.what().contains(call));
                })
                .toList();
    }

    /** Operations that had a definite end. */
    public int answered() {
        return answered;
    }

    /** Sets the listener called at the end of each operation. */
    public void watch(Consumer<Operation> by) {
        watcher = by;
    }

    public void record(Operation operation) {
        history.add(operation);
        watcher.accept(operation);
        writes.told(operation);
        if (operation.outcome() != Outcome.UNKNOWN) {
            answered += operation.outcome() == Outcome.NOT_EXECUTED ? 0 : 1;
        } else if (operation instanceof Change change) {
            EntityKey key = change.writes().get(0).key();
            families.stream().filter(family -> family.contains(key)).findFirst().ifPresent(this::doubt);
        }
    }

    private void doubt(List<EntityKey> family) {
        if (unknown.merge(family.get(0), 1, Integer::sum) < UNKNOWN_MAX) {
            return;
        }
        families.remove(family);
        keys.removeAll(family);
        addFamily(family.stream()
                .map(key -> new EntityKey(key.table(), key.partition(), key.row() + "x"))
                .toList());
    }
}
