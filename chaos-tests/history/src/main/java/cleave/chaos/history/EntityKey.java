package cleave.chaos.history;

import java.util.Comparator;

/**
 * The key of an entity, in scan order. Immutable.
 *
 * @param table one incarnation of a table: a table that is deleted and created again gets another name here
 * @param row may be empty or end in U+0000, because the bounds of pages, which lie between entities, are keys too
 */
public record EntityKey(String table, String partition, String row) implements Comparable<EntityKey> {
    private static final Comparator<EntityKey> ORDER = Comparator.comparing(EntityKey::table)
            .thenComparing(EntityKey::partition)
            .thenComparing(EntityKey::row);

    /** Below all entities of a table. */
    public static EntityKey beginOf(String table) {
        return new EntityKey(table, "", "");
    }

    /** The next key in its table. */
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
