package cleave.master.handoff;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.Balancer;
import cleave.master.policy.ClusterView;
import cleave.master.policy.Decision;
import cleave.master.policy.Explanation;
import cleave.master.policy.HandoffPlan;
import cleave.master.policy.Load;
import cleave.master.policy.PlanGoal;
import cleave.master.policy.RangeIndex;
import cleave.master.policy.WhyNot;
import cleave.master.servers.ReportedLoad;
import cleave.master.servers.Session;
import cleave.master.servers.Sessions;
import cleave.master.settings.MasterTiming;
import cleave.master.state.MasterState;
import cleave.master.state.Server;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.wire.Figure;
import cleave.wire.HeartbeatRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Calls the balancer every second or so with a view of the cluster, turns its decisions into goals, and reports its
 * verdicts. Confined to the master loop. A handoff that cannot begin at once is dropped; its ranges rest for a while,
 * after which the loads of that time decide.
 */
public final class Balancing {
    /** Decisions by the kind and reason that {@link Balancer} gives. */
    private static final List<String> DECISIONS = List.of(
            "split hot",
            "split large",
            "split moving-end",
            "merge cold",
            "move cold-apart",
            "move uneven",
            "move joined",
            "verdict moving-end",
            "verdict popular-partition",
            "verdict no-bound");

    private final EventLoop loop;
    private final MasterTiming timing;
    private final Sessions sessions;
    private final HandoffCoordinator handoffs;
    private final PendingGoals goals;
    private final Events events;
    private final MasterMetrics metrics;
    /** When this leader first saw each server. */
    private final TreeMap<Incarnation, Long> seen = new TreeMap<>();

    /** The streams of which the index knows. */
    private final TreeMap<Incarnation, Session> streams = new TreeMap<>();

    private RangeIndex ranges = new RangeIndex();
    private Explanation explanation = Explanation.NONE;
    private long since;
    private long next;

    public Balancing(
            EventLoop loop,
            MasterTiming timing,
            Sessions sessions,
            HandoffCoordinator handoffs,
            PendingGoals goals,
            Events events,
            MasterMetrics metrics) {
        this.loop = loop;
        this.timing = timing;
        this.sessions = sessions;
        this.handoffs = handoffs;
        this.goals = goals;
        this.events = events;
        this.metrics = metrics;
        for (String each : DECISIONS) {
            String[] labels = each.split(" ", 2);
            metrics.decisions.labels(labels[0], labels[1]);
        }
    }

    /** Starts a new leadership: the servers that are present now have not just joined. */
    public void begin(MasterState state, long now) {
        loop.assertInside();
        since = now;
        next = now + timing.balanceNanos();
        ranges = new RangeIndex();
        streams.clear();
        explanation = Explanation.NONE;
        seen.clear();
        state.servers().values().forEach(server -> seen.put(server.incarnation(), now));
    }

    public void tick(MasterState state, long now) {
        loop.assertInside();
        if (now < next || state.settings() == null) {
            return;
        }
        next = now + timing.balanceNanos();
        seen.keySet().removeIf(server -> !state.isLive(server));
        followStreams();
        ClusterView view = view(state, now);
        ranges.observe(view, now);
        Balancer.Result result = Balancer.decide(view, ranges, now);
        ranges.remember(result);
        explanation = result.explanation();
        for (Decision decision : result.decisions()) {
            Cause cause = cause(decision);
            HandoffPlan plan = decision.plan();
            metrics.decisions
                    .labels(plan == null ? "verdict" : label(plan.kind()), label(decision.reason()))
                    .inc();
            if (plan == null) {
                events.add(EventKind.VERDICT, cause.event().addAllRanges(ranges(decision)));
            } else {
                goals.pursue(new PlanGoal(plan), cause, Pursuit.ONCE, new CompletableFuture<>());
            }
        }
    }

    /**
     * Notes what a server has reported about its ranges.
     *
     * @param loads all that the heartbeat reports
     */
    public void heard(Incarnation server, HeartbeatRequest heartbeat, List<ReportedLoad> loads) {
        loop.assertInside();
        if (heartbeat.getWhole()) {
            ranges.onServer(server);
        }
        heartbeat.getGoneList().forEach(gone -> ranges.onChange(gone.getRange()));
        loads.forEach(load -> ranges.onLoad(server, load.range(), load.epoch(), load));
    }

    /** Why the last tick of this leader did not do more with a range. */
    public List<WhyNot> whyNot(Row row) {
        loop.assertInside();
        return explanation.of(row);
    }

    /** The index looks at all ranges of a server again whose stream began or ended. */
    private void followStreams() {
        streams.forEach((server, known) -> {
            if (sessions.of(server) != known) {
                ranges.onServer(server);
            }
        });
        streams.keySet().removeIf(server -> sessions.of(server) == null);
        for (Incarnation server : sessions.incarnations()) {
            Session session = Objects.requireNonNull(sessions.of(server));
            if (streams.put(server, session) != session) {
                ranges.onServer(server);
            }
        }
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<String> ranges(Decision decision) {
        return decision.ranges().stream().map(Row::idText).toList();
    }

    /** With its figures and the rejected alternatives. */
    private static Cause cause(Decision decision) {
        String reason = decision.reason().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        List<Figure> figures = decision.evidence().stream().map(Events::figure).toList();
        return new Cause("balancer", reason + ": " + decision.why(), figures, decision.rejected());
    }

    private @Nullable Load load(Row row) {
        Session session = sessions.of(row.owner());
        return session == null ? null : session.serving(row.id(), row.epoch());
    }

    private ClusterView view(MasterState state, long now) {
        LinkedHashMap<Incarnation, ClusterView.Server> servers = new LinkedHashMap<>();
        for (Server server : state.servers().values()) {
            if (sessions.of(server.incarnation()) != null) {
                long joined = seen.computeIfAbsent(server.incarnation(), first -> now);
                servers.put(
                        server.incarnation(),
                        new ClusterView.Server(server.draining(), sessions.isAside(server.incarnation(), now), joined));
            }
        }
        return new ClusterView(
                state.rows(),
                this::load,
                servers,
                handoffs.inHandoff(),
                goals.goals(),
                handoffs.plans(),
                state.effectiveSettings(),
                since);
    }
}
