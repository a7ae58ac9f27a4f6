package cleave.master.core;

import cleave.master.handoff.Balancing;
import cleave.master.handoff.HandoffCoordinator;
import cleave.master.replication.Replication;
import cleave.master.servers.HeartbeatSink;
import cleave.master.servers.ReportedLoad;
import cleave.master.servers.Session;
import cleave.master.servers.Sessions;
import cleave.master.state.AnswerCodec;
import cleave.master.state.MasterState;
import cleave.master.sweep.Vetting;
import cleave.master.takeover.Openings;
import cleave.model.Incarnation;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.LeaderClock;
import cleave.wire.Status;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heartbeats of partition servers: takes their reports, and replies with orders. {@link #open}, {@link #heard} and
 * {@link #broken} are thread-safe; everything else is confined to the master loop.
 *
 * <p>Heartbeats affect soft state only: when a server counts as silent, where ranges are opened, and what the balancer
 * sees. Only the leader accepts them, and only from incarnations that are live in its state.
 */
public final class Heartbeats {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);

    private final EventLoop loop;
    private final Replication replication;
    private final BooleanSupplier leads;
    private final Sessions sessions;
    private final Openings openings;
    private final HandoffCoordinator handoffs;
    private final Balancing balancing;
    private final Vetting vetting;
    private final ServerWatch watch;

    Heartbeats(
            EventLoop loop,
            Replication replication,
            BooleanSupplier leads,
            Sessions sessions,
            Openings openings,
            HandoffCoordinator handoffs,
            Balancing balancing,
            Vetting vetting,
            ServerWatch watch) {
        this.loop = loop;
        this.replication = replication;
        this.leads = leads;
        this.sessions = sessions;
        this.openings = openings;
        this.handoffs = handoffs;
        this.balancing = balancing;
        this.vetting = vetting;
        this.watch = watch;
    }

    /** Opens a server's heartbeat stream. */
    public Session open(HeartbeatSink sink) {
        return new Session(sink);
    }

    /** Handles a heartbeat on a stream. */
    public void heard(Session session, HeartbeatRequest heartbeat) {
        List<ReportedLoad> loads = ReportedLoad.of(heartbeat);
        loop.submit(() -> {
            if (leads.getAsBoolean()) {
                hear(session, heartbeat, loads);
            } else {
                end(session, ErrorCode.NOT_LEADER, replication.leaderAddress());
            }
        });
    }

    /** Handles the end of a stream, on either side. */
    public void broken(Session session) {
        loop.submit(() -> {
            session.sink().close();
            Incarnation incarnation = session.incarnation();
            if (sessions.ended(session) && incarnation != null) {
                LOG.info("heartbeat stream ended server={}", incarnation);
                watch.broken(incarnation);
            }
        });
    }

    private void hear(Session session, HeartbeatRequest heartbeat, List<ReportedLoad> loads) {
        long now = loop.nanos();
        MasterState state = replication.state();
        Incarnation incarnation = Incarnation.fromWire(heartbeat.getIncarnation());
        if (state.isKnownDead(incarnation)) {
            end(session, ErrorCode.DEAD_INCARNATION, incarnation + " was declared dead");
            return;
        }
        if (!state.isLive(incarnation)) {
            end(session, ErrorCode.UNAVAILABLE, incarnation + " is not known to this master yet");
            return;
        }
        String otherDfs = vetting.serverProblem(incarnation.server(), heartbeat.getDfs());
        if (otherDfs != null) {
            end(session, ErrorCode.INVALID, otherDfs);
            return;
        }
        session.heard(heartbeat, loads, now);
        sessions.clocks().heard(incarnation, heartbeat);
        handoffs.progress(heartbeat.getHandoffsList());
        sessions.heard(incarnation, session, loads);
        balancing.heard(incarnation, heartbeat, loads);
        watch.heard(incarnation, now);
        heartbeat.getTroublesList().forEach(report -> openings.openingFailed(state, incarnation, report, now));
        order(state, incarnation, now);
    }

    /** Sends a server its orders, if it has a stream. */
    void order(MasterState state, Incarnation incarnation, long now) {
        loop.assertInside();
        Session session = sessions.of(incarnation);
        if (session != null) {
            HeartbeatReply.Builder reply = HeartbeatReply.newBuilder()
                    .setStatus(Status.getDefaultInstance())
                    .setLevel(state.level());
            LeaderClock clock = sessions.clocks().clockFor(state, incarnation, session.sentNanos());
            if (clock != null) {
                reply.setClock(clock);
            }
            if (vetting.hasPassed()) {
                openings.orders(state, incarnation, now).forEach(row -> reply.addOpen(row.toWire()));
            }
            if (reply.getOpenCount() > 0) {
                state.fences().ofDead(state).forEach(fence -> reply.addFences(fence.toWire()));
            }
            session.sink().send(reply.build());
        }
    }

    private static void end(Session session, ErrorCode code, String message) {
        session.sink()
                .send(HeartbeatReply.newBuilder()
                        .setStatus(AnswerCodec.status(code, message))
                        .build());
        session.sink().close();
    }

    /** True if every live server has a stream. */
    boolean allCame(MasterState state) {
        loop.assertInside();
        return state.servers().values().stream().allMatch(server -> sessions.of(server.incarnation()) != null);
    }

    /** Ends all streams, since this master no longer leads, so that the servers look for the leader. */
    void clear(String leader) {
        loop.assertInside();
        sessions.clear().forEach(session -> end(session, ErrorCode.NOT_LEADER, leader));
    }
}
