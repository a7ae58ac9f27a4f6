package cleave.master.servers;

import cleave.master.policy.ById;
import cleave.master.policy.DfsSilence;
import cleave.master.policy.TakeoverRule;
import cleave.master.policy.TakeoverView;
import cleave.master.state.MasterState;
import cleave.master.state.Rows;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The heartbeat streams open to this leader, the newest of each incarnation. Confined to the master loop. */
public final class Sessions implements TakeoverView.Servers {
    private final TreeMap<Incarnation, Session> newest = new TreeMap<>();
    /**
     * The last reported load of a range, unless it was none. When its owner dies the load is no longer reported, but it must be expected
     * to come back.
     */
    private ById<Double> lastLoads = new ById<>();

    /** When a store last failed at a server. */
    private final TreeMap<Incarnation, Long> storeFailures = new TreeMap<>();

    /** How far the openings at a server have come. */
    private final TreeMap<Incarnation, Progress> openingProgress = new TreeMap<>();

    private final EventLoop loop;
    private final Clocks clocks;
    private final DfsSilence dfsSilence;
    private double loadSum;
    /** In the map, at the last tick. */
    private int rangeCount;

    private final TreeMap<Incarnation, Unserved> unserved = new TreeMap<>();

    /** The last figure that a server reported, and since when it has reported it. */
    private record Progress(long reported, long since) {}

    /**
     * The own ranges that a server does not serve. They are the same until its session reports something else or the map gives it
     * another set of ranges, which is another object whenever the epoch of one of them has changed.
     */
    private record Unserved(SortedSet<Long> owned, Session session, long servingChanges, List<Long> ranges) {}

    public Sessions(EventLoop loop, Clocks clocks, DfsSilence dfsSilence) {
        this.loop = loop;
        this.clocks = clocks;
        this.dfsSilence = dfsSilence;
    }

    /** @param loads all that the heartbeat reports */
    public void heard(Incarnation incarnation, Session session, List<ReportedLoad> loads) {
        loop.assertInside();
        newest.put(incarnation, session);
        Progress progress = openingProgress.get(incarnation);
        if (progress == null || session.openingProgress() > progress.reported()) {
            openingProgress.put(incarnation, new Progress(session.openingProgress(), session.heardAt()));
        }
        dfsSilence.heard(incarnation, session.dfsSilentNanos(), session.heardAt());
        loads.forEach(load -> keepLoad(load.range(), load.entities()));
    }

    /** Removes a stream that ended; true if the incarnation has no other. */
    public boolean ended(Session session) {
        loop.assertInside();
        Incarnation incarnation = session.incarnation();
        return incarnation != null && newest.remove(incarnation, session);
    }

    /**
     * Counts the ranges of the map, and drops the sessions of dead incarnations, whose streams may stay open for long: their last reports
     * are no longer true.
     */
    public void tick(MasterState state) {
        loop.assertInside();
        rangeCount = state.rows().size();
        forgetLoadsBut(state.rows());
        newest.keySet().removeIf(incarnation -> !state.isLive(incarnation));
        storeFailures.keySet().removeIf(incarnation -> !state.isLive(incarnation));
        unserved.keySet().removeIf(incarnation -> !state.isLive(incarnation));
        openingProgress.keySet().removeIf(incarnation -> !state.isLive(incarnation));
    }

    /** Whatever became of its stream since. */
    @Override
    public @Nullable Long openingProgressAt(Incarnation incarnation) {
        loop.assertInside();
        Progress progress = openingProgress.get(incarnation);
        return progress == null ? null : progress.since();
    }

    @Nullable
    public Session of(@Nullable Incarnation incarnation) {
        loop.assertInside();
        return incarnation == null ? null : newest.get(incarnation);
    }

    /** Notes that a store failed at a server. */
    public void storeFailed(Incarnation incarnation, long now) {
        loop.assertInside();
        storeFailures.put(incarnation, now);
    }

    @Override
    public boolean isAside(Incarnation incarnation, long now) {
        loop.assertInside();
        return lacksSpace(incarnation, now) || clocks.isOff(incarnation) || dfsProblem(incarnation) != null;
    }

    /** Why a server gets no ranges because of the DFS, a clause about it; null if it may have some. */
    public @Nullable String dfsProblem(Incarnation incarnation) {
        loop.assertInside();
        return dfsSilence.problem(incarnation);
    }

