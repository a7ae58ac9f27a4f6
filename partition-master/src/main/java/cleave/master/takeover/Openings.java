package cleave.master.takeover;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.TakeoverMemory;
import cleave.master.policy.TakeoverMemory.Failure;
import cleave.master.policy.TakeoverRule;
import cleave.master.policy.TakeoverRule.Failed;
import cleave.master.policy.TakeoverRule.GivenAway;
import cleave.master.policy.TakeoverRule.Ordered;
import cleave.master.policy.TakeoverRule.Report;
import cleave.master.policy.TakeoverRule.Result;
import cleave.master.policy.TakeoverView;
import cleave.master.servers.Sessions;
import cleave.master.settings.MasterTiming;
import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.model.Readiness;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.wire.Event;
import cleave.wire.RangeTrouble;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Orders servers to open ranges: their own ranges that they do not serve, and the takeovers that {@link TakeoverRule} decides. Confined to
 * the master loop. Level-triggered: {@link #tick} looks at the whole state, {@link #orders} at one server; nothing depends on an event.
 */
public final class Openings {
    private static final long MILLI = 1_000_000;
    /**
     * Maximum number of its own ranges that one reply orders a server to open; the others follow as these are served.
     */
    private static final int OWN_OPENS_MAX = 64;

    private final EventLoop loop;
    private final MasterTiming timing;
    private final MasterMetrics metrics;
    private final Sessions sessions;
    private final Events events;
    private TakeoverMemory memory = TakeoverMemory.NONE;

    public Openings(EventLoop loop, MasterTiming timing, MasterMetrics metrics, Sessions sessions, Events events) {
        this.loop = loop;
        this.events = events;
        this.timing = timing;
        this.metrics = metrics;
        this.sessions = sessions;
    }

    /** Decides, and notes what was decided. The caller notifies the takers, and has the ranges given away. */
    public Result tick(MasterState state, LongPredicate inHandoff, boolean mayOrder, long now) {
        loop.assertInside();
        Result result = TakeoverRule.decide(view(state, inHandoff, mayOrder), memory, now);
        memory = result.memory();
        metrics.rangesWithoutOwner.set(memory.orphanedSince().size());
        result.failed().forEach(each -> note(each, now));
        result.ordered().forEach(this::note);
        result.givenAway().forEach(this::note);
        return result;
    }

    private TakeoverView view(MasterState state, LongPredicate inHandoff, boolean mayOrder) {
        return new TakeoverView(state, sessions, inHandoff, mayOrder, timing.patienceNanos(), timing.opensPerServer());
    }

    private void note(Failed failed, long now) {
        Failure failure = failed.failure();
        metrics.openFailures.inc();
        events.add(
                EventKind.OPEN_FAILED,
                event(failed.range(), failure.at())
                        .setReason(failure.reason())
                        .addFigures(Events.count("failures", failure.count()))
                        .addFigures(Events.figure("retry-millis", (failure.until() - now) / MILLI, "ms")));
    }

    private void note(Ordered ordered) {
        Row row = ordered.row();
        metrics.takeoversOrdered.inc();
        events.add(
                EventKind.TAKEOVER_ORDERED,
                event(row.id(), ordered.taker())
                        .setReason(row.owner() == null ? "it has had no owner" : row.owner() + " is dead")
                        .addFigures(Events.count("version", row.version())));
    }

    private void note(GivenAway givenAway) {
        Row row = givenAway.row();
        events.add(
                EventKind.TAKEOVER_ORDERED,
                event(row.id(), givenAway.taker())
                        .setReason("the store fails at " + row.owner())
                        .addFigures(Events.count("failures", givenAway.failures())));
    }

    private static Event.Builder event(long range, Incarnation server) {
        return Event.newBuilder().addRanges(Row.idText(range)).addServers(server.toString());
    }

    public void clear() {
        loop.assertInside();
        memory = TakeoverMemory.NONE;
    }

    /** Notes the rows of committed takeovers. */
    public void takenOver(List<Row> rows, long now) {
        loop.assertInside();
        for (Row row : rows) {
            Incarnation owner = row.owner();
            if (owner != null) {
                Long since = memory.orphanedSince().get(row.id());
                if (since != null) {
                    metrics.takeoverSeconds.observe((now - since) / 1e9);
                }
                memory = memory.takenOver(row.id());
                events.add(EventKind.TAKEOVER_ENDED, event(row.id(), owner).setReason("taken over"));
            }
        }
    }

    /** The ranges that a server should open now, hottest first: takeovers, then its own. */
    public List<Row> orders(MasterState state, Incarnation incarnation, long now) {
        loop.assertInside();
        List<Row> orders = new ArrayList<>();
        for (long range : sessions.hottestFirst(memory.orderedFrom(incarnation))) {
            Row row = state.rows().row(range);
            if (row != null && !state.isLive(row.owner())) {
                orders.add(row);
            }
        }
        Iterator<Long> own = sessions.unserved(incarnation, state.rows()).iterator();
        for (int opens = 0; own.hasNext() && opens < OWN_OPENS_MAX; ) {
            Row row = state.rows().row(own.next());
            if (row != null && !memory.rests(row.id(), now)) {
                opens++;
                orders.add(row);
            }
        }
        return orders;
    }

    /** Notes that a server could not open a range. A report on another version of the row is ignored. */
    public void openingFailed(MasterState state, Incarnation incarnation, RangeTrouble report, long now) {
        loop.assertInside();
        Row row = state.rows().row(report.getRange());
        if (row == null || row.version() != report.getVersion()) {
            return;
        }
        if (report.getStore()) {
            sessions.storeFailed(incarnation, now);
        }
        Report seen = new Report(row, incarnation, report.getReason(), report.getStore());
        Result result = TakeoverRule.reported(view(state, range -> false, false), memory, seen, now);
        memory = result.memory();
        result.failed().forEach(each -> note(each, now));
    }

    /** Whether all ranges are served; if not, how many are not, and why one of them could not be opened. */
    public Readiness serving(MasterState state) {
        loop.assertInside();
        SortedSet<Long> missing = new TreeSet<>(state.orphans());
        for (Incarnation owner : state.rows().owners()) {
            if (state.isLive(owner)) {
                missing.addAll(
                        sessions.of(owner) == null
                                ? state.rows().ownedBy(owner)
                                : sessions.unserved(owner, state.rows()));
            }
        }
        if (missing.isEmpty()) {
            return Readiness.READY;
        }
        String why = missing.stream()
                .filter(memory.failures()::containsKey)
                .findFirst()
                .map(range -> ": range " + Row.idText(range) + ": " + lastFailureOf(range))
                .orElse("");
        return Readiness.missing(missing.size() + " of " + state.rows().size() + " ranges are not served yet" + why);
    }

    /** {@code serving}, {@code opening} or {@code unowned}. */
    public String stateOf(MasterState state, Row row) {
        loop.assertInside();
        Incarnation owner = state.isLive(row.owner()) ? row.owner() : null;
        if (owner != null && sessions.serves(owner, row)) {
            return "serving";
        }
        return owner != null || memory.orders().containsKey(row.id()) ? "opening" : "unowned";
    }

    /** The last reason why a range could not be opened; null if there is none. */
    @Nullable
    public String lastFailureOf(long range) {
        loop.assertInside();
        Failure failure = memory.failures().get(range);
        return failure == null
                ? null
                : failure.reason() + " (at " + failure.at() + ", " + failure.count() + " failures in a row)";
    }
}
