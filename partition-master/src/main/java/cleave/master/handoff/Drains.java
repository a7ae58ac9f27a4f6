package cleave.master.handoff;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.policy.DrainGoal;
import cleave.master.servers.Sessions;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.model.Incarnation;
import cleave.runtime.loop.EventLoop;
import cleave.wire.Event;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sets a goal for each draining server: to move its ranges away one by one, each to the server with the least load at
 * that time. Confined to the master loop. The replicated state says which servers drain, so a new leader continues
 * where the last one stopped.
 */
public final class Drains {
    private final EventLoop loop;
    private final Sessions sessions;
    private final PendingGoals goals;
    private final Events events;
    /** Draining servers with a pending goal. */
    private final TreeSet<Incarnation> pending = new TreeSet<>();

    private final TreeSet<Incarnation> announcedEmpty = new TreeSet<>();

    public Drains(EventLoop loop, Sessions sessions, PendingGoals goals, Events events) {
        this.loop = loop;
        this.sessions = sessions;
        this.goals = goals;
        this.events = events;
    }

    public void clear() {
        loop.assertInside();
        pending.clear();
        announcedEmpty.clear();
    }

    public void tick(MasterState state) {
        loop.assertInside();
        announcedEmpty.removeIf(server -> !state.isDraining(server));
        for (Server server : state.servers().values()) {
            if (server.draining()) {
                drain(state, server.incarnation());
            }
        }
    }

    private void drain(MasterState state, Incarnation server) {
        if (!state.rows().ownedBy(server).isEmpty()) {
            announcedEmpty.remove(server);
            if (pending.add(server)) {
                pursue(server);
            }
        } else if (announcedEmpty.add(server)) {
            String reason = "the server owns no range any more: it can leave";
            events.add(
                    EventKind.DRAIN_ENDED,
                    Event.newBuilder().addServers(server.toString()).setReason(reason));
        }
    }

    private void pursue(Incarnation server) {
        CompletableFuture<MasterAnswer> ended = new CompletableFuture<>();
        ended.thenAccept(answer -> pending.remove(server));
        goals.pursue(
                new DrainGoal(server, this::leastLoaded),
                Cause.drain(server + " is draining"),
                Pursuit.STANDING,
                ended);
    }

    /**
     * The server with the least load among those that do not drain, have disk space, a correct clock and a DFS that answers; null
     * if there is none.
     */
    private @Nullable Incarnation leastLoaded(MasterState state) {
        Incarnation least = null;
        double leastWeight = 0;
        for (Incarnation incarnation : sessions.incarnations()) {
            if (state.isLive(incarnation)
                    && !state.isDraining(incarnation)
                    && !sessions.isAside(incarnation, loop.nanos())) {
                double weight = sessions.weightOf(incarnation, state.rows());
                if (least == null || weight < leastWeight) {
                    least = incarnation;
                    leastWeight = weight;
                }
            }
        }
        return least;
    }
}
