package cleave.chaos.sim.film;

import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Get;
import cleave.chaos.history.Operation;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Page;
import cleave.chaos.history.Result;
import cleave.chaos.history.Write;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A history as other checkers read it: each property of each entity is a register, which is empty while there is no entity. Writes set
 * registers, also the ones that a replaced entity no longer has; reads and pages read them. What is left out: conditions, ETags, and
 * what a refusal shows. So a history that is linearizable is so as registers, too, and most of those that are not are found. Stateless.
 */
final class Registers {
    private Registers() {}

    enum Ending {
        DONE,
        /** It was not executed, or it was a read without an answer. */
        FAILED,
        /** It may take effect at any later time, or never. */
        UNKNOWN
    }

    /** @param value that was written or read; empty for none */
    record Access(boolean isWrite, String register, String value) {}

    /** What took effect at one moment between two. */
    record Step(int client, long invoked, long returned, Ending ending, List<Access> accesses) {}

    /** In the order of their beginnings. */
    static List<Step> of(List<Operation> operations) {
        SortedSet<EntityKey> keys = new TreeSet<>();
        SortedSet<String> properties = new TreeSet<>();
        for (Operation operation : operations) {
            if (operation instanceof Change change) {
                for (Write write : change.writes()) {
                    keys.add(write.key());
                    properties.addAll(write.properties().keySet());
                }
            } else if (operation instanceof Get get) {
                keys.add(get.key());
            }
        }
        List<Step> steps = new ArrayList<>();
        for (Operation operation : operations) {
            if (operation instanceof Change change) {
                steps.add(step(change, ending(change.outcome()), written(change, properties)));
            } else if (operation instanceof Get get) {
                boolean isRead = get.outcome() == Outcome.DONE || get.outcome() == Outcome.MISSING;
                List<Access> accesses = new ArrayList<>();
                read(get.key(), get.result().properties(), properties, accesses);
                steps.add(step(get, isRead ? Ending.DONE : Ending.FAILED, accesses));
            } else if (operation instanceof Page page) {
                read(page, keys, properties).forEach(accesses -> steps.add(step(page, Ending.DONE, accesses)));
            }
        }
        steps.sort(Comparator.comparingLong(Step::invoked));
        return steps;
    }

    private static Step step(Operation operation, Ending ending, List<Access> accesses) {
        return new Step(
                operation.call().client(),
                operation.call().invoked(),
                operation.call().returned(),
                ending,
                List.copyOf(accesses));
    }

    private static Ending ending(Outcome outcome) {
        return switch (outcome) {
            case DONE -> Ending.DONE;
            case EXISTS, MISSING, CONDITION_FAILED, NOT_EXECUTED -> Ending.FAILED;
            case UNKNOWN, WRONG -> Ending.UNKNOWN;
        };
    }

    private static String register(EntityKey key, String property) {
        return key + "." + property;
    }

    private static List<Access> written(Change change, SortedSet<String> properties) {
        List<Access> accesses = new ArrayList<>();
        for (Write write : change.writes()) {
            boolean isMerge = write.kind() == OperationKind.MERGE || write.kind() == OperationKind.INSERT_OR_MERGE;
            for (String property : isMerge ? write.properties().keySet() : properties) {
                String value = write.properties().getOrDefault(property, "");
                accesses.add(new Access(true, register(write.key(), property), value));
            }
        }
        return accesses;
    }

    private static void read(
            EntityKey key, Map<String, String> found, SortedSet<String> properties, List<Access> accesses) {
        for (String property : properties) {
            accesses.add(new Access(false, register(key, property), found.getOrDefault(property, "")));
        }
    }

    /** What it shows of each partition, each as of one moment; of all keys within its bounds, also of those that it lacks. */
    private static List<List<Access>> read(Page page, SortedSet<EntityKey> keys, SortedSet<String> properties) {
        Map<EntityKey, Result> rows = new TreeMap<>();
        page.rows().forEach(row -> rows.put(row.key(), row.result()));
        Map<String, List<Access>> partitions = new TreeMap<>();
        for (EntityKey key : keys) {
            if (page.covers(key)) {
                Result row = rows.get(key);
                Map<String, String> found = row == null ? Map.of() : row.properties();
                read(key, found, properties, partitions.computeIfAbsent(key.partition(), first -> new ArrayList<>()));
            }
        }
        return List.copyOf(partitions.values());
    }
}
