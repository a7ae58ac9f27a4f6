package cleave.master.handoff;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.handoff.RunningHandoff.Ended;
import cleave.master.policy.Backoff;
import cleave.master.policy.HandoffPlan;
import cleave.master.policy.TakeoverPlanner;
import cleave.master.policy.TakeoverPlanner.Candidate;
import cleave.master.policy.TakeoverPlanner.Choice;
import cleave.master.policy.TakeoverPlanner.Orphan;
import cleave.master.replication.Replication;
import cleave.master.servers.Sessions;
import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.wire.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Empties the servers that drain: their ranges are moved away one after the other, each to the server that then carries least.
 * Confined to the master loop. Who drains stands in the replicated state; so a new leader goes on where the last one was.
 */
public final class Drains {
    private static final long MILLI = 1_000_000;
    private static final Backoff BACKOFF = new Backoff(200 * MILLI, 10_000 * MILLI);

    private final EventLoop loop;
    private final Replication replication;
    private final Sessions sessions;
    private final Handoffs handoffs;
    private final Events events;
    /** Servers of which a range is on its way. */
    private final TreeSet<Incarnation> moving = new TreeSet<>();

    private final TreeSet<Incarnation> saidEmpty = new TreeSet<>();
    private final TreeMap<Long, Failure> failures = new TreeMap<>();

    public Drains(EventLoop loop, Replication replication, Sessions sessions, Handoffs handoffs, Events events) {
        this.loop = loop;
        this.replication = replication;
        this.sessions = sessions;
        this.handoffs = handoffs;
        this.events = events;
    }

    /** How often in a row a range could not be moved, and until when it is left alone. */
    private record Failure(int count, long until) {}

    public void clear() {
        moving.clear();
        saidEmpty.clear();
        failures.clear();
    }

    public void tick(MasterState state, long now) {
        saidEmpty.removeIf(server -> !state.isDraining(server));
        failures.keySet().removeIf(range -> state.rows().row(range) == null);
        for (Server server : state.servers().values()) {
            if (server.draining()) {
                drain(state, server.incarnation(), now);
            }
        }
    }

    private void drain(MasterState state, Incarnation server, long now) {
        if (state.rows().ownedBy(server).isEmpty()) {
            if (saidEmpty.add(server)) {
                String reason = "the server owns no range any more: it can leave";
                events.add(
                        EventKind.DRAIN_ENDED,
                        Event.newBuilder().addServers(server.toString()).setReason(reason));
            }
            return;
        }
        saidEmpty.remove(server);
        if (moving.contains(server)) {
            return;
        }
        for (long range : state.rows().ownedBy(server)) {
            Failure failure = failures.get(range);
            boolean paused = failure != null && now < failure.until();
            Row row = state.rows().row(range);
            Incarnation to = row == null || paused ? null : target(state, range);
            if (row != null && to != null && begins(server, row, to)) {
                return;
            }
        }
    }

    private boolean begins(Incarnation server, Row row, Incarnation to) {
        String refusal = handoffs.start(
                HandoffPlan.move(row, to), Cause.drain(server + " is draining"), ended -> ended(server, row, ended));
        if (refusal == null) {
            moving.add(server);
        }
        return refusal == null;
    }

    private void ended(Incarnation server, Row row, Ended ended) {
        moving.remove(server);
        if (ended.done()) {
            failures.remove(row.id());
            tick(replication.state(), loop.nanos());
        } else {
            Failure before = failures.get(row.id());
            int count = before == null ? 1 : before.count() + 1;
            failures.put(row.id(), new Failure(count, loop.nanos() + BACKOFF.nanos(count)));
        }
    }

    /** The server that carries least of those that do not drain, have space on their disks and clocks that are right; null if there is none. */
    private @Nullable Incarnation target(MasterState state, long range) {
        List<Candidate> candidates = new ArrayList<>();
        for (Incarnation incarnation : sessions.incarnations()) {
            if (state.isLive(incarnation)
                    && !state.isDraining(incarnation)
                    && !sessions.isAside(incarnation, loop.nanos())) {
                double weight = 0;
                for (long owned : state.rows().ownedBy(incarnation)) {
                    weight += sessions.weight(owned);
                }
                candidates.add(new Candidate(incarnation, weight, 0));
            }
        }
        List<Choice> choice =
                TakeoverPlanner.plan(List.of(new Orphan(range, sessions.weight(range), null)), candidates, 1);
        return choice.isEmpty() ? null : choice.get(0).taker();
    }
}
