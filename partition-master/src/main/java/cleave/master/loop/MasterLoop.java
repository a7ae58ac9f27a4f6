package cleave.master.loop;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.handoff.Balancing;
import cleave.master.handoff.Drains;
import cleave.master.handoff.Handoffs;
import cleave.master.handoff.PendingGoals;
import cleave.master.handoff.SplitRequests;
import cleave.master.membership.LevelRaise;
import cleave.master.membership.MemberChanges;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.FailureDetector;
import cleave.master.policy.FailureDetector.Verdict;
import cleave.master.replication.Proposer;
import cleave.master.replication.Replication;
import cleave.master.servers.Clocks;
import cleave.master.servers.HeartbeatSink;
import cleave.master.servers.RangeCalls;
import cleave.master.servers.Session;
import cleave.master.servers.Sessions;
import cleave.master.settings.MasterTiming;
import cleave.master.state.BalancerSettings;
import cleave.master.state.Drop;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.SeedSettings;
import cleave.master.state.MasterState;
import cleave.master.sweep.Sweeper;
import cleave.master.sweep.Vetting;
import cleave.master.tables.TableDrops;
import cleave.master.takeover.Openings;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Readiness;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.LeaderClock;
import cleave.wire.Status;
import cleave.wire.StatusRequest;
import cleave.wire.SupportedLevelsReply;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One master at work. Its public methods are thread-safe; all else is confined to its event loop.
 *
 * <p>Every tick looks at the replicated state and at what the servers report, never at what happened: a range without a living
 * owner is taken over, a pending drop is driven, a silent server declared dead. All soft state is lost with the leadership, and
 * a new leader begins with everyone counted as just heard. Whatever this loop believes, it changes the map only by commands
 * that were replicated, so a leader that was cut off changes nothing.
 */
public final class MasterLoop {
    private static final Logger LOG = LoggerFactory.getLogger(MasterLoop.class);
    private static final long NANOS_PER_TICK = 100;

    private final EventLoop loop;
    private final MasterTiming timing;
    private final long clockSkewTicks;
    private final Replication replication;
    private final MasterMetrics metrics;
    private final String self;
    private final BalancerSettings seed;
    private final SupportedLevelsReply supportedLevels;

    private final FailureDetector detector;
    private final Events events;
    private final Clocks clocks;
    private final Sessions sessions;
    private final Openings openings;
    private final TableDrops drops;
    private final Handoffs handoffs;
    private final PendingGoals goals;
    private final Drains drains;
    private final Balancing balancing;
    private final Sweeper sweeper;
    private final LevelRaise levelRaise;
    private final MemberChanges memberChanges;
    private final Vetting vetting;
    private final Operator operator;
    private final Proposer deciding;
    /** Keeps the masters ready, and shows that they are, while nothing else is replicated. */
    private final Proposer proving;
    /** Most servers are silent: only a command proposed after that was seen shows that it is not this leader who is cut off. */
    private final Proposer provingForJudge;

    private long term;
    private long leaderSince;
    private long lastTick;
    private long progressIndex;
    private long progressAt;
    private boolean stopped;
    private volatile Readiness readiness = Readiness.missing("the loop has not run");

    MasterLoop(EventLoop loop, MasterCore.Self self, MasterCore.Outside outside) {
        this.loop = loop;
        this.self = self.id();
        timing = self.timing();
        clockSkewTicks = self.clockSkewNanos() / NANOS_PER_TICK;
        seed = self.seed();
        supportedLevels = SupportedLevelsReply.newBuilder()
                .setMaster(self.id())
                .setLevels(self.levels().toWire())
                .setAllowed(self.levelAllowed())
                .build();
        metrics = outside.metrics();
        events = new Events(loop, metrics);
        clocks = new Clocks(loop, self.id(), self.clockSkewNanos() / NANOS_PER_TICK, events, metrics);
        sessions = new Sessions(clocks);
        vetting = new Vetting(loop, outside.replication(), outside.files(), events, metrics);
        replication = vetting.replication();
        RangeCalls calls = outside.ranges();
        detector = new FailureDetector(
                new FailureDetector.Timing(timing.suspectNanos(), timing.graceNanos(), timing.lateNanos()));
        deciding = new Proposer(loop, replication);
        proving = new Proposer(loop, replication);
        provingForJudge = new Proposer(loop, replication);
        openings = new Openings(timing, metrics, sessions, events);
        drops = new TableDrops(loop, timing, replication, calls);
        handoffs = new Handoffs(loop, timing, replication, calls, sessions, events, metrics);
        goals = new PendingGoals(loop, replication, handoffs, events);
        drains = new Drains(loop, sessions, goals, events);
        balancing = new Balancing(timing, sessions, handoffs, goals, events);
        levelRaise = new LevelRaise(
                loop,
                new LevelRaise.Self(self.id(), self.levels(), self.levelAllowed()),
                replication,
                outside.masters(),
                sessions,
                events);
        sweeper = new Sweeper(loop, timing, replication, outside.files(), vetting, events, metrics);
        SplitRequests splits = new SplitRequests(loop, calls, timing.callNanos());
        memberChanges = new MemberChanges(loop, replication, outside.masters(), vetting, events);
        operator = new Operator(loop, timing, replication, this::leads, handoffs, goals, events, splits, memberChanges);
    }

