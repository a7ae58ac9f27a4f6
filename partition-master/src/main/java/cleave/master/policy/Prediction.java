package cleave.master.policy;

import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The servers' loads after all handoffs under way and all decisions of this tick, on which the next decision is based.
 * Confined to one tick of the balancer.
 */
final class Prediction {
    /** The cost of an idle range to its server. */
    private static final double IDLE_WEIGHT = 10;

    /** Only for lookups, as is {@link #handoffs}. */
    private final HashMap<Incarnation, Double> carried = new HashMap<>();
    /** The live servers by ascending load. */
    private final TreeSet<Incarnation> coldest =
            new TreeSet<>(Comparator.comparing(this::carried).thenComparing(Comparator.naturalOrder()));

    private final HashMap<Incarnation, Integer> handoffs = new HashMap<>();
    private final TreeSet<Long> busy;
    private final ClusterView view;

    Prediction(ClusterView view, BalancerMemory.Draft histories) {
        this.view = view;
        this.busy = new TreeSet<>(view.busy());
        TreeMap<Long, HandoffPlan> leaving = new TreeMap<>();
        for (HandoffPlan plan : view.underWay()) {
            plan.participants().forEach(server -> handoffs.merge(server, 1, Integer::sum));
            plan.sources().forEach(row -> leaving.put(row.id(), plan));
        }
        view.servers().keySet().forEach(server -> carried.put(server, 0.0));
        for (Row row : view.rows()) {
            place(row, weight(histories.of(row.id())), leaving.get(row.id()));
        }
        coldest.addAll(view.servers().keySet());
    }

    /**
     * The load of a range in a handoff counts at its target, or else its owner would give away too much and get some of
     * it back.
     */
    private void place(Row row, double weight, @Nullable HandoffPlan plan) {
        Incarnation owner = row.owner();
        if (plan != null && plan.begunWith(row)) {
            int parts = plan.targets().size();
            plan.targets().forEach(target -> carried.merge(target.owner(), weight / parts, Double::sum));
        } else if (owner != null) {
            carried.merge(owner, weight, Double::sum);
        }
    }

    static double weight(RangeHistory history) {
        return history.carried() + IDLE_WEIGHT;
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

    boolean isBusy(long range) {
        return busy.contains(range);
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
        plan.sources().forEach(row -> busy.add(row.id()));
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
