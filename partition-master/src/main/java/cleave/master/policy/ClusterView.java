package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All that the balancer looks at. Immutable.
 *
 * @param rows in key order
 * @param loads by range, of those that are served under their row's epoch
 * @param servers the live ones
 * @param busy ranges that are in a handoff, or that a pending goal is about
 * @param underWay handoffs that were begun, for any goal
 * @param leaderSinceNanos when this leader began, on the clock of the decisions
 */
public record ClusterView(
        List<Row> rows,
        SortedMap<Long, Load> loads,
        SortedMap<Incarnation, Server> servers,
        SortedSet<Long> busy,
        List<HandoffPlan> underWay,
        BalancerSettings settings,
        long leaderSinceNanos) {
    public ClusterView {
        rows = List.copyOf(rows);
        loads = Collections.unmodifiableSortedMap(new TreeMap<>(loads));
        servers = Collections.unmodifiableSortedMap(new TreeMap<>(servers));
        busy = Collections.unmodifiableSortedSet(new TreeSet<>(busy));
        underWay = List.copyOf(underWay);
    }

    /**
     * @param draining it gets no ranges, and those that it has are left to be moved away
     * @param aside it has little space left on its disk, or a clock that is off, and gets no ranges
     * @param joinedNanos when this leader first saw it
     */
    public record Server(boolean draining, boolean aside, long joinedNanos) {
        /** True if ranges may be given to it, or be divided there. */
        boolean takesRanges() {
            return !draining && !aside;
        }
    }

    /** Null if it does not live. */
    @Nullable
    Server server(@Nullable Incarnation incarnation) {
        return incarnation == null ? null : servers.get(incarnation);
    }
}
