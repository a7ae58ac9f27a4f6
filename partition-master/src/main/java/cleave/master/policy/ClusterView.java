package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.master.state.Rows;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The input of the balancer. Immutable, but for the loads: it looks them up, since most ticks want those of a few ranges of many.
 *
 * @param servers the live ones, in order
 * @param busy ranges in a handoff
 * @param goals the pending ones
 * @param underWay handoffs under way, for any goal
 * @param leaderSinceNanos when this leader's term began, on the clock of the decisions
 */
public record ClusterView(
        Rows rows,
        Loads loads,
        Map<Incarnation, Server> servers,
        SortedSet<Long> busy,
        List<Goal> goals,
        List<HandoffPlan> underWay,
        BalancerSettings settings,
        long leaderSinceNanos) {
    public ClusterView {
        servers = Collections.unmodifiableMap(new LinkedHashMap<>(servers));
        busy = Collections.unmodifiableSortedSet(new TreeSet<>(busy));
        goals = List.copyOf(goals);
        underWay = List.copyOf(underWay);
    }

    /** The loads of the ranges that are served under their row's epoch. */
    public interface Loads {
        /** As its owner has reported it; null if it does not report that it serves the range. */
        @Nullable
        Load of(Row row);
    }

    /**
     * @param draining it gets no ranges, and its own are being moved away
     * @param aside it gets no ranges, because it has little disk space or a wrong clock, or the DFS does not answer it
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

    /** True if the range is in a handoff or named by a pending goal. */
    boolean isBusy(Row row) {
        return busy.contains(row.id()) || goals.stream().anyMatch(goal -> goal.concerns(row));
    }
}
