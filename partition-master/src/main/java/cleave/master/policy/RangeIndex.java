package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.master.state.MasterState;
import cleave.master.state.Rows;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The balancer's memory of all ranges, and the indexes by which a tick finds those that its rules may want. It costs what has
 * changed, not what there is. Not thread-safe. A new leader begins with an empty one.
 *
 * <p>It changes at a tick only ({@link #observe}, and then {@link #remember}), so that what the tick saw can be explained until the
 * next. Before that, {@link #onLoad}, {@link #onChange} and {@link #onServer} note what has happened; what has changed in the map, {@link
 * #observe} finds itself. What becomes due by time alone waits in a queue.
 *
 * <p>Invariants, between ticks:
 * <ul>
 * <li>For each row of the map as the tick saw it there is one {@link Tracked}, linked to its neighbours, and with it everything that
 * {@link RangeHistory#observing} would tell of it at every tick since.
 * <li>A range is in {@code watched} iff it is large, or {@link RangeHistory#isWatched}. These are observed at each tick.
 * <li>A range is in {@code leftOfCold} iff it and the next one behind it are small and cold enough to be merged, whenever that may be.
 * <li>A range counts in {@code Owned} of its owner with its weight, and is in {@code inUse} there iff it weighs more than an idle one.
 * <li>A range that changes by time alone is in {@code dues}, at that time or before it.
 * </ul>
 */
public final class RangeIndex implements Ranges {
    private final ById<Tracked> byId = new ById<>();
    private final TreeMap<Key, Tracked> watched = new TreeMap<>();
    private final TreeMap<Key, Tracked> leftOfCold = new TreeMap<>();
    private final TreeMap<Incarnation, Owned> byOwner = new TreeMap<>();
    private final PriorityQueue<Due> dues = new PriorityQueue<>(Comparator.comparingLong(Due::nanos));
    /** With news, at the next tick. */
    private final List<Tracked> news = new ArrayList<>();

    private final TreeSet<Incarnation> newsOfServers = new TreeSet<>();
    private Rows rows = MasterState.EMPTY.rows();
    private BalancerSettings settings = BalancerSettings.DEFAULT;
    private Tick tick = Tick.NONE;

    /** Void if the range is no longer due at that time. */
    private record Due(long nanos, Tracked range) {}

    /** A server has reported that it serves a range under an epoch. */
    public void onLoad(Incarnation server, long range, long epoch, Load load) {
        Tracked known = find(range);
        if (known != null) { // One that is new is looked up anyway.
            known.told = known.row.epoch() == epoch && server.equals(known.row.owner()) ? load : null;
            note(known);
        }
    }

    /** A range may no longer be served, or otherwise: at the next tick its load is looked up. */
    public void onChange(long range) {
        Tracked known = find(range);
        if (known != null) {
            lookUp(known);
        }
    }

    /** The stream of a server began or ended, or it has reported all of its ranges anew. */
    public void onServer(Incarnation server) {
        newsOfServers.add(server);
    }

    /** Notes a range of which nothing was told that the next tick can rely on. */
    private void lookUp(Tracked range) {
        range.told = null;
        note(range);
    }

    /** The same for one of which the row or the settings are others. */
    private void lookUpAnew(Tracked range) {
        lookUp(range);
        range.isAnew = true;
    }

    private void note(Tracked range) {
        if (!range.hasNews) {
            range.hasNews = true;
            news.add(range);
        }
    }

    /** Begins a tick. */
    public void observe(ClusterView view, long now) {
        tick = tick.next(now);
        follow(view.rows());
        newsOfServers.forEach(server -> ownedBy(server).forEach(this::lookUp));
        newsOfServers.clear();
        boolean isChanged = !view.settings().equals(settings);
        settings = view.settings();
        if (isChanged) {
            rows.all().forEach(row -> lookUpAnew(of(row.id())));
        }
        watched.values().forEach(this::note);
        for (Due due = dues.peek(); due != null && due.nanos() <= now; due = dues.peek()) {
            dues.remove();
            if (due.range().dueNanos == due.nanos()) {
                due.range().dueNanos = Long.MAX_VALUE;
                note(due.range());
            }
        }
        for (Tracked range : news) {
            range.hasNews = false;
            if (range.place != Tracked.GONE) {
                observe(range, view);
            }
        }
        news.clear();
    }

    private void observe(Tracked range, ClusterView view) {
        Load told = range.told;
        range.told = null;
        double maximum = range.history.maximum();
        long bytes = range.bytes;
        range.observe(told == null ? view.loads().of(range.row) : told, settings, tick);
        count(range);
        watch(range);
        boolean isAsSmall = range.history.maximum() == maximum && range.bytes == bytes;
        if (range.isAnew || !isAsSmall) { // Or else it may be merged with the same neighbours as before.
            range.isAnew = false;
            pair(range);
            if (range.before != null) {
                pair(range.before);
            }
        }
        long due = range.history.dueNanos(range.load, settings, tick.nanos());
        if (due < range.dueNanos) {
            range.dueNanos = due;
            dues.add(new Due(due, range));
        }
    }

    /** Ends a tick, with what its decisions have changed in the histories. */
    public void remember(Balancer.Result result) {
        result.histories().forEach((id, history) -> {
            Tracked range = of(id);
            range.history = history;
            watch(range);
        });
    }

    /** Takes over what has changed in the map since the last tick. */
    @SuppressWarnings("ReferenceEquality") // The rows are another object when they have changed.
    private void follow(Rows next) {
        if (next == rows) {
            return;
        }
        List<Row> changed = new ArrayList<>();
        if (rows.isEmpty()) {
            changed.addAll(next.all());
        } else {
            next.changedSince(rows.lastVersion()).forEachRemaining(changed::add);
            changed.sort(Comparator.comparing(row -> row.range().start()));
        }
        List<Tracked> begun = new ArrayList<>();
        RangeHistory unknown = RangeHistory.unknown(tick.nanos());
        for (Row row : changed) {
            if (find(row.id()) == null) {
                begun.add(begun(next, row, unknown));
            }
        }
        for (Row row : changed) {
            for (Row old : rows.over(row.range())) {
                if (next.row(old.id()) == null) {
                    forget(old.id());
                }
            }
        }
        begun.forEach(range -> byId.put(range.row.id(), range));
        for (Row row : changed) {
            Tracked range = of(row.id());
            if (range.row.epoch() != row.epoch()) {
                range.history = range.history.moved(tick.nanos());
            }
            range.row = row;
            lookUpAnew(range);
        }
        rows = next;
        link(changed);
    }

    /** A new range, which continues those that it came from. */
    private Tracked begun(Rows next, Row row, RangeHistory unknown) {
        List<Row> parents = rows.over(row.range());
        if (parents.isEmpty()) {
            return new Tracked(row, unknown);
        }
        int siblings = 1;
        if (parents.size() == 1) {
            KeyRange parent = parents.get(0).range();
            siblings = (int) Math.max(
                    1,
                    next.over(parent).stream()
                            .filter(each -> parent.contains(each.range()))
                            .count());
        }
        return Tracked.of(row, parents.stream().map(each -> of(each.id())).toList(), siblings, tick.nanos());
    }

    private void forget(long id) {
        Tracked range = byId.remove(id);
        if (range != null) {
            uncount(range);
            range.place = Tracked.GONE;
            watched.remove(range.row.range().start(), range);
            leftOfCold.remove(range.row.range().start(), range);
        }
    }

    /** Links ranges to each other and to their neighbours, which may be new. */
    private void link(List<Row> inKeyOrder) {
        Tracked last = null;
        for (Row row : inKeyOrder) {
            Key start = row.range().start();
            if (last == null || !Objects.equals(start, last.row.range().end())) {
                joinBehind(last);
                Row before = rows.before(start);
                last = before == null ? null : of(before.id());
            }
            Tracked range = of(row.id());
            join(last, range);
            last = range;
        }
        joinBehind(last);
    }

    private void joinBehind(@Nullable Tracked range) {
        Key end = range == null ? null : range.row.range().end();
        Row behind = end == null ? null : rows.at(end);
        join(range, behind == null ? null : of(behind.id()));
    }

    private static void join(@Nullable Tracked left, @Nullable Tracked right) {
        if (left != null) {
            left.behind = right;
        }
        if (right != null) {
            right.before = left;
        }
    }

    /** Counts what a range weighs now at its owner. */
    private void count(Tracked range) {
        double weight = Prediction.weight(range.history);
        if (!range.isAnew && weight == range.weight) { // Most ranges: their rows need not be looked at.
            return;
        }
        Incarnation owner = range.row.owner();
        Owned at = range.countedAt;
        if (at != null && at.owner.equals(owner)) {
            at.weigh(range, range.weight, weight);
        } else {
            uncount(range);
            at = owner == null ? null : byOwner.computeIfAbsent(owner, Owned::new);
            range.countedAt = at;
            if (at != null) {
                at.add(range, weight);
            }
        }
        range.weight = weight;
    }

    private void uncount(Tracked range) {
        Owned at = range.countedAt;
        if (at != null) {
            at.remove(range);
            if (at.isEmpty()) {
                byOwner.remove(at.owner);
            }
        }
    }

    private void watch(Tracked range) {
        boolean belongs = SplitRule.isLarge(range.load, settings) || range.history.isWatched(settings);
        if (belongs != range.isWatched) {
            range.isWatched = belongs;
            put(watched, range, belongs);
        }
    }

    /** Puts a range where it belongs by its neighbour behind it. */
    private void pair(Tracked left) {
        Tracked right = left.behind;
        boolean belongs = right != null && MergeRule.isColdAndSmall(left, right, settings);
        if (belongs != left.isLeftOfCold) {
            left.isLeftOfCold = belongs;
            put(leftOfCold, left, belongs);
        }
    }

    private static void put(Map<Key, Tracked> index, Tracked range, boolean belongs) {
        Key start = range.row.range().start();
        if (belongs) {
            index.put(start, range);
        } else {
            index.remove(start, range);
        }
    }

    @Override
    public boolean areOwnedBy(Map<Incarnation, ClusterView.Server> servers) {
        return rows.unowned().isEmpty() && rows.owners().stream().allMatch(servers::containsKey);
    }

    @Override
    public @Nullable Tracked find(long id) {
        return byId.get(id);
    }

    @Override
    public Map<Incarnation, Double> carried() {
        TreeMap<Incarnation, Double> carried = new TreeMap<>();
        byOwner.forEach((owner, owned) -> carried.put(owner, owned.carried()));
        return carried;
    }

    @Override
    public Iterable<Tracked> watched() {
        return Collections.unmodifiableCollection(watched.values());
    }

    @Override
    public Iterable<Tracked> leftOfCold() {
        return Collections.unmodifiableCollection(leftOfCold.values());
    }

    @Override
    public List<Tracked> ownedBy(Incarnation server) {
        return rows.ownedBy(server).stream().map(this::of).toList();
    }

    @Override
    public Iterable<Tracked> inUse(Incarnation server) {
        Owned owned = byOwner.get(server);
        return owned == null ? List.of() : owned.heaviestFirst();
    }

    @Override
    public List<Tracked> idle(Incarnation server) {
        return ownedBy(server).stream()
                .filter(range -> range.weight <= Prediction.IDLE_WEIGHT)
                .sorted(Tracked.IN_KEY_ORDER)
                .toList();
    }
}
