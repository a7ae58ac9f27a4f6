package cleave.master.core;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.handoff.Balancing;
import cleave.master.handoff.Drains;
import cleave.master.handoff.HandoffCoordinator;
import cleave.master.handoff.PendingGoals;
import cleave.master.handoff.SplitRequests;
import cleave.master.membership.LevelRaise;
import cleave.master.membership.MemberChanges;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.DfsSilence;
import cleave.master.policy.TakeoverRule;
import cleave.master.replication.Proposer;
import cleave.master.replication.Replication;
import cleave.master.servers.Clocks;
import cleave.master.servers.RangeCalls;
import cleave.master.servers.Sessions;
import cleave.master.settings.MasterSelf;
import cleave.master.settings.MasterTiming;
import cleave.master.state.BalancerSettings;
import cleave.master.state.Drop;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.SeedSettings;
import cleave.master.state.MasterState;
import cleave.master.sweep.Sweeper;
import cleave.master.sweep.Vetting;
import cleave.master.tables.ListedTables;
import cleave.master.tables.ListedTables.Listing;
import cleave.master.tables.TableDrops;
import cleave.master.takeover.Openings;
import cleave.model.Incarnation;
import cleave.model.Readiness;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import cleave.wire.SupportedLevelsReply;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loop of one master. Its public methods are thread-safe; everything else is confined to the loop.
 *
 * <p>Every tick looks at the replicated state and at what the servers report, never at what happened: a range without a
 * live owner is taken over, a pending drop is driven, a silent server declared dead. All soft state is lost with the
 * leadership, and for a new leader every server counts as just heard. This loop changes the map only by replicated
 * commands, whatever it believes, so a leader that was cut off changes nothing.
 */
public final class MasterLoop {
    private static final Logger LOG = LoggerFactory.getLogger(MasterLoop.class);
    private static final long NANOS_PER_TICK = 100;

    private final EventLoop loop;
    private final MasterTiming timing;
    private final Replication replication;
    private final MasterMetrics metrics;
    private final String self;
    private final BalancerSettings seed;
    private final SupportedLevelsReply supportedLevels;

    private final Registration registration;
    private final ServerWatch watch;
    private final Heartbeats heartbeats;
    private final MasterReadiness readiness;
    private final Events events;
    private final Clocks clocks;
    private final Sessions sessions;
    private final Openings openings;
    private final ListedTables tables;
    private final TableDrops drops;
    private final HandoffCoordinator handoffs;
    private final PendingGoals goals;
    private final Drains drains;
    private final Balancing balancing;
    private final Sweeper sweeper;
    private final LevelRaise levelRaise;
    private final MemberChanges memberChanges;
    private final Vetting vetting;
    private final Operator operator;
    private final OperatorActs acts;
    private final Proposer deciding;
    /** Interval of no-ops that show that the masters work while nothing else is replicated. */
    private final Proposer proving;

    private long term;
    private long leaderSince;
    private long lastTick;
    private boolean stopped;

    MasterLoop(EventLoop loop, MasterSelf self, MasterCore.Outside outside) {
        this.loop = loop;
        this.self = self.id();
        timing = self.timing();
        long clockSkewTicks = self.clockSkewNanos() / NANOS_PER_TICK;
        seed = self.seed();
        supportedLevels = SupportedLevelsReply.newBuilder()
                .setMaster(self.id())
                .setLevels(self.levels().toWire())
                .setAllowed(self.levelAllowed())
                .build();
        metrics = outside.metrics();
        metrics.featureLevelSupported.set(self.levels().max());
        events = new Events(loop, metrics);
        clocks = new Clocks(loop, self.id(), clockSkewTicks, events, metrics);
        sessions = new Sessions(
                loop, clocks, new DfsSilence(new DfsSilence.Timing(timing.dfsSilenceNanos(), timing.suspectNanos())));
        vetting = new Vetting(loop, outside.replication(), outside.files(), events, metrics);
        replication = vetting.replication();
        RangeCalls calls = outside.ranges();
        deciding = new Proposer(loop, replication);
        proving = new Proposer(loop, replication);
        openings = new Openings(loop, timing, metrics, sessions, events);
        tables = new ListedTables(loop, calls);
        drops = new TableDrops(loop, timing, replication, calls, tables::deleted);
        handoffs = new HandoffCoordinator(loop, timing, replication, calls, sessions, events, metrics);
        registration = new Registration(self.id(), clockSkewTicks, replication, clocks, vetting);
        watch = new ServerWatch(loop, timing, replication, calls, this::judgeAtOnce);
        readiness = new MasterReadiness(loop, timing, replication, vetting, clocks);
        goals = new PendingGoals(loop, replication, handoffs, events);
        drains = new Drains(loop, sessions, goals, events);
        balancing = new Balancing(loop, timing, sessions, handoffs, goals, events, metrics);
        heartbeats =
                new Heartbeats(loop, replication, this::leads, sessions, openings, handoffs, balancing, vetting, watch);
        levelRaise = new LevelRaise(loop, self, replication, outside.masters(), sessions, events);
        sweeper = new Sweeper(loop, timing, replication, outside.files(), vetting, events, metrics);
        SplitRequests splits = new SplitRequests(loop, calls, timing.callNanos());
        memberChanges = new MemberChanges(loop, replication, outside.masters(), vetting, events);
        acts = new OperatorActs(loop, replication, this::leads);
        operator = new Operator(loop, timing, replication, this::leads, handoffs, goals, events, splits, memberChanges);
    }

