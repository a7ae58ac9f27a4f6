package cleave.model;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/** The rows of a map while some of them change. Confined to one thread. Rows that were taken from it do not change. */
final class MapDraft {
    TreePMap<Key, Row> byStart;
    TreePMap<Long, Row> byId;
    TreePMap<Stamp, Row> byVersion;

    /** Orders rows by the command that last changed them. Immutable. */
    record Stamp(long version, long id) implements Comparable<Stamp> {
        static Stamp of(Row row) {
            return new Stamp(row.version(), row.id());
        }

        @Override
        public int compareTo(Stamp other) {
            int order = Long.compare(version, other.version);
            return order != 0 ? order : Long.compare(id, other.id);
        }
    }

    MapDraft(TreePMap<Key, Row> byStart, TreePMap<Long, Row> byId, TreePMap<Stamp, Row> byVersion) {
        this.byStart = byStart;
        this.byId = byId;
        this.byVersion = byVersion;
    }

    void remove(long id) {
        Row row = byId.get(id);
        if (row != null) {
            remove(row);
        }
    }

    private void remove(Row row) {
        byStart = byStart.minus(row.range().start());
        byId = byId.minus(row.id());
        byVersion = byVersion.minus(Stamp.of(row));
    }

    /** Replaces all rows that this one overlaps. */
    void put(Row row) {
        Row same = byId.get(row.id());
        if (same != null) {
            remove(same);
        }
        Row overlapped = overlapped(row.range());
        while (overlapped != null) {
            remove(overlapped);
            overlapped = overlapped(row.range());
        }
        byStart = byStart.plus(row.range().start(), row);
        byId = byId.plus(row.id(), row);
        byVersion = byVersion.plus(Stamp.of(row), row);
    }

    /** The last row that overlaps an interval; null if none does. */
    private @Nullable Row overlapped(KeyRange interval) {
        Key end = interval.end();
        Map.Entry<Key, Row> entry =
                end != null ? byStart.lowerEntry(end) : byStart.isEmpty() ? null : byStart.lastEntry();
        return entry != null && entry.getValue().range().overlaps(interval) ? entry.getValue() : null;
    }

    /** IllegalArgumentException if there are rows, and they do not cover the key space without gap (invariant I1). */
    void checkTiling() {
        @Nullable Key at = Key.MIN;
        for (Iterator<Row> rows = byStart.values().iterator(); rows.hasNext(); ) {
            Row row = rows.next();
            if (at == null || !row.range().start().equals(at)) {
                throw new IllegalArgumentException("the map has a gap before " + row);
            }
            at = row.range().end();
        }
        if (at != null && !byStart.isEmpty()) {
            throw new IllegalArgumentException("the map ends at " + at);
        }
    }
}