    void start() {
        loop.submit(() -> {
            lastTick = loop.nanos();
            progressIndex = replication.appliedIndex();
            progressAt = lastTick - timing.readyNanos();
            tick();
        });
    }

    /** No further tick; all callers are answered. */
    void stop() {
        loop.submit(() -> {
            stopped = true;
            stepDown();
        });
    }

    /** Whether this master knows a leader and takes part in what it replicates. */
    public Readiness readiness() {
        return readiness;
    }

    /** The cluster's feature level, as far as this master has applied the log. Thread-safe. */
    public int clusterLevel() {
        return replication.state().level();
    }

    /** What this master itself supports. Thread-safe. */
    public SupportedLevelsReply supportedLevels() {
        return supportedLevels;
    }

    /** A server asks to be let in. */
    public CompletableFuture<MasterAnswer> register(
            String server, String address, String cluster, FeatureLevels supported, long clockTicks) {
        if (!cluster.equals(replication.cluster())) {
            return CompletableFuture.completedFuture(otherCluster(server, cluster));
        }
        long ahead = clockTicks - clocks.ticks();
        if (replication.leaderTerm() != 0 && Math.abs(ahead) > clockSkewTicks) {
            String message = "the clock of " + server + " is " + Math.abs(ahead) / Ticks.PER_MILLI + " ms "
                    + (ahead > 0 ? "ahead of" : "behind") + " that of the leader, " + self + "; at most "
                    + clockSkewTicks / Ticks.PER_MILLI + " ms are let in";
            return CompletableFuture.completedFuture(MasterAnswer.failed(ErrorCode.INVALID, message));
        }
        MasterState state = replication.state();
        String flaw = state.levelFlaw(server, supported);
        if (flaw != null) {
            return CompletableFuture.completedFuture(MasterAnswer.failed(ErrorCode.INVALID, flaw));
        }
        boolean toldInLog = state.level() >= FeatureLevels.LEVELS;
        return replication.propose(new Register(server, address, toldInLog ? supported : null));
    }

    /** A master that is no member yet sends the server to the others. */
    private MasterAnswer otherCluster(String server, String cluster) {
        String own = replication.cluster();
        return own.isEmpty()
                ? notLeader()
                : MasterAnswer.failed(
                        ErrorCode.INVALID,
                        "the DFS of server " + server + " keeps the files of "
                                + (cluster.isEmpty() ? "no cluster" : "cluster " + cluster)
                                + ", but these are the masters of"
                                + " cluster " + own + ": set dfs or masters of the server right");
    }

    /** Publish, handoff, table ids: what needs no soft state. */
    public CompletableFuture<MasterAnswer> execute(MasterCommand command) {
        CompletableFuture<MasterAnswer> answered = replication.propose(command);
        if (command instanceof Handoff handoff) {
            answered.thenAccept(answer -> loop.submit(() -> committed(handoff, answer)));
        }
        return answered;
    }

    /** The new owners hear of their ranges at once, not with their next heartbeats. */
    private void committed(Handoff handoff, MasterAnswer answer) {
        if (!answer.isOk() || !leads()) {
            return;
        }
        if (!handoff.sources().get(0).word()) {
            openings.takenOver(answer.rows());
        }
        TreeSet<Incarnation> owners = new TreeSet<>();
        for (Row row : answer.rows()) {
            Incarnation owner = row.owner();
            if (owner != null && !owner.equals(handoff.by())) {
                owners.add(owner);
            }
        }
        owners.forEach(owner -> sendOrders(replication.state(), owner, loop.nanos()));
    }

    /** Drops a table; completes when the drop has come to its end. */
    public CompletableFuture<MasterAnswer> dropTable(Drop drop) {
        CompletableFuture<MasterAnswer> caller = new CompletableFuture<>();
        loop.submit(() -> {
            if (leads()) {
                drops.ask(drop, caller);
            } else {
                caller.complete(notLeader());
            }
        });
        return caller;
    }

