package cleave.model.manifest;

import cleave.model.Invariant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ids of tables that were dropped forever, as closed intervals: at most one per living table or lost id, so this stays
 * small however many tables came and went. Immutable; equal sets are equal values. Ids are unsigned, as in keys.
 *
 * @param intervals ascending and not touching, because touching ones are joined
 */
public record DroppedTables(List<Interval> intervals) {
    public static final DroppedTables NONE = new DroppedTables(List.of());

    /** All ids from the first to the last. Immutable. */
    public record Interval(long first, long last) {
        private boolean endsBefore(long table) {
            return Long.compareUnsigned(last, table) < 0;
        }
    }

    public DroppedTables {
        intervals = List.copyOf(intervals);
        String problem = problem(intervals);
        Invariant.check(problem == null, "%s", problem);
    }

    /** Describes the fault of intervals; null if they are ascending and do not touch. */
    static @Nullable String problem(List<Interval> intervals) {
        Interval before = null;
        for (Interval interval : intervals) {
            if (interval.endsBefore(interval.first)) {
                return "dropped tables end before they begin: " + interval;
            }
            if (before != null && (before.last == -1 || !before.endsBefore(interval.first - 1))) {
                return "dropped tables are not apart and ascending: " + before + ", " + interval;
            }
            before = interval;
        }
        return null;
    }

    public boolean contains(long table) {
        int low = 0;
        int high = intervals.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (intervals.get(middle).endsBefore(table)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < intervals.size() && Long.compareUnsigned(intervals.get(low).first, table) <= 0;
    }

    public DroppedTables plus(long table) {
        return contains(table) ? this : union(new DroppedTables(List.of(new Interval(table, table))));
    }

    public DroppedTables union(DroppedTables other) {
        List<Interval> all = new ArrayList<>(intervals);
        all.addAll(other.intervals);
        all.sort((a, b) -> Long.compareUnsigned(a.first, b.first));
        List<Interval> joined = new ArrayList<>(all.size());
        for (Interval next : all) {
            Interval before = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            // Touching intervals join too; nothing begins after the last id of all.
            if (before == null
                    || (before.last != -1 && before.endsBefore(next.first) && before.last + 1 != next.first)) {
                joined.add(next);
            } else if (before.endsBefore(next.last)) {
                joined.set(joined.size() - 1, new Interval(before.first, next.last));
            }
        }
        return new DroppedTables(joined);
    }
}