    void start() {
        loop.submit(() -> {
            lastTick = loop.nanos();
            readiness.begin(lastTick);
            tick();
        });
    }

    /** Stops ticking and answers all callers. */
    void stop() {
        loop.submit(() -> {
            stopped = true;
            stepDown();
        });
    }

    /** Whether this master knows a leader and takes part in what it replicates. */
    public Readiness readiness() {
        return readiness.current();
    }

    /** Whether all ranges are served, as far as this master knows, which must lead. */
    public CompletableFuture<Readiness> serving() {
        CompletableFuture<Readiness> caller = new CompletableFuture<>();
        loop.submit(() -> caller.complete(
                leads() ? openings.serving(replication.state()) : Readiness.missing("this master does not lead")));
        return caller;
    }

    /** The cluster's feature level, as far as this master has applied the log. Thread-safe. */
    public int clusterLevel() {
        return replication.state().level();
    }

    /** The feature levels that this master supports. Thread-safe. */
    public SupportedLevelsReply supportedLevels() {
        return supportedLevels;
    }

    /** Proposes a command that needs no soft state: publish, handoff, table ids. */
    public CompletableFuture<MasterAnswer> execute(MasterCommand command) {
        CompletableFuture<MasterAnswer> answered = replication.propose(command);
        if (command instanceof Handoff handoff) {
            answered.thenAccept(answer -> loop.submit(() -> committed(handoff, answer)));
        }
        return answered;
    }

    /** Sends the new owners their orders at once, not with their next heartbeats. */
    private void committed(Handoff handoff, MasterAnswer answer) {
        loop.assertInside();
        if (!answer.isOk() || !leads()) {
            return;
        }
        if (!handoff.sources().get(0).ownerConsent()) {
            openings.takenOver(answer.rows(), loop.nanos());
        }
        TreeSet<Incarnation> owners = new TreeSet<>();
        for (Row row : answer.rows()) {
            Incarnation owner = row.owner();
            if (owner != null && !owner.equals(handoff.by())) {
                owners.add(owner);
            }
        }
        owners.forEach(owner -> heartbeats.order(replication.state(), owner, loop.nanos()));
    }

    /** Drops a table; completes when the drop is done. */
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

    /**
     * Prepares the end of this master: if it leads, it transfers the leadership to another one, unless none can lead.
     */
    public CompletableFuture<MasterAnswer> handOver() {
        CompletableFuture<MasterAnswer> caller = new CompletableFuture<>();
        loop.submit(() -> {
            if (leads()) {
                memberChanges.handOver(caller);
            } else {
                caller.complete(MasterAnswer.ok(0));
            }
        });
        return caller;
    }

    /** The registration of servers. */
    public Registration registration() {
        return registration;
    }

    /** The heartbeats of servers. */
    public Heartbeats heartbeats() {
        return heartbeats;
    }

    /** What operators have done. */
    public OperatorActs acts() {
        return acts;
    }

    /** The requests of operators. */
    public Operator operator() {
        return operator;
    }

    /**
     * Sends the status; a leader first proves by a replicated no-op that it still leads, unless the caller does without.
     */
    public StatusFeed status(StatusRequest request, StreamSink<StatusReply> sink) {
        StatusFeed feed = new StatusFeed(loop, sink);
        CompletableFuture<MasterAnswer> proof = request.getUnproved()
                ? CompletableFuture.completedFuture(MasterAnswer.ok(0))
                : replication.propose(new NoOp());
        proof.thenAcceptBoth(
                listing(request), (answer, listing) -> loop.submit(() -> begin(feed, request, answer, listing)));
        return feed;
    }

    private void begin(StatusFeed feed, StatusRequest request, MasterAnswer proof, Listing listing) {
        boolean led = leads();
        long ledTerm = term;
        StatusReport.Heard heard = new StatusReport.Heard(
                sessions, openings, handoffs, tables, balancing::whyNot, dropsMark(), term, loop.nanos(), loop.ticks());
        MasterAnswer answer = request.getUnproved() && !led ? notLeader() : proof;
        StatusReport report = new StatusReport(self, request, listing, answer, replication, heard);
        if (report.isOfLeader()) {
            MasterState state = replication.state();
            report.addLevel(
                    state.level(), supportedLevels.getLevels().getMax(), levelRaise.heldBackBy(state, loop.nanos()));
        }
        feed.begin(report, () -> leads() && term == ledTerm && led);
    }