    /** What operators ask of this master. */
    public Operator operator() {
        return operator;
    }

    /** What this master knows; as a leader it first proves, by a replicated no-op, that it still is one. */
    public StatusFeed status(StatusRequest request, StatusFeed.Sink sink) {
        StatusFeed feed = new StatusFeed(loop, sink);
        StatusReport.Heard heard = new StatusReport.Heard(sessions, openings, handoffs);
        replication
                .propose(new NoOp())
                .thenAccept(answer -> loop.submit(() -> {
                    boolean led = leads();
                    long ledTerm = term;
                    StatusReport report = new StatusReport(self, request.getServer(), answer, replication, heard);
                    if (report.isOfLeader()) {
                        MasterState state = replication.state();
                        report.tellLevel(
                                state.level(),
                                supportedLevels.getLevels().getMax(),
                                levelRaise.heldBackBy(state, loop.nanos()));
                    }
                    feed.begin(report, () -> leads() && term == ledTerm && led);
                }));
        return feed;
    }

    /** A server opened its heartbeat stream. */
    public Session open(HeartbeatSink sink) {
        return new Session(sink);
    }

    /** A heartbeat on a stream. */
    public void heard(Session session, HeartbeatRequest heartbeat) {
        loop.submit(() -> {
            if (leads()) {
                hear(session, heartbeat);
            } else {
                end(session, ErrorCode.NOT_LEADER, replication.leaderAddress());
            }
        });
    }

    /** A stream ended, on either side. */
    public void broken(Session session) {
        loop.submit(() -> {
            session.sink().close();
            Incarnation incarnation = session.incarnation();
            if (sessions.ended(session) && incarnation != null && term != 0) {
                LOG.info("heartbeat stream ended server={}", incarnation);
                detector.broken(incarnation, loop.nanos());
            }
        });
    }

    private void hear(Session session, HeartbeatRequest heartbeat) {
        loop.assertInside();
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
        session.heard(heartbeat, now);
        clocks.heard(incarnation, heartbeat);
        handoffs.progress(heartbeat.getHandoffsList());
        sessions.heard(incarnation, session);
        detector.heard(incarnation, now);
        heartbeat.getTroublesList().forEach(trouble -> openings.trouble(state, incarnation, trouble, now));
        sendOrders(state, incarnation, now);
    }

    private void sendOrders(MasterState state, Incarnation incarnation, long now) {
        Session session = sessions.of(incarnation);
        if (session != null) {
            HeartbeatReply.Builder reply = HeartbeatReply.newBuilder()
                    .setStatus(Status.getDefaultInstance())
                    .setLevel(state.level());
            LeaderClock clock = clocks.tell(state, incarnation, session.sentNanos());
            if (clock != null) {
                reply.setClock(clock);
            }
            if (vetting.hasPassed()) {
                openings.orders(state, incarnation, now).forEach(row -> reply.addOpen(row.toWire()));
            }
            session.sink().send(reply.build());
        }
    }

    private static void end(Session session, ErrorCode code, String message) {
        session.sink()
                .send(HeartbeatReply.newBuilder()
                        .setStatus(Status.newBuilder().setCode(code).setMessage(message))
                        .build());
        session.sink().close();
    }

    private void tick() {
        if (stopped) {
            return;
        }
        long now = loop.nanos();
        judgeReadiness(now);
        leads();
        if (term != 0) {
            lead(now);
        }
        lastTick = now;
        loop.schedule(timing.tickNanos(), this::tick);
    }

    /** Whether this master leads; notices when that has changed. */
    private boolean leads() {
        long current = stopped ? 0 : replication.leaderTerm();
        if (current != term) {
            stepDown();
            term = current;
            if (term != 0) {
                beginTerm(loop.nanos());
            }
        }
        return term != 0;
    }

    private void beginTerm(long now) {
        LOG.info("leads term={} ranges={}", term, replication.state().rows().size());
        metrics.leader.set(1);
        leaderSince = now;
        events.begin(term);
        handoffs.begin(term);
        balancing.begin(replication.state(), now);
        sweeper.begin(now);
        levelRaise.begin(now);
        vetting.begin(term);
        detector.begin(now);
        events.add(
                EventKind.LEADER_BEGUN,
                Event.newBuilder().setReason(self + " leads").addServers(self));
    }

