package cleave.chaos.history;

import java.util.Comparator;

/**
 * Names an entity; ordered as a scan gives them. Immutable.
 *
 * @param table one life of a table: if it is deleted and created again, it has another name here
 * @param row may be empty, or end in U+0000: the places between entities, where pages begin and end, are keys too
 */
public record EntityKey(String table, String partition, String row) implements Comparable<EntityKey> {
    private static final Comparator<EntityKey> ORDER = Comparator.comparing(EntityKey::table)
            .thenComparing(EntityKey::partition)
            .thenComparing(EntityKey::row);

    /** Below all entities of a table. */
    public static EntityKey beginOf(String table) {
        return new EntityKey(table, "", "");
    }

    /** The least key above this one in its table. */
    public EntityKey next() {
        return new EntityKey(table, partition, row + '\0');
    }

    @Override
    public int compareTo(EntityKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return (table + "/" + partition + "/" + row).replace('\0', '+');
    }
}
