package cleave.chaos.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All operations on the entities of one partition, and their groups. Immutable. */
final class Partition {
    private final List<EntityKey> keys;
    private final List<Operation> operations;
    private final Set<Etag> given;

    /** Why entities are checked together. Each value includes the ones before it. */
    enum Join {
        /** Each entity by itself. */
        NOTHING,
        /** Entities of one transaction. */
        TRANSACTIONS,
        /** Entities of one page. */
        PAGES
    }

    /** An ETag and the entity that has it. */
    record Etag(EntityKey key, String text) {}

    /**
     * @param keys of all its entities, in order
     * @param given ETags that known writes created
     */
    Partition(List<EntityKey> keys, List<Operation> operations, Set<Etag> given) {
        this.keys = keys;
        this.operations = operations;
        this.given = given;
    }

    /** Groups of entities that no operation joins; they can be checked separately, because linearizability is local. */
    Collection<Group> groups(Join join) {
        int[] groupOf = joined(join);
        Map<Integer, List<EntityKey>> entities = new TreeMap<>();
        int[] place = new int[keys.size()];
        for (int i = 0; i < keys.size(); i++) {
            List<EntityKey> group = entities.computeIfAbsent(groupOf[i], number -> new ArrayList<>());
            place[i] = group.size();
            group.add(keys.get(i));
        }
        Map<Integer, List<Move>> moves = new TreeMap<>();
        for (Operation operation : operations) {
            Map<Integer, TreeMap<Integer, Part>> byGroup = new TreeMap<>();
            parts(operation)
                    .forEach((key, part) -> byGroup.computeIfAbsent(groupOf[key], group -> new TreeMap<>())
                            .put(place[key], part));
            byGroup.forEach((group, parts) ->
                    moves.computeIfAbsent(group, each -> new ArrayList<>()).add(move(operation, parts)));
        }
        List<Group> groups = new ArrayList<>();
        entities.forEach((number, group) -> groups.add(new Group(group, moves.getOrDefault(number, List.of()))));
        return groups;
    }

    /** Maps each key to the first one of its group. */
    private int[] joined(Join join) {
        int[] first = new int[keys.size()];
        for (int i = 0; i < first.length; i++) {
            first[i] = i;
        }
        for (Operation operation : operations) {
            boolean joins = operation instanceof Change
                    ? join.compareTo(Join.TRANSACTIONS) >= 0
                    : operation instanceof Page && join == Join.PAGES;
            if (joins) {
                int joint = -1;
                for (int key : parts(operation).keySet()) {
                    joint = joint < 0 ? root(first, key) : union(first, joint, key);
                }
            }
        }
        for (int i = 0; i < first.length; i++) {
            first[i] = root(first, i);
        }
        return first;
    }

    private static int union(int[] first, int one, int other) {
        int low = Math.min(root(first, one), root(first, other));
        int high = Math.max(root(first, one), root(first, other));
        first[high] = low;
        return low;
    }

    private static int root(int[] first, int key) {
        int at = key;
        while (first[at] != at) {
            at = first[at];
        }
        return at;
    }

    /** The parts of an operation by the index of the key. */
    private SortedMap<Integer, Part> parts(Operation operation) {
        TreeMap<Integer, Part> parts = new TreeMap<>();
        if (operation instanceof Get get) {
            parts.put(number(get.key()), seen(get.key(), get.result()));
        } else if (operation instanceof Change change) {
            for (int i = 0; i < change.writes().size(); i++) {
                Part part = part(change, i);
                if (part != null) {
                    parts.put(number(change.writes().get(i).key()), part);
                }
            }
        } else if (operation instanceof Page page) {
            Map<EntityKey, Result> rows = new TreeMap<>();
            page.rows().forEach(row -> rows.putIfAbsent(row.key(), row.result()));
            for (int i = 0; i < keys.size(); i++) {
                if (page.covers(keys.get(i))) {
                    Result absent = Result.of(Outcome.MISSING, "");
                    parts.put(i, seen(keys.get(i), rows.getOrDefault(keys.get(i), absent)));
                }
            }
        }
        return parts;
    }

    private int number(EntityKey key) {
        return Collections.binarySearch(keys, key);
    }

    private @Nullable Part part(Change change, int index) {
        Write write = change.writes().get(index);
        boolean isKnown = isGiven(write.key(), write.ifMatch());
        return switch (change.outcome()) {
            case DONE -> new Part.Written(write, change.etags().get(index), isKnown);
            case UNKNOWN -> new Part.Written(write, EntityState.UNBOUND, isKnown);
            case EXISTS, MISSING, CONDITION_FAILED ->
                index < change.refused()
                        ? new Part.Possible(write, isKnown)
                        : index == change.refused() ? new Part.Refused(write, change.outcome(), isKnown) : null;
            case NOT_EXECUTED, WRONG -> null;
        };
    }

    private Part seen(EntityKey key, Result result) {
        return new Part.Seen(result, isGiven(key, result.etag()));
    }

    private boolean isGiven(EntityKey key, String etag) {
        return !etag.isEmpty() && given.contains(new Etag(key, etag));
    }

    private static Move move(Operation operation, SortedMap<Integer, Part> parts) {
        int[] keys = parts.keySet().stream().mapToInt(Integer::intValue).toArray();
        boolean isOpen = operation.outcome() == Outcome.UNKNOWN;
        return new Move(
                operation,
                keys,
                parts.values().toArray(Part[]::new),
                operation.call().invoked(),
                isOpen ? Long.MAX_VALUE : operation.call().returned(),
                !isOpen);
    }
}