    /** While the proof is under way, a leader finds out what is to be listed. */
    private CompletableFuture<Listing> listing(StatusRequest request) {
        if (!request.getTables()) {
            return CompletableFuture.completedFuture(Listing.WITHOUT_NAMES);
        }
        CompletableFuture<Listing> listed = new CompletableFuture<>();
        loop.submit(() -> {
            if (leads()) {
                tables.list(request, replication.state(), listed);
            } else {
                listed.complete(Listing.WITHOUT_NAMES);
            }
        });
        return listed;
    }

    /**
     * Another one for each leader, and after each drop that this one begins to drive. A drop that came to its end was driven by its
     * leader, and was not if the state did not hold it yet.
     */
    private long dropsMark() {
        return (term << 32) + drops.begun();
    }

    private void tick() {
        loop.assertInside();
        if (stopped) {
            return;
        }
        long now = loop.nanos();
        readiness.tick(now);
        leads();
        if (term != 0) {
            lead(now);
        }
        lastTick = now;
        loop.schedule(timing.tickNanos(), this::tick);
    }

    /** Whether this master leads; notices when that has changed. */
    private boolean leads() {
        loop.assertInside();
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
        watch.begin(now);
        events.add(
                EventKind.LEADER_BEGUN,
                Event.newBuilder().setReason(self + " leads").addServers(self));
    }

    private void stepDown() {
        if (term != 0) {
            LOG.info("no longer leads term={}", term);
        }
        term = 0;
        metrics.leader.set(0);
        String leader = replication.leaderAddress();
        deciding.reset();
        proving.reset();
        goals.clear();
        handoffs.clear();
        drains.clear();
        sweeper.clear();
        levelRaise.clear();
        vetting.clear();
        events.clear();
        clocks.clear();
        watch.clear();
        heartbeats.clear(leader);
        openings.clear();
        drops.clear(leader);
        tables.clear();
        memberChanges.clear(leader);
    }

    private void lead(long now) {
        MasterState state = replication.state();
        if (now - lastTick >= timing.lateNanos()) {
            metrics.lateTicks.inc();
            LOG.warn("the leader's tick came late millis={}", (now - lastTick) / 1_000_000);
        }
        if (readiness.silence(now) >= timing.proofNanos()) {
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
        sessions.tick(state);
        clocks.tick(state);
        declareDead(watch.dead(state, now));
        declareCutOff(sessions.cutOff(state, now));
        if (state.settings() == null) {
            decide(new SeedSettings(seed.texts()));
        }
        assign(state, now);
        handoffs.tick(state, now);
        drains.tick(state);
        balancing.tick(state, now);
        sweeper.tick(now);
        levelRaise.tick(state, now);
        drops.tick(state);
        tables.tick(state);
        metrics.ranges.set(state.rows().size());
        metrics.servers.set(state.servers().size());
        metrics.featureLevel.set(state.level());
        metrics.dropsPending.set(state.drops().size());
    }

    /** A server is known to be gone, which need not wait for the tick. */
    private void judgeAtOnce() {
        if (leads() && vetting.hasPassed()) {
            declareDead(watch.deadAlready(replication.state(), loop.nanos()));
        }
    }

    private void declareDead(List<Incarnation> dead) {
        if (!dead.isEmpty() && !deciding.isBusy()) {
            report(dead.stream().filter(watch::isGone).toList(), "the process has ended");
            report(dead.stream().filter(each -> !watch.isGone(each)).toList(), "silent for too long");
            metrics.declaredDead.inc(dead.size());
            decide(new DeclareDead(dead));
        }
    }

    private void declareCutOff(List<Incarnation> cutOff) {
        if (!cutOff.isEmpty() && !deciding.isBusy()) {
            report(cutOff, "cut off from the DFS, which answers other servers");
            metrics.declaredDead.inc(cutOff.size());
            decide(new DeclareDead(cutOff));
        }
    }

    private void report(List<Incarnation> dead, String why) {
        if (!dead.isEmpty()) {
            events.add(
                    EventKind.SERVER_DEAD,
                    Event.newBuilder()
                            .setReason(why)
                            .addAllServers(
                                    dead.stream().map(Incarnation::toString).toList()));
        }
    }

    /** Proposes a decision of the tick, one at a time, and ticks again as soon as it is made. */
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
        boolean mayAssign = heartbeats.allCame(state) || now - leaderSince >= timing.settleNanos();
        TakeoverRule.Result result = openings.tick(state, range -> handoffs.kindOn(range) != null, mayAssign, now);
        result.takers().forEach(taker -> heartbeats.order(state, taker, now));
        result.givenAway().forEach(each -> handoffs.giveAway(each.row().id(), () -> execute(each.command())));
    }

    private MasterAnswer notLeader() {
        return MasterAnswer.failed(ErrorCode.NOT_LEADER, replication.leaderAddress());
    }
}
