package cleave.master.takeover;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.TakeoverPlanner;
import cleave.master.policy.TakeoverPlanner.Candidate;
import cleave.master.policy.TakeoverPlanner.Choice;
import cleave.master.policy.TakeoverPlanner.Orphan;
import cleave.master.servers.Session;
import cleave.master.servers.Sessions;
import cleave.master.settings.MasterTiming;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.model.Readiness;
import cleave.model.Row;
import cleave.runtime.loop.Backoff;
import cleave.runtime.loop.EventLoop;
import cleave.wire.Event;
import cleave.wire.RangeTrouble;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Orders servers to open ranges: their own ranges that they do not serve, and takeovers of ranges without a live owner.
 * Confined to the master loop. Level-triggered: {@link #tick} looks at the whole state, {@link #orders} at one server;
 * nothing depends on an event. Two servers may have orders for one range; the state machine arbitrates.
 */
public final class Openings {
    private static final long MILLI = 1_000_000;
    private static final Backoff BACKOFF = new Backoff(250 * MILLI, 30_000 * MILLI);
    private static final int FAILURES_FOR_PATIENCE_MAX = 4;
    /** A server that makes progress, but does not commit, has this many times the patience. */
    private static final int PROGRESS_FACTOR_MAX = 16;
    /**
     * Maximum number of its own ranges that one reply orders a server to open; the others follow as these are served.
     */
    private static final int OWN_OPENS_MAX = 64;
    /** How often a range's store fails at an owner that reports enough space, before another server gets the range. */
    private static final int STORE_FAILURES_MAX = 2;

    /** Timeout of the command that gives a range away. */
    private static final long GIVE_AWAY_NANOS = 5_000 * MILLI;

    private final EventLoop loop;
    private final MasterTiming timing;
    private final MasterMetrics metrics;
    private final Sessions sessions;
    private final Events events;
    private final TreeMap<Long, Assignment> assignments = new TreeMap<>();
    /** The same orders, by new owner. */
    private final TreeMap<Incarnation, TreeSet<Long>> asked = new TreeMap<>();

    private final TreeMap<Incarnation, Unserved> unserved = new TreeMap<>();

    /** When this leader first saw that a range has no live owner. */
    private final TreeMap<Long, Long> orphanedSince = new TreeMap<>();

    private final TreeMap<Long, Failure> failures = new TreeMap<>();
    private final TreeMap<Long, StoreFailure> storeFailures = new TreeMap<>();

    public Openings(EventLoop loop, MasterTiming timing, MasterMetrics metrics, Sessions sessions, Events events) {
        this.loop = loop;
        this.events = events;
        this.timing = timing;
        this.metrics = metrics;
        this.sessions = sessions;
    }

    /** A takeover ordered from a server at some time. */
    private record Assignment(long version, Incarnation taker, long since) {}

    /**
     * The own ranges that a server does not serve. They are the same until its session tells something else or the map gives it
     * another set of ranges, which is another object whenever the epoch of one of them has changed.
     */
    private record Unserved(SortedSet<Long> owned, Session session, long servingChanges, List<Long> ranges) {}

    /** How often in a row opening a range failed, where it failed last, why, and until when the range rests. */
    private record Failure(int count, Incarnation at, String reason, long until) {}

    /**
     * How often a range's store failed at a version of its row, when it failed last, and until when the range is being
     * given away.
     */
    private record StoreFailure(long version, int count, long last, long until) {}

    /** Plans takeovers and returns the servers that have new orders. */
    public List<Incarnation> tick(MasterState state, long now, boolean mayAssign) {
        loop.assertInside();
        List<Row> orphans = orphans(state);
        metrics.rangesWithoutOwner.set(orphans.size());
        noteOrphans(orphans, now);
        dropSettled(state);
        unserved.keySet().removeIf(server -> !state.isLive(server));
        failOverdue(now);
        return mayAssign ? assign(state, orphans, now) : List.of();
    }

    private void noteOrphans(List<Row> orphans, long now) {
        if (orphans.isEmpty()) {
            orphanedSince.clear();
            return;
        }
        TreeSet<Long> ids = new TreeSet<>();
        orphans.forEach(row -> ids.add(row.id()));
        orphanedSince.keySet().retainAll(ids);
        ids.forEach(id -> orphanedSince.putIfAbsent(id, now));
    }

    public void clear() {
        loop.assertInside();
        orphanedSince.clear();
        assignments.clear();
        asked.clear();
        unserved.clear();
        failures.clear();
        storeFailures.clear();
    }

    /** Rows without a live owner. */
    private static List<Row> orphans(MasterState state) {
        TreeSet<Long> ids = new TreeSet<>(state.rows().unowned());
        for (Incarnation owner : state.rows().owners()) {
            if (!state.isLive(owner)) {
                ids.addAll(state.rows().ownedBy(owner));
            }
        }
        List<Row> orphans = new ArrayList<>();
        for (long id : ids) {
            Row row = state.rows().row(id);
            if (row != null) {
                orphans.add(row);
            }
        }
        return orphans;
    }

    private void dropSettled(MasterState state) {
        for (Map.Entry<Long, Assignment> entry : List.copyOf(assignments.entrySet())) {
            Row row = state.rows().row(entry.getKey());
            Assignment assignment = entry.getValue();
            if (row == null
                    || row.version() != assignment.version()
                    || state.isLive(row.owner())
                    || !state.isLive(assignment.taker())) {
                unassign(entry.getKey());
            }
        }
        failures.keySet().removeIf(range -> {
            Row row = state.rows().row(range);
            return row == null || isServed(state, row);
        });
    }

    /**
     * Gives ranges whose stores fail at their live owners, as on a full disk, to servers that have space. The owner has
     * consented by reporting that it does not serve them, and their data are in the DFS. Does nothing if there is no
     * other server.
     */
    public List<Handoff> giveAway(MasterState state, long now) {
        loop.assertInside();
        List<Handoff> commands = new ArrayList<>();
        storeFailures.entrySet().removeIf(entry -> isOver(state, entry.getKey(), entry.getValue(), now));
        for (Map.Entry<Long, StoreFailure> entry : List.copyOf(storeFailures.entrySet())) {
            StoreFailure failure = entry.getValue();
            Row row = state.rows().row(entry.getKey());
            Incarnation owner = row == null ? null : row.owner();
            String manifest = row == null ? null : row.manifest();
            Session session = sessions.of(owner);
            boolean often = failure.count() >= STORE_FAILURES_MAX || (session != null && session.isLowOnSpace());
            if (row == null
                    || owner == null
                    || manifest == null
                    || !often
                    || now < failure.until()
                    || isServed(state, row)) {
                continue;
            }
            List<Candidate> others = candidates(state, now).stream()
                    .filter(each -> !each.incarnation().equals(owner) && !sessions.isAside(each.incarnation(), now))
                    .toList();
            Orphan orphan = new Orphan(row.id(), sessions.weight(row.id()), owner);
            for (Choice choice : TakeoverPlanner.plan(List.of(orphan), others, Integer.MAX_VALUE)) {
                storeFailures.put(
                        row.id(),
                        new StoreFailure(failure.version(), failure.count(), failure.last(), now + GIVE_AWAY_NANOS));
                events.add(
                        EventKind.TAKEOVER_ORDERED,
                        event(row.id(), choice.taker())
                                .setReason("the store fails at " + owner)
                                .addEvidence(Events.figure("failures", failure.count())));
                failures.remove(row.id()); // They were the owner's: the new owner may begin at once.
                commands.add(new Handoff(
                        owner,
                        List.of(new SourceRow(row.id(), row.version(), true)),
                        List.of(new TargetRow(row.range(), choice.taker(), manifest))));
            }
        }
        return commands;
    }

    private static boolean isOver(MasterState state, long range, StoreFailure failure, long now) {
        Row row = state.rows().row(range);
        return row == null
                || !state.isLive(row.owner())
                || row.epoch() > failure.version()
                || now - failure.last() >= Sessions.STORE_FAILURE_NANOS;
    }

    private void assign(long range, Assignment assignment) {
        assignments.put(range, assignment);
        asked.computeIfAbsent(assignment.taker(), taker -> new TreeSet<>()).add(range);
    }

    private void unassign(long range) {
        Assignment assignment = assignments.remove(range);
        TreeSet<Long> ranges = assignment == null ? null : asked.get(assignment.taker());
        if (assignment != null && ranges != null && ranges.remove(range) && ranges.isEmpty()) {
            asked.remove(assignment.taker());
        }
    }

    private SortedSet<Long> askedOf(Incarnation taker) {
        TreeSet<Long> ranges = asked.get(taker);
        return ranges == null ? Collections.emptySortedSet() : ranges;
    }

    private boolean isServed(MasterState state, Row row) {
        Session session = state.isLive(row.owner()) ? sessions.of(row.owner()) : null;
        return session != null && session.serving(row.id(), row.epoch()) != null;
    }

    private void failOverdue(long now) {
        for (Map.Entry<Long, Assignment> entry : List.copyOf(assignments.entrySet())) {
            if (isOverdue(entry.getKey(), entry.getValue(), now)) {
                Assignment assignment = entry.getValue();
                fail(entry.getKey(), assignment.taker(), "did not commit the takeover in time", false, now);
            }
        }
    }

    /**
     * A server that makes progress is left to it: another one would begin anew, and compete with it for what both use. The progress is that
     * of all its openings together, since some of them may wait for others; so there is a bound to it.
     */
    private boolean isOverdue(long range, Assignment assignment, long now) {
        long patience = patience(range);
        long taken = now - assignment.since();
        Long progress = sessions.openingProgressAt(assignment.taker());
        return taken >= patience
                && (progress == null
                        || now - progress >= patience
                        || taken >= Math.max(patience, PROGRESS_FACTOR_MAX * timing.patienceNanos()));
    }

    /** Opening may legitimately take long, so each failure extends the time that the next server is given. */
    private long patience(long range) {
        Failure failure = failures.get(range);
        int doublings = failure == null ? 0 : Math.min(failure.count(), FAILURES_FOR_PATIENCE_MAX);
        return timing.patienceNanos() << doublings;
    }

    /** @param elsewhere another server may succeed: it need not wait because of failures here, however many */
    private void fail(long range, Incarnation at, String reason, boolean elsewhere, long now) {
        Failure before = failures.get(range);
        int count = before == null ? 1 : before.count() + 1;
        long pause = BACKOFF.nanos(elsewhere ? 1 : count);
        failures.put(range, new Failure(count, at, reason, now + pause));
        unassign(range);
        metrics.openFailures.inc();
        events.add(
                EventKind.OPEN_FAILED,
                event(range, at)
                        .setReason(reason)
                        .addEvidence(Events.figure("failures", count))
                        .addEvidence(Events.figure("retry-millis", pause / MILLI)));
    }

    private List<Incarnation> assign(MasterState state, List<Row> orphans, long now) {
        List<Orphan> open = new ArrayList<>();
        for (Row row : orphans) {
            if (!assignments.containsKey(row.id()) && !isPaused(row.id(), now)) {
                Failure failure = failures.get(row.id());
                open.add(new Orphan(row.id(), sessions.weight(row.id()), failure == null ? null : failure.at()));
            }
        }
        if (open.isEmpty()) {
            return List.of();
        }
        TreeSet<Incarnation> ordered = new TreeSet<>();
        for (Choice choice : TakeoverPlanner.plan(open, candidates(state, now), timing.opensPerServer())) {
            Row row = state.rows().row(choice.range());
            if (row != null) {
                assign(row.id(), new Assignment(row.version(), choice.taker(), now));
                metrics.takeoversOrdered.inc();
                String owner = row.owner() == null ? "it has had no owner" : row.owner() + " is dead";
                events.add(
                        EventKind.TAKEOVER_ORDERED,
                        event(row.id(), choice.taker())
                                .setReason(owner)
                                .addEvidence(Events.figure("version", row.version())));
                ordered.add(choice.taker());
            }
        }
        return List.copyOf(ordered);
    }

    /** Notes the rows of committed takeovers. */
    public void takenOver(List<Row> rows, long now) {
        loop.assertInside();
        for (Row row : rows) {
            Incarnation owner = row.owner();
            if (owner != null) {
                Long since = orphanedSince.remove(row.id());
                if (since != null) {
                    metrics.takeoverSeconds.observe((now - since) / 1e9);
                }
                events.add(EventKind.TAKEOVER_ENDED, event(row.id(), owner).setReason("taken over"));
            }
        }
    }

    private static Event.Builder event(long range, Incarnation server) {
        return Event.newBuilder().addRanges(Row.idText(range)).addServers(server.toString());
    }

    private boolean isPaused(long range, long now) {
        Failure failure = failures.get(range);
        return failure != null && now < failure.until();
    }

    /**
     * Draining servers only if there are no others, and servers with little disk space or a wrong clock only if there
     * are no draining ones either.
     */
    private List<Candidate> candidates(MasterState state, long now) {
        List<Candidate> candidates = new ArrayList<>();
        List<Candidate> draining = new ArrayList<>();
        List<Candidate> aside = new ArrayList<>();
        for (Incarnation incarnation : sessions.incarnations()) {
            if (state.isLive(incarnation)) {
                List<Candidate> kind = sessions.isAside(incarnation, now)
                        ? aside
                        : state.isDraining(incarnation) ? draining : candidates;
                kind.add(candidate(state, incarnation));
            }
        }
        return !candidates.isEmpty() ? candidates : !draining.isEmpty() ? draining : aside;
    }

    private Candidate candidate(MasterState state, Incarnation incarnation) {
        double weight = 0;
        for (long range : state.rows().ownedBy(incarnation)) {
            weight += sessions.weight(range);
        }
        for (long range : askedOf(incarnation)) {
            weight += sessions.weight(range);
        }
        return new Candidate(incarnation, weight, askedOf(incarnation).size());
    }

    /** The ranges that a server should open now. */
    public List<Row> orders(MasterState state, Incarnation incarnation, long now) {
        loop.assertInside();
        List<Row> orders = new ArrayList<>();
        for (long range : askedOf(incarnation)) {
            Row row = state.rows().row(range);
            if (row != null && !state.isLive(row.owner())) {
                orders.add(row);
            }
        }
        Iterator<Long> own = unservedOf(state, incarnation).iterator();
        for (int told = 0; own.hasNext() && told < OWN_OPENS_MAX; ) {
            Row row = state.rows().row(own.next());
            if (row != null && !isPaused(row.id(), now)) {
                told++;
                orders.add(row);
            }
        }
        return orders;
    }

    /** Every heartbeat asks, and mostly nothing has changed since the last one. */
    private List<Long> unservedOf(MasterState state, Incarnation incarnation) {
        Session session = sessions.of(incarnation);
        if (session == null) {
            return List.of();
        }
        SortedSet<Long> owned = state.rows().ownedBy(incarnation);
        Unserved known = unserved.get(incarnation);
        if (known == null
                || known.owned() != owned
                || known.session() != session
                || known.servingChanges() != session.servingChanges()) {
            List<Long> ranges = new ArrayList<>();
            for (long range : owned) {
                Row row = state.rows().row(range);
                if (row != null && session.serving(range, row.epoch()) == null) {
                    ranges.add(range);
                }
            }
            known = new Unserved(owned, session, session.servingChanges(), ranges);
            unserved.put(incarnation, known);
        }
        return known.ranges();
    }

    /** Notes that a server could not open a range. A failure of an order that the server no longer has is ignored. */
    public void openingFailed(MasterState state, Incarnation incarnation, RangeTrouble report, long now) {
        loop.assertInside();
        Row row = state.rows().row(report.getRange());
        if (row == null || row.version() != report.getVersion()) {
            return;
        }
        if (report.getStore() && incarnation.equals(row.owner())) {
            StoreFailure before = storeFailures.get(row.id());
            int count = before == null ? 1 : before.count() + 1;
            long until = before == null ? now : before.until();
            storeFailures.put(row.id(), new StoreFailure(row.version(), count, now, until));
        }
        if (report.getStore()) {
            sessions.storeFailed(incarnation, now);
        }
        Assignment assignment = assignments.get(row.id());
        boolean wasAsked = assignment != null && assignment.taker().equals(incarnation);
        if ((wasAsked || incarnation.equals(row.owner())) && !isPaused(row.id(), now)) {
            boolean elsewhere = report.getStore()
                    && sessions.incarnations().stream().anyMatch(each -> !sessions.isAside(each, now));
            fail(row.id(), incarnation, report.getReason(), elsewhere, now);
        }
    }

    /** Whether all ranges are served; if not, how many are not, and why one of them could not be opened. */
    public Readiness serving(MasterState state) {
        loop.assertInside();
        TreeSet<Long> missing = new TreeSet<>();
        orphans(state).forEach(row -> missing.add(row.id()));
        for (Incarnation owner : state.rows().owners()) {
            if (state.isLive(owner)) {
                missing.addAll(sessions.of(owner) == null ? state.rows().ownedBy(owner) : unservedOf(state, owner));
            }
        }
        if (missing.isEmpty()) {
            return Readiness.READY;
        }
        String why = missing.stream()
                .filter(failures::containsKey)
                .findFirst()
                .map(range -> ": range " + Row.idText(range) + ": " + lastFailureOf(range))
                .orElse("");
        return Readiness.missing(missing.size() + " of " + state.rows().size() + " ranges are not served yet" + why);
    }

    /** {@code serving}, {@code opening} or {@code unowned}. */
    public String stateOf(MasterState state, Row row) {
        loop.assertInside();
        if (isServed(state, row)) {
            return "serving";
        }
        return state.isLive(row.owner()) || assignments.containsKey(row.id()) ? "opening" : "unowned";
    }

    /** The last reason why a range could not be opened; null if there is none. */
    @Nullable
    public String lastFailureOf(long range) {
        loop.assertInside();
        Failure failure = failures.get(range);
        return failure == null
                ? null
                : failure.reason() + " (at " + failure.at() + ", " + failure.count() + " failures in a row)";
    }
}
