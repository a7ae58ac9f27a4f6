package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The model of {@link RangeIndex}: looks at every range in every tick, keeps no index, and shows all ranges to all rules. Immutable,
 * one for each tick.
 */
final class EveryRange implements Ranges {
    static final EveryRange NONE = new EveryRange(Tick.NONE, List.of());

    private final Tick tick;
    private final List<Tracked> inKeyOrder;
    private final TreeMap<Long, Tracked> byId = new TreeMap<>();

    private EveryRange(Tick tick, List<Tracked> inKeyOrder) {
        this.tick = tick;
        this.inKeyOrder = inKeyOrder;
        Tracked last = null;
        for (Tracked range : inKeyOrder) {
            range.weight = Prediction.weight(range.history);
            range.before = last;
            if (last != null) {
                last.behind = range;
            }
            last = range;
            byId.put(range.row.id(), range);
        }
    }

    EveryRange observing(ClusterView view, long now) {
        Tick next = tick.next(now);
        List<Tracked> observed = new ArrayList<>();
        for (Row row : view.rows().all()) {
            Tracked known = byId.get(row.id());
            Tracked range = known == null ? begun(view, row, now) : continued(known, row, now);
            range.observe(view.loads().of(row), view.settings(), next);
            observed.add(range);
        }
        return new EveryRange(next, observed);
    }

    private static Tracked continued(Tracked known, Row row, long now) {
        boolean moved = row.epoch() != known.row.epoch();
        Tracked range = new Tracked(row, moved ? known.history.moved(now) : known.history);
        range.bytes = known.bytes;
        return range;
    }

    private Tracked begun(ClusterView view, Row row, long now) {
        List<Tracked> parents = inKeyOrder.stream()
                .filter(each -> each.row.range().overlaps(row.range()))
                .toList();
        if (parents.isEmpty()) {
            return new Tracked(row, RangeHistory.unknown(now));
        }
        int siblings = 1;
        if (parents.size() == 1) {
            KeyRange parent = parents.get(0).row.range();
            long inside = view.rows().all().stream()
                    .filter(each -> parent.contains(each.range()))
                    .count();
            siblings = (int) Math.max(1, inside);
        }
        return Tracked.of(row, parents, siblings, now);
    }

    EveryRange remembering(Balancer.Result result) {
        result.histories().forEach((id, history) -> of(id).history = history);
        return this;
    }

    /** What {@link RangeIndex#watched} should be. */
    List<Tracked> toWatch(BalancerSettings settings) {
        return inKeyOrder.stream()
                .filter(range -> SplitRule.isLarge(range.load, settings) || range.history.isWatched(settings))
                .toList();
    }

    /** What {@link RangeIndex#leftOfCold} should be. */
    List<Tracked> coldLeft(BalancerSettings settings) {
        return leftOfCold().stream()
                .filter(left -> MergeRule.isColdAndSmall(left, Objects.requireNonNull(left.behind), settings))
                .toList();
    }

    @Override
    public boolean areOwnedBy(Map<Incarnation, ClusterView.Server> servers) {
        return inKeyOrder.stream()
                .allMatch(range -> range.row.owner() != null && servers.containsKey(range.row.owner()));
    }

    @Override
    public @Nullable Tracked find(long id) {
        return byId.get(id);
    }

    @Override
    public Map<Incarnation, Double> carried() {
        TreeMap<Incarnation, Double> carried = new TreeMap<>();
        for (Tracked range : inKeyOrder) {
            Incarnation owner = range.row.owner();
            if (owner != null) {
                carried.merge(owner, range.weight, Double::sum);
            }
        }
        return carried;
    }

    @Override
    public List<Tracked> watched() {
        return inKeyOrder;
    }

    @Override
    public List<Tracked> leftOfCold() {
        return inKeyOrder.stream().filter(range -> range.behind != null).toList();
    }

    @Override
    public List<Tracked> ownedBy(Incarnation server) {
        return inKeyOrder.stream()
                .filter(range -> server.equals(range.row.owner()))
                .toList();
    }

    @Override
    public List<Tracked> inUse(Incarnation server) {
        return ownedBy(server).stream()
                .filter(range -> range.weight > Prediction.IDLE_WEIGHT)
                .sorted(Tracked.HEAVIEST_FIRST)
                .toList();
    }

    @Override
    public List<Tracked> idle(Incarnation server) {
        return ownedBy(server).stream()
                .filter(range -> range.weight <= Prediction.IDLE_WEIGHT)
                .toList();
    }
}
