package cleave.chaos.load.workload;

import java.util.List;

/**
 * One operation of a workload, ready to be sent. Immutable.
 *
 * @param item the number of the item that it is about
 * @param keys of the entities: those that it writes, or the first one that it reads
 * @param firstWrite number of its first write; the next ones have the next numbers
 */
public record Operation(Action action, long item, List<EntityKey> keys, long firstWrite) {
    public Operation {
        keys = List.copyOf(keys);
    }

    /** The only key, or the first. */
    public EntityKey key() {
        return keys.get(0);
    }

    @Override
    public String toString() {
        return action.id() + " " + key();
    }
}
