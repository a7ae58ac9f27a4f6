package cleave.master.loop;

import cleave.loop.EventLoop;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.FailureDetector;
import cleave.master.policy.FailureDetector.Verdict;
import cleave.master.settings.MasterTiming;
import cleave.master.state.Drop;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.model.Readiness;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ErrorCode;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.Status;
import cleave.wire.StatusReply;
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
    private final RangeCalls calls;
    private final MasterMetrics metrics;
    private final String self;

    private final FailureDetector detector;
    private final Sessions sessions = new Sessions();
    private final Openings openings;
    private final TableDrops drops;

    private long term;
    private long leaderSince;
    private long lastTick;
    private boolean deciding;
    private boolean proving;
    private boolean provingForJudge;
    private long progressIndex;
    private long progressAt;
    private boolean stopped;
    private volatile Readiness readiness = Readiness.missing("the loop has not run");

    /**
     * @param self this master's id
     * @param clockSkewNanos a server whose clock is further off is not let in
     */
    public MasterLoop(
            EventLoop loop,
            String self,
            MasterTiming timing,
            long clockSkewNanos,
            Replication replication,
            RangeCalls calls,
            MasterMetrics metrics) {
        this.loop = loop;
        this.self = self;
        this.timing = timing;
        this.clockSkewTicks = clockSkewNanos / NANOS_PER_TICK;
        this.replication = replication;
        this.calls = calls;
        this.metrics = metrics;
        detector = new FailureDetector(
                new FailureDetector.Timing(timing.suspectNanos(), timing.graceNanos(), timing.lateNanos()));
        openings = new Openings(timing, metrics, sessions);
        drops = new TableDrops(loop, timing, replication, calls);
    }

    public void start() {
        loop.submit(() -> {
            lastTick = loop.nanos();
            progressIndex = replication.appliedIndex();
            progressAt = lastTick - timing.readyNanos();
            tick();
        });
    }

    /** No further tick; whoever waits is answered. */
    public void stop() {
        loop.submit(() -> {
            stopped = true;
            stepDown();
        });
    }

    /** Whether this master knows a leader and takes part in what it replicates. */
    public Readiness readiness() {
        return readiness;
    }

    /** A server asks to be let in. */
    public CompletableFuture<MasterAnswer> register(String server, String address, long clockTicks) {
        long skew = Math.abs(clockTicks - loop.ticks());
        if (skew > clockSkewTicks) {
            String message = "the clock of " + server + " is " + skew / Ticks.PER_MILLI
                    + " ms off this master's; at most " + clockSkewTicks / Ticks.PER_MILLI + " ms are let in";
            return CompletableFuture.completedFuture(MasterAnswer.failed(ErrorCode.INVALID, message));
        }
        return replication.propose(new Register(server, address));
    }

    /** Publish, handoff, table ids: what needs no soft state. */
    public CompletableFuture<MasterAnswer> execute(MasterCommand command) {
        CompletableFuture<MasterAnswer> answered = replication.propose(command);
        if (command instanceof Handoff handoff) {
            answered.thenAccept(answer -> loop.submit(() -> orderNewOwners(handoff, answer)));
        }
        return answered;
    }

    /** Whoever was given a range by another hears of it at once, not with its next heartbeat. */
    private void orderNewOwners(Handoff handoff, MasterAnswer answer) {
        TreeSet<Incarnation> owners = new TreeSet<>();
        for (Row row : answer.isOk() && leads() ? answer.rows() : List.<Row>of()) {
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

    /** An operator's split; completes when the map shows it, or with what is wrong. */
    public CompletableFuture<MasterAnswer> split(AdminSplitRequest request) {
        CompletableFuture<MasterAnswer> caller = new CompletableFuture<>();
        loop.submit(() -> {
            if (leads()) {
                new AdminSplit(loop, timing, replication, calls, caller).start(request);
            } else {
                caller.complete(notLeader());
            }
        });
        return caller;
    }

    /** What this master knows; as a leader it first proves, by a replicated no-op, that it still is one. */
    public CompletableFuture<StatusReply> status() {
        CompletableFuture<StatusReply> caller = new CompletableFuture<>();
        replication
                .propose(new NoOp())
                .thenAccept(answer -> loop.submit(
                        () -> caller.complete(StatusReport.of(self, answer, replication, sessions, openings))));
        return caller;
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

    /** A stream ended, whoever ended it. */
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
        session.heard(heartbeat);
        sessions.heard(incarnation, session);
        detector.heard(incarnation, now);
        heartbeat.getTroublesList().forEach(trouble -> openings.trouble(state, incarnation, trouble, now));
        sendOrders(state, incarnation, now);
    }

    private void sendOrders(MasterState state, Incarnation incarnation, long now) {
        Session session = sessions.of(incarnation);
        if (session != null) {
            HeartbeatReply.Builder reply = HeartbeatReply.newBuilder().setStatus(Status.getDefaultInstance());
            for (Row row : openings.orders(state, incarnation, now)) {
                reply.addOpen(row.toWire());
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
        deciding = false;
        proving = false;
        provingForJudge = false;
        detector.begin(now);
    }

    private void stepDown() {
        if (term != 0) {
            LOG.info("leads no more term={}", term);
        }
        term = 0;
        metrics.leader.set(0);
        String leader = replication.leaderAddress();
        sessions.clear().forEach(session -> end(session, ErrorCode.NOT_LEADER, leader));
        openings.clear();
        drops.clear(leader);
    }

    private void lead(long now) {
        MasterState state = replication.state();
        if (now - lastTick >= timing.lateNanos()) {
            metrics.lateTicks.inc();
            LOG.warn("the leader's tick came late millis={}", (now - lastTick) / 1_000_000);
        }
        if (state.rows().isEmpty()) {
            decide(new Initialize());
            return;
        }
        judgeServers(state, now);
        assign(state, now);
        drops.tick(state);
        sessions.forgetLoadsBut(state.rows());
        metrics.ranges.set(state.rows().size());
        metrics.servers.set(state.servers().size());
        metrics.dropsPending.set(state.drops().size());
        if (now - progressAt >= timing.proofNanos()) {
            prove();
        }
    }

    private void judgeServers(MasterState state, long now) {
        List<Incarnation> live = state.servers().values().stream()
                .map(server -> server.incarnation())
                .toList();
        Verdict verdict = detector.judge(live, now);
        if (verdict.proofWanted()) {
            proveForJudge();
        }
        if (!verdict.dead().isEmpty() && !deciding) {
            LOG.warn("servers are silent and declared dead incarnations={}", verdict.dead());
            metrics.declaredDead.inc(verdict.dead().size());
            decide(new DeclareDead(verdict.dead()));
        }
    }

    /** Proposes a decision of the tick, one at a time, and looks at the state again as soon as it is made. */
    private void decide(MasterCommand command) {
        if (deciding) {
            return;
        }
        deciding = true;
        long decidedIn = term;
        replication
                .propose(command)
                .thenAccept(answer -> loop.submit(() -> {
                    if (term == decidedIn && leads()) {
                        deciding = false;
                        if (!answer.isOk()) {
                            LOG.warn("decision not made code={} message={}", answer.code(), answer.message());
                        }
                        assign(replication.state(), loop.nanos());
                    }
                }));
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

    /** Keeps the masters ready, and shows that they are, while nothing else is replicated. */
    private void prove() {
        if (proving) {
            return;
        }
        proving = true;
        long provedIn = term;
        replication
                .propose(new NoOp())
                .thenAccept(answer -> loop.submit(() -> {
                    if (term == provedIn) {
                        proving = false;
                    }
                }));
    }

    /** Most servers are silent: only a command proposed after that was seen shows that it is not this leader who is cut off. */
    private void proveForJudge() {
        if (provingForJudge) {
            return;
        }
        provingForJudge = true;
        long provedIn = term;
        replication
                .propose(new NoOp())
                .thenAccept(answer -> loop.submit(() -> {
                    if (term == provedIn) {
                        provingForJudge = false;
                        if (answer.isOk()) {
                            detector.proved(loop.nanos());
                        }
                    }
                }));
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
        if (replication.state().rows().isEmpty()) {
            return Readiness.missing("no partition map yet");
        }
        if (replication.leaderAddress().isEmpty()) {
            return Readiness.missing("no leader is known");
        }
        long silence = now - progressAt;
        return silence < timing.readyNanos()
                ? Readiness.READY
                : Readiness.missing("nothing was replicated for " + silence / 1_000_000 + " ms");
    }

    private MasterAnswer notLeader() {
        return MasterAnswer.failed(ErrorCode.NOT_LEADER, replication.leaderAddress());
    }
}