    private void stepDown() {
        if (term != 0) {
            LOG.info("leads no more term={}", term);
        }
        term = 0;
        metrics.leader.set(0);
        String leader = replication.leaderAddress();
        deciding.reset();
        proving.reset();
        provingForJudge.reset();
        goals.clear();
        handoffs.clear();
        drains.clear();
        sweeper.clear();
        levelRaise.clear();
        vetting.clear();
        events.clear();
        clocks.clear();
        sessions.clear().forEach(session -> end(session, ErrorCode.NOT_LEADER, leader));
        openings.clear();
        drops.clear(leader);
        memberChanges.clear(leader);
    }

    private void lead(long now) {
        MasterState state = replication.state();
        if (now - lastTick >= timing.lateNanos()) {
            metrics.lateTicks.inc();
            LOG.warn("the leader's tick came late millis={}", (now - lastTick) / 1_000_000);
        }
        if (now - progressAt >= timing.proofNanos()) {
            proving.propose(new NoOp(), proof -> {});
        }
        if (!vetting.hasPassed()) {
            return;
        }
        if (state.rows().isEmpty()) {
            decide(new Initialize(replication.cluster()));
            return;
        }
        vetting.tick(state);
        sessions.forgetDead(state);
        clocks.tick(state);
        judgeServers(state, now);
        if (state.settings() == null) {
            decide(new SeedSettings(seed.texts()));
        }
        assign(state, now);
        openings.giveAway(state, now).forEach(this::execute);
        handoffs.tick(state, now);
        drains.tick(state);
        balancing.tick(state, now);
        sweeper.tick(now);
        levelRaise.tick(state, now);
        drops.tick(state);
        sessions.forgetLoadsBut(state.rows());
        metrics.ranges.set(state.rows().size());
        metrics.servers.set(state.servers().size());
        metrics.featureLevel.set(state.level());
        metrics.dropsPending.set(state.drops().size());
    }

    private void judgeServers(MasterState state, long now) {
        List<Incarnation> live = state.servers().values().stream()
                .map(server -> server.incarnation())
                .toList();
        Verdict verdict = detector.judge(live, now);
        if (verdict.proofWanted()) {
            provingForJudge.propose(new NoOp(), proof -> {
                if (proof.isOk()) {
                    detector.proved(loop.nanos());
                }
            });
        }
        if (!verdict.dead().isEmpty() && !deciding.isBusy()) {
            Event.Builder event = Event.newBuilder().setReason("silent for too long: declared dead");
            verdict.dead().forEach(incarnation -> event.addServers(incarnation.toString()));
            events.add(EventKind.SERVER_DEAD, event);
            metrics.declaredDead.inc(verdict.dead().size());
            decide(new DeclareDead(verdict.dead()));
        }
    }

    /** Proposes a decision of the tick, one at a time, and looks at the state again as soon as it is made. */
    private void decide(MasterCommand command) {
        deciding.propose(command, answer -> {
            if (!answer.isOk()) {
                LOG.warn("decision not made code={} message={}", answer.code(), answer.message());
            }
            if (leads()) {
                assign(replication.state(), loop.nanos());
            }
        });
    }

    private void assign(MasterState state, long now) {
        boolean everyoneCame = true;
        for (var server : state.servers().values()) {
            everyoneCame &= sessions.of(server.incarnation()) != null;
        }
        boolean mayAssign = everyoneCame || now - leaderSince >= timing.settleNanos();
        for (Incarnation taker : openings.tick(state, now, mayAssign)) {
            sendOrders(state, taker, now);
        }
    }

    private void judgeReadiness(long now) {
        long index = replication.appliedIndex();
        if (index != progressIndex) {
            progressIndex = index;
            progressAt = now;
        }
        readiness = readinessAt(now);
    }

    private Readiness readinessAt(long now) {
        String waiting = vetting.waiting();
        if (!waiting.isEmpty()) {
            return Readiness.missing("this leader changes nothing: " + waiting);
        }
        if (replication.state().rows().isEmpty()) {
            return Readiness.missing("no partition map yet");
        }
        if (replication.leaderAddress().isEmpty()) {
            return Readiness.missing("no leader is known");
        }
        long silence = now - progressAt;
        if (silence >= timing.readyNanos()) {
            return Readiness.missing("nothing was replicated for " + silence / 1_000_000 + " ms");
        }
        long ahead = clocks.leaderAhead();
        return ahead == 0
                ? Readiness.READY
                : Readiness.but("the clock of this master, which leads, is " + Math.abs(ahead) / Ticks.PER_SECOND
                        + " s " + (ahead > 0 ? "ahead of" : "behind") + " those of most servers: put it right");
    }

    private MasterAnswer notLeader() {
        return MasterAnswer.failed(ErrorCode.NOT_LEADER, replication.leaderAddress());
    }
}
