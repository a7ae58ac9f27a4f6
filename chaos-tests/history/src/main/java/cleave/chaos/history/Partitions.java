package cleave.chaos.history;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Divides a history into partitions. Confined to its caller. */
final class Partitions {
    private record Name(String table, String partition) implements Comparable<Name> {
        @Override
        public int compareTo(Name other) {
            int order = table.compareTo(other.table);
            return order != 0 ? order : partition.compareTo(other.partition);
        }

        static Name of(EntityKey key) {
            return new Name(key.table(), key.partition());
        }
    }

    private final TreeMap<Name, TreeSet<EntityKey>> keys = new TreeMap<>();
    private final TreeMap<Name, List<Operation>> operations = new TreeMap<>();
    private final Set<Partition.Etag> given = new HashSet<>();

    private Partitions() {}

    static List<Partition> of(History history) {
        Partitions partitions = new Partitions();
        List<Operation> all =
                history.operations().stream().filter(Partitions::saysSomething).toList();
        all.forEach(partitions::learn);
        all.forEach(partitions::distribute);
        List<Partition> result = new ArrayList<>();
        partitions.keys.forEach((name, keys) -> result.add(new Partition(
                List.copyOf(keys), partitions.operations.getOrDefault(name, List.of()), partitions.given)));
        return result;
    }

    private static boolean saysSomething(Operation operation) {
        return switch (operation.outcome()) {
            case DONE, EXISTS, MISSING, CONDITION_FAILED -> true;
            case UNKNOWN -> operation instanceof Change;
            case NOT_EXECUTED, WRONG -> false;
        };
    }

    private void learn(Operation operation) {
        if (operation instanceof Get get) {
            add(get.key());
        } else if (operation instanceof Change change) {
            for (int i = 0; i < change.writes().size(); i++) {
                EntityKey key = change.writes().get(i).key();
                add(key);
                if (change.outcome() == Outcome.DONE) {
                    given.add(new Partition.Etag(key, change.etags().get(i)));
                }
            }
        } else if (operation instanceof Page page) {
            page.rows().forEach(row -> add(row.key()));
        }
    }

    private void add(EntityKey key) {
        Name name = Name.of(key);
        keys.computeIfAbsent(name, each -> new TreeSet<>()).add(key);
        operations.computeIfAbsent(name, each -> new ArrayList<>());
    }

    private void distribute(Operation operation) {
        if (operation instanceof Get get) {
            to(get.key(), operation);
        } else if (operation instanceof Change change) {
            to(change.writes().get(0).key(), operation);
        } else if (operation instanceof Page page) {
            Name first = Name.of(page.from());
            Map<Name, List<Operation>> reached = page.until() == null
                    ? operations.tailMap(first)
                    : operations.subMap(first, true, Name.of(page.until()), true);
            reached.forEach((name, partition) -> {
                if (name.table().equals(first.table())) {
                    partition.add(page);
                }
            });
        }
    }

    private void to(EntityKey key, Operation operation) {
        operations.computeIfAbsent(Name.of(key), name -> new ArrayList<>()).add(operation);
    }
}
