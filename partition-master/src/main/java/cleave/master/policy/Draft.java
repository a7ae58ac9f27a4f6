package cleave.master.policy;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The histories of ranges as a tick changes them by what it decides. Confined to one call of {@link Balancer#decide}. */
final class Draft {
    private final Ranges ranges;
    private final TreeMap<Long, RangeHistory> changed = new TreeMap<>();

    Draft(Ranges ranges) {
        this.ranges = ranges;
    }

    RangeHistory of(long range) {
        RangeHistory history = changed.get(range);
        return history == null ? ranges.of(range).history : history;
    }

    @SuppressWarnings("ReferenceEquality") // An equal history that was made anew may be kept as well.
    void change(long range, UnaryOperator<RangeHistory> change) {
        RangeHistory before = of(range);
        RangeHistory after = change.apply(before);
        if (after != before) {
            changed.put(range, after);
        }
    }

    /** Those that are not as they were, by range. */
    SortedMap<Long, RangeHistory> changed() {
        return Collections.unmodifiableSortedMap(changed);
    }
}
