package cleave.board.frame;

import java.util.List;

/**
 * The key space, cut into buckets. Immutable. Bucket 0 begins where the key space does; each cut begins the next one.
 *
 * @param id another one for each change of tables or cuts; 0: there is no axis
 * @param cuts in key order, none twice
 */
public record Axis(long id, List<Table> tables, List<Cut> cuts) {
    public static final int BUCKETS_MAX = 1536;

    /** Of a moment at which nothing is known. It has no buckets. */
    public static final Axis NONE = new Axis(0, List.of(), List.of());

    public Axis {
        tables = List.copyOf(tables);
        cuts = List.copyOf(cuts);
        if (cuts.size() >= BUCKETS_MAX) {
            throw new IllegalArgumentException((cuts.size() + 1) + " buckets, more than " + BUCKETS_MAX);
        }
    }

    /**
     * A table that the axis knows.
     *
     * @param name {@code account/table}, or what is known instead
     * @param state as the leader's status says it: empty for a table like any other
     */
    public record Table(long id, String name, String state) {}

    public int buckets() {
        return id == 0 ? 0 : cuts.size() + 1;
    }
}
