package cleave.master.policy;

import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The servers' loads after all handoffs under way and all decisions of this tick, on which the next decision is based.
 * Confined to one tick of the balancer.
 */
final class Prediction {
    /** The cost of an idle range to its server. */
    static final double IDLE_WEIGHT = 10;

    /** Weights are multiples of a part this small, so that sums of them are exact in whatever order. */
    private static final double PARTS = 1024;

    /** Only for lookups, as is {@link #handoffs}. */
    private final HashMap<Incarnation, Double> carried = new HashMap<>();
    /** The live servers by ascending load. */
    private final TreeSet<Incarnation> coldest =
            new TreeSet<>(Comparator.comparing(this::carried).thenComparing(Comparator.naturalOrder()));

    private final HashMap<Incarnation, Integer> handoffs = new HashMap<>();
    /** Ranges of which this tick has decided a handoff. */
    private final TreeSet<Long> begun = new TreeSet<>();

    private final ClusterView view;

    Prediction(ClusterView view, Ranges ranges) {
        this.view = view;
        view.servers().keySet().forEach(server -> carried.put(server, 0.0));
        carried.putAll(ranges.carried());
        for (HandoffPlan plan : view.underWay()) {
            plan.participants().forEach(server -> handoffs.merge(server, 1, Integer::sum));
            plan.sources().forEach(source -> place(source.id(), plan, ranges));
        }
        coldest.addAll(view.servers().keySet());
    }

    /**
     * The load of a range in a handoff counts at its target, or else its owner would give away too much and get some of
     * it back.
     */
    private void place(long id, HandoffPlan plan, Ranges ranges) {
        Tracked range = ranges.find(id);
        Incarnation owner = range == null ? null : range.row.owner();
        if (range != null && owner != null && plan.begunWith(range.row)) {
            double weight = weight(range.history);
            double part = rounded(weight / plan.targets().size());
            carried.merge(owner, -weight, Double::sum);
            plan.targets().forEach(target -> carried.merge(target.owner(), part, Double::sum));
        }
    }

    static double weight(RangeHistory history) {
        return rounded(history.carried() + IDLE_WEIGHT);
    }

    private static double rounded(double weight) {
        return Math.rint(weight * PARTS) / PARTS;
    }

    double carried(Incarnation server) {
        return carried.getOrDefault(server, 0.0);
    }

    void add(Incarnation server, double weight) {
        boolean isLive = coldest.remove(server);
        carried.merge(server, weight, Double::sum);
        if (isLive) {
            coldest.add(server);
        }
    }

    boolean isBusy(Row range) {
        return begun.contains(range.id()) || view.isBusy(range);
    }

    /** In how many handoffs a server takes part, with those of this tick. */
    int handoffsOf(Incarnation server) {
        return handoffs.getOrDefault(server, 0);
    }

    /** True if this server may take part in one more handoff. */
    boolean mayTakePart(Incarnation server) {
        return handoffsOf(server) < HandoffPlan.PER_SERVER_MAX;
    }

    void begins(HandoffPlan plan) {
        plan.sources().forEach(row -> begun.add(row.id()));
        plan.participants().forEach(server -> handoffs.merge(server, 1, Integer::sum));
    }

    /** The live servers by descending load, as it is now. */
    List<Incarnation> hottest() {
        return List.copyOf(coldest.descendingSet());
    }

    /** The least loaded server that may get ranges and take part in another handoff; null if there is none. */
    @Nullable
    Incarnation coldestFree() {
        for (Incarnation incarnation : coldest) {
            ClusterView.Server server = view.server(incarnation);
            if (server != null && server.takesRanges() && mayTakePart(incarnation)) {
                return incarnation;
            }
        }
        return null;
    }
}
