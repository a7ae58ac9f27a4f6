package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The input of the balancer. Immutable.
 *
 * @param rows in key order
 * @param loads by range, of those that are served under their row's epoch; only for lookups
 * @param servers the live ones, in order
 * @param busy ranges in a handoff or named by a pending goal
 * @param underWay handoffs under way, for any goal
 * @param leaderSinceNanos when this leader's term began, on the clock of the decisions
 */
public record ClusterView(
        List<Row> rows,
        Map<Long, Load> loads,
        Map<Incarnation, Server> servers,
        SortedSet<Long> busy,
        List<HandoffPlan> underWay,
        BalancerSettings settings,
        long leaderSinceNanos) {
    public ClusterView {
        rows = List.copyOf(rows);
        loads = Collections.unmodifiableMap(new HashMap<>(loads));
        servers = Collections.unmodifiableMap(new LinkedHashMap<>(new TreeMap<>(servers)));
        busy = Collections.unmodifiableSortedSet(new TreeSet<>(busy));
        underWay = List.copyOf(underWay);
    }

    /**
     * @param draining it gets no ranges, and its own are being moved away
     * @param aside it gets no ranges, because it has little disk space or a wrong clock
     * @param joinedNanos when this leader first saw it
     */
    public record Server(boolean draining, boolean aside, long joinedNanos) {
        /** True if it may be given ranges, and its own may be split in place. */
        boolean takesRanges() {
            return !draining && !aside;
        }
    }

    /** Null if the server is not live. */
    @Nullable
    Server server(@Nullable Incarnation incarnation) {
        return incarnation == null ? null : servers.get(incarnation);
    }
}