    /** The servers to declare dead because the DFS does not answer them, and answers others. Must be called every tick. */
    public List<Incarnation> cutOff(MasterState state, long now) {
        loop.assertInside();
        return dfsSilence.cutOff(
                state.servers().values(),
                server -> !state.rows().ownedBy(server).isEmpty(),
                now);
    }

    public Clocks clocks() {
        return clocks;
    }

    /** True if a server reports little disk space, or its stores have failed lately. */
    public boolean lacksSpace(Incarnation incarnation, long now) {
        loop.assertInside();
        Long failed = storeFailures.get(incarnation);
        return isLowOnSpace(incarnation) || (failed != null && now - failed < TakeoverRule.STORE_FAILURE_NANOS);
    }

    @Override
    public boolean isLowOnSpace(Incarnation incarnation) {
        Session session = of(incarnation);
        return session != null && session.isLowOnSpace();
    }

    @Override
    public boolean serves(Incarnation incarnation, Row row) {
        Session session = of(incarnation);
        return session != null && session.serving(row.id(), row.epoch()) != null;
    }

    public Collection<Session> all() {
        loop.assertInside();
        return newest.values();
    }

    @Override
    public Collection<Incarnation> incarnations() {
        loop.assertInside();
        return newest.keySet();
    }

    /** The expected load of a range in entities per second. */
    double load(long range) {
        loop.assertInside();
        Double last = lastLoads.get(range);
        return last == null ? 0 : last;
    }

    /**
     * One for the range itself plus its load as a multiple of the mean, so that both the number of ranges and their
     * load count.
     */
    @Override
    public double weight(long range) {
        loop.assertInside();
        return 1 + multiple(load(range));
    }

    /** It looks at what the server reports of them all together, and at those that it does not serve yet. */
    @Override
    public double weightOf(Incarnation incarnation, Rows rows) {
        loop.assertInside();
        Session session = of(incarnation);
        double load = session == null ? 0 : session.entitiesPerSecond();
        for (long range : unserved(incarnation, rows)) {
            load += load(range);
        }
        return rows.ownedBy(incarnation).size() + multiple(load);
    }

    /** Of the mean of all ranges. */
    private double multiple(double load) {
        return load / Math.max(1, loadSum / Math.max(1, rangeCount));
    }

    private void keepLoad(long range, double load) {
        Double before = load == 0 ? lastLoads.remove(range) : lastLoads.put(range, load);
        loadSum += load - (before == null ? 0 : before);
    }

    /** The hottest first. */
    public List<Long> hottestFirst(Collection<Long> ranges) {
        return ranges.stream()
                .sorted(Comparator.<Long>comparingDouble(this::load)
                        .reversed()
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /**
     * The ranges that a server owns and does not serve, the hottest first; none if it has no stream. Every heartbeat asks, and mostly nothing
     * has changed since the last one.
     */
    public List<Long> unserved(Incarnation incarnation, Rows rows) {
        Session session = of(incarnation);
        if (session == null) {
            return List.of();
        }
        SortedSet<Long> owned = rows.ownedBy(incarnation);
        Unserved known = unserved.get(incarnation);
        if (known == null
                || known.owned() != owned
                || known.session() != session
                || known.servingChanges() != session.servingChanges()) {
            List<Long> ranges = new ArrayList<>();
            for (long range : owned) {
                Row row = rows.row(range);
                if (row != null && session.serving(range, row.epoch()) == null) {
                    ranges.add(range);
                }
            }
            known = new Unserved(owned, session, session.servingChanges(), hottestFirst(ranges));
            unserved.put(incarnation, known);
        }
        return known.ranges();
    }

    /** Forgets the loads of ranges that are gone, once there are many of them. */
    private void forgetLoadsBut(Rows rows) {
        if (lastLoads.size() <= 2 * rows.size()) {
            return;
        }
        ById<Double> left = new ById<>();
        loadSum = 0;
        for (Row row : rows.all()) {
            Double load = lastLoads.get(row.id());
            if (load != null) {
                left.put(row.id(), load);
                loadSum += load;
            }
        }
        lastLoads = left;
    }

    /** Ends all streams, since this master no longer leads. */
    public List<Session> clear() {
        loop.assertInside();
        List<Session> ended = new ArrayList<>(newest.values());
        newest.clear();
        lastLoads.clear();
        storeFailures.clear();
        openingProgress.clear();
        unserved.clear();
        dfsSilence.clear();
        loadSum = 0;
        return ended;
    }
}
