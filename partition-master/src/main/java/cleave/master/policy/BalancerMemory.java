package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** The balancer's memory of earlier ticks, by range. Immutable. A new leader begins with {@link #NONE}. */
public final class BalancerMemory {
    public static final BalancerMemory NONE = new BalancerMemory(List.of(), Map.of());

    /** The rows of the last tick, in key order. */
    private final List<Row> rows;
    /** By range; only for lookups, since its iteration order is not deterministic. */
    private final Map<Long, RangeHistory> histories;

    private BalancerMemory(List<Row> rows, Map<Long, RangeHistory> histories) {
        this.rows = rows;
        this.histories = histories;
    }

    /** How many ranges it knows. */
    public int size() {
        return histories.size();
    }

    Draft observing(ClusterView view, long now) {
        HashMap<Long, RangeHistory> next = new HashMap<>(view.rows().size() * 4 / 3 + 1);
        BalancerSettings settings = view.settings();
        for (Row row : view.rows()) {
            RangeHistory known = histories.get(row.id());
            RangeHistory history = known == null ? begun(view, row, now) : known;
            next.put(row.id(), history.observing(row, view.loads().get(row.id()), settings, now));
        }
        return new Draft(view.rows(), next);
    }

    /** The history of a new range, which continues those of the ranges that it came from. */
    private RangeHistory begun(ClusterView view, Row row, long now) {
        List<RangeHistory> before = new ArrayList<>();
        for (Row each : over(rows, row.range())) {
            before.add(Objects.requireNonNull(histories.get(each.id())));
        }
        int siblings = 1;
        if (before.size() == 1) {
            KeyRange parent = before.get(0).interval();
            siblings = (int) Math.max(
                    1,
                    over(view.rows(), parent).stream()
                            .filter(each -> parent.contains(each.range()))
                            .count());
        }
        return RangeHistory.of(row, before, siblings, now);
    }

    /** The rows that overlap an interval, of rows in key order that do not overlap each other. */
    static List<Row> over(List<Row> rows, KeyRange interval) {
        int first = firstOver(rows, interval);
        int last = first;
        while (last < rows.size() && rows.get(last).range().overlaps(interval)) {
            last++;
        }
        return rows.subList(first, last);
    }

    /** The index of the first row that ends behind the begin of an interval. */
    static int firstOver(List<Row> rows, KeyRange interval) {
        int first = 0;
        for (int end = rows.size(); first < end; ) {
            int middle = (first + end) >>> 1;
            Key ends = rows.get(middle).range().end();
            if (ends == null || ends.compareTo(interval.start()) > 0) {
                end = middle;
            } else {
                first = middle + 1;
            }
        }
        return first;
    }

    /** The memory after a tick, while the tick builds it. Confined to one call of {@link Balancer#decide}. */
    static final class Draft {
        private final List<Row> rows;
        private final Map<Long, RangeHistory> histories;

        private Draft(List<Row> rows, Map<Long, RangeHistory> histories) {
            this.rows = rows;
            this.histories = histories;
        }

        RangeHistory of(long range) {
            RangeHistory history = histories.get(range);
            if (history == null) {
                throw new AssertionError("no history of range " + range);
            }
            return history;
        }

        void change(long range, UnaryOperator<RangeHistory> change) {
            histories.put(range, change.apply(of(range)));
        }

        /** Once, at the end of the call. */
        BalancerMemory memory() {
            return new BalancerMemory(rows, histories);
        }
    }
}
