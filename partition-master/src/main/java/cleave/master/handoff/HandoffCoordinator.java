package cleave.master.handoff;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.handoff.RunningHandoff.Ended;
import cleave.master.metrics.MasterMetrics;
import cleave.master.policy.HandoffPlan;
import cleave.master.policy.HandoffPlan.Target;
import cleave.master.replication.Replication;
import cleave.master.servers.RangeCalls;
import cleave.master.servers.Session;
import cleave.master.servers.Sessions;
import cleave.master.settings.MasterTiming;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterState;
import cleave.model.HandoffNumber;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOrderSource;
import cleave.wire.HandoffOrderTarget;
import cleave.wire.HandoffOutcome;
import cleave.wire.HandoffProgress;
import cleave.wire.HandoffState;
import cleave.wire.Route;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Orders planned handoffs from the owners of their sources. Confined to the master loop.
 *
 * <p>At most one handoff is under way for a range and {@link HandoffPlan#PER_SERVER_MAX} for a server, and none while
 * any range lacks a live owner. All state here is soft: a new leader begins with none, and the owners finish or give up
 * by themselves. If the call of an order fails, the map decides its outcome: the epochs of the sources show whether
 * anything was committed.
 *
 * <p>Giving a range away counts as a handoff of it, but is no {@link cleave.master.policy.Goal}: the owner at which the store fails cannot
 * prepare anything, so there is nothing to order, to follow or to cancel, only a command that this master proposes itself.
 */
public final class HandoffCoordinator {
    private static final long MILLI = 1_000_000;
    /** Time allowed beyond the deadline of an order, for the switch, the commit and the targets' opening. */
    private static final long END_NANOS = 10_000 * MILLI;

    private final EventLoop loop;
    private final MasterTiming timing;
    private final Replication replication;
    private final RangeCalls calls;
    private final Sessions sessions;
    private final Events events;
    private final MasterMetrics metrics;
    private final TreeMap<Long, RunningHandoff> running = new TreeMap<>();
    /** The same handoffs, by source. */
    private final TreeMap<Long, RunningHandoff> byRange = new TreeMap<>();
    /** The number of handoffs in which each server takes part. */
    private final TreeMap<Incarnation, Integer> participation = new TreeMap<>();
    /** Ranges being given away: the command is not answered yet, whichever term it was proposed in. */
    private final TreeSet<Long> givenAway = new TreeSet<>();

    private long term;
    private long ordinal;

    /** Why a handoff may not begin now. */
    private enum Refusal {
        MAP_CHANGED,
        NO_OWNER,
        TAKEOVERS_FIRST,
        ALREADY_THERE,
        IN_HANDOFF,
        NOT_SERVED,
        TARGET_SILENT,
        TARGET_DRAINING,
        TARGET_LACKS_SPACE,
        TARGET_CLOCK_OFF,
        TARGET_WITHOUT_DFS,
        SERVER_BUSY;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public HandoffCoordinator(
            EventLoop loop,
            MasterTiming timing,
            Replication replication,
            RangeCalls calls,
            Sessions sessions,
            Events events,
            MasterMetrics metrics) {
        this.loop = loop;
        this.timing = timing;
        this.replication = replication;
        this.calls = calls;
        this.sessions = sessions;
        this.events = events;
        this.metrics = metrics;
        MasterMetrics.begin(
                metrics.handoffsRefused, Arrays.stream(Refusal.values()).map(Refusal::label));
    }

    public void begin(long newTerm) {
        loop.assertInside();
        term = newTerm;
        ordinal = 0;
    }

    /** Forgets all, since this master no longer leads. The owners continue alone. */
    public void clear() {
        loop.assertInside();
        List<RunningHandoff> orphaned = List.copyOf(running.values());
        running.clear();
        byRange.clear();
        participation.clear();
        metrics.handoffs.set(0);
        orphaned.forEach(handoff -> handoff.listener().accept(new Ended(false, false, "this master no longer leads")));
    }

    /** The kind of the handoff of which a range is a source; null if there is none. */
    @Nullable
    public String kindOn(long range) {
        loop.assertInside();
        RunningHandoff handoff = byRange.get(range);
        return handoff != null ? handoff.kind() : givenAway.contains(range) ? "give-away" : null;
    }

    /** The ranges that are sources of handoffs. */
    SortedSet<Long> inHandoff() {
        loop.assertInside();
        TreeSet<Long> busy = new TreeSet<>(byRange.keySet());
        busy.addAll(givenAway);
        return busy;
    }

    /** Proposes the command that gives a range away, unless a handoff of the range is under way; none begins before the answer. */
    public void giveAway(long range, Supplier<CompletableFuture<MasterAnswer>> proposal) {
        loop.assertInside();
        if (!byRange.containsKey(range) && givenAway.add(range)) {
            proposal.get().thenAccept(answer -> loop.submit(() -> givenAway.remove(range)));
        }
    }

    /** The handoffs that have begun and not ended. */
    List<HandoffPlan> plans() {
        loop.assertInside();
        return running.values().stream().map(RunningHandoff::plan).toList();
    }

    /**
     * Orders a handoff if it is permitted to begin now.
     *
     * @param listener called when it has ended, either way
     * @return why it was refused; null if it has begun
     */
    @Nullable
    String start(HandoffPlan wanted, Cause cause, Consumer<Ended> listener) {
        loop.assertInside();
        MasterState state = replication.state();
        HandoffPlan plan = asItIs(state, wanted);
        if (plan == null) {
            return refused(Refusal.MAP_CHANGED, "the map has changed since: " + wanted);
        }
        Incarnation owner = plan.owner();
        String address = state.address(owner);
        if (owner == null || address == null) {
            return refused(
                    Refusal.NO_OWNER,
                    "range " + plan.sources().get(0) + " has no live owner, or its neighbour has another owner");
        }
        String refusal = refusal(state, plan, owner);
        if (refusal != null) {
            return refusal;
        }
        long now = loop.nanos();
        long number = HandoffNumber.of(term, ++ordinal);
        RunningHandoff handoff =
                new RunningHandoff(number, plan, cause, owner, now, now + timing.handoffNanos(), listener);
        running.put(number, handoff);
        plan.sources().forEach(source -> byRange.put(source.id(), handoff));
        plan.participants().forEach(server -> participation.merge(server, 1, Integer::sum));
        metrics.handoffs.set(running.size());
        events.add(EventKind.HANDOFF_BEGUN, handoff.event().addFigures(Events.text("plan", plan)));
        calls.handoff(address, order(state, handoff), handoff.deadline() + END_NANOS)
                .whenComplete((outcome, failure) -> loop.submit(() -> heard(handoff, outcome, failure)));
        return null;
    }

    /** The plan with the current rows; null if a row is gone or has another range or owner. */
    private static @Nullable HandoffPlan asItIs(MasterState state, HandoffPlan wanted) {
        List<Row> rows = new ArrayList<>();
        for (Row source : wanted.sources()) {
            Row row = state.rows().row(source.id());
            if (row == null || row.epoch() != source.epoch()) {
                return null;
            }
            rows.add(row);
        }
        return new HandoffPlan(wanted.kind(), rows, wanted.targets());
    }

    private @Nullable String refusal(MasterState state, HandoffPlan plan, Incarnation owner) {
        if (state.hasOrphans()) {
            return refused(Refusal.TAKEOVERS_FIRST, "takeovers go first: there are ranges without a live owner");
        }
        if (plan.kind() == HandoffPlan.Kind.MOVE
                && plan.targets().get(0).owner().equals(owner)) {
            return refused(Refusal.ALREADY_THERE, "range " + plan.sources().get(0) + " is there already");
        }
        for (Row source : plan.sources()) {
            RunningHandoff other = byRange.get(source.id());
            if (other != null) {
                return refused(Refusal.IN_HANDOFF, "range " + Row.idText(source.id()) + " is in " + other);
            }
            if (givenAway.contains(source.id())) {
                return refused(
                        Refusal.IN_HANDOFF, "range " + Row.idText(source.id()) + " is being given to another server");
            }
            Session session = sessions.of(owner);
            if (session == null || session.serving(source.id(), source.epoch()) == null) {
                return refused(Refusal.NOT_SERVED, owner + " does not serve range " + Row.idText(source.id()) + " yet");
            }
        }
        for (Target each : plan.targets()) {
            Incarnation target = each.owner();
            if (sessions.of(target) == null || !state.isLive(target)) {
                return refused(Refusal.TARGET_SILENT, target + " sends no heartbeats");
            }
            if (state.isDraining(target) && !target.equals(owner)) {
                return refused(Refusal.TARGET_DRAINING, target + " is draining: it gets no ranges");
            }
            if (sessions.lacksSpace(target, loop.nanos())) {
                return refused(
                        Refusal.TARGET_LACKS_SPACE, target + " has little space left on its disk: it gets no ranges");
            }
            if (sessions.clocks().isOff(target)) {
                return refused(
                        Refusal.TARGET_CLOCK_OFF,
                        "the clock of " + target + " is " + sessions.clocks().difference(target)
                                + ": it gets no ranges");
            }
            String dfsProblem = sessions.dfsProblem(target);
            if (dfsProblem != null) {
                return refused(Refusal.TARGET_WITHOUT_DFS, target + " gets no ranges: " + dfsProblem);
            }
        }
        return serverRefusal(plan);
    }

    private String refused(Refusal why, String message) {
        metrics.handoffsRefused.labels(why.label()).inc();
        return message;
    }

    /** False if a server gets no more ranges because its disk is short of space, its clock is off, or the DFS does not answer it. */
    public boolean takesRanges(Incarnation server) {
        loop.assertInside();
        return !sessions.isAside(server, loop.nanos());
    }

    private @Nullable String serverRefusal(HandoffPlan plan) {
        for (Incarnation participant : plan.participants()) {
            int busy = participation.getOrDefault(participant, 0);
            if (busy >= HandoffPlan.PER_SERVER_MAX) {
                return refused(
                        Refusal.SERVER_BUSY, participant + " takes part in " + busy + " handoffs, the most at a time");
            }
        }
        return null;
    }

    private HandoffOrder order(MasterState state, RunningHandoff handoff) {
        HandoffOrder.Builder order = HandoffOrder.newBuilder()
                .setHandoff(handoff.number())
                .setDeadlineMillis((int) (timing.handoffNanos() / MILLI));
        for (Row source : handoff.plan().sources()) {
            order.addSources(HandoffOrderSource.newBuilder()
                    .setRoute(Route.newBuilder().setRange(source.id()).setEpoch(source.epoch()))
                    .setVersion(source.version()));
        }
        for (Target target : handoff.plan().targets()) {
            String address = state.address(target.owner());
            order.addTargets(HandoffOrderTarget.newBuilder()
                    .setStart(target.range().startToWire())
                    .setEnd(target.range().endToWire())
                    .setOwner(target.owner().toWire())
                    .setAddress(address == null ? "" : address));
        }
        return order.build();
    }

    private void heard(RunningHandoff handoff, @Nullable HandoffOutcome outcome, @Nullable Throwable failure) {
        if (running.get(handoff.number()) != handoff) {
            return;
        }
        ErrorCode code = outcome == null
                ? ErrorCode.UNKNOWN_OUTCOME
                : outcome.getStatus().getCode();
        String why =
                outcome == null ? String.valueOf(failure) : outcome.getStatus().getMessage();
        if (code == ErrorCode.OK && outcome != null) {
            Event.Builder event = handoff.event()
                    .addFigures(Events.figure("prepare-millis", outcome.getPrepareMillis(), "ms"))
                    .addFigures(Events.figure("switch-micros", outcome.getSwitchMicros(), "us"));
            outcome.getRowsList().forEach(row -> event.addFigures(Events.text("row", Row.idText(row.getId()))));
            metrics.handoffSwitchSeconds.observe(outcome.getSwitchMicros() / 1e6);
            metrics.handoffPrepareSeconds.labels(handoff.kind()).observe(outcome.getPrepareMillis() / 1e3);
            end(handoff, new Ended(true, false, "done"), event);
        } else if (code == ErrorCode.UNKNOWN_OUTCOME) {
            handoff.lost(why, loop.nanos());
            settle(handoff, replication.state(), loop.nanos());
        } else {
            boolean hopeless = code == ErrorCode.INVALID || handoff.isCancelled();
            end(handoff, new Ended(false, hopeless, code + " " + why), handoff.event());
        }
    }

    /** Processes an owner's report on the handoffs of which it owns the sources. */
    public void progress(Iterable<HandoffProgress> seen) {
        loop.assertInside();
        for (HandoffProgress progress : seen) {
            RunningHandoff handoff = running.get(progress.getHandoff());
            if (handoff != null) {
                handoff.seenAt(progress.getStep(), loop.nanos());
            }
        }
    }

    /** Settles handoffs whose calls have failed or will never succeed. */
    public void tick(MasterState state, long now) {
        loop.assertInside();
        for (RunningHandoff handoff : List.copyOf(running.values())) {
            if (handoff.isLost() || !state.isLive(handoff.owner())) {
                settle(handoff, state, now);
            }
        }
    }

    private void settle(RunningHandoff handoff, MasterState state, long now) {
        if (handoff.isDoneIn(state)) {
            end(handoff, new Ended(true, false, "the map shows it"), handoff.event());
        } else if (handoff.isSettledBy(state)) {
            end(handoff, new Ended(false, false, "the map shows something else"), handoff.event());
        } else if (!state.isLive(handoff.owner())) {
            end(handoff, new Ended(false, false, handoff.owner() + " died"), handoff.event());
        } else if (isForgotten(handoff, now)) {
            Ended ended =
                    new Ended(false, handoff.isCancelled(), "its owner is not carrying it out: " + handoff.lostWhy());
            end(handoff, ended, handoff.event());
        } else if (now - handoff.deadline() >= END_NANOS) {
            end(handoff, new Ended(false, false, "not done in time: " + handoff.lostWhy()), handoff.event());
        }
    }

    /** True if the owner's heartbeats do not name the handoff, starting some time after the call was lost. */
    private boolean isForgotten(RunningHandoff handoff, long now) {
        Session session = sessions.of(handoff.owner());
        return session != null
                && now - handoff.lostSince() >= timing.suspectNanos()
                && session.heardAt() - handoff.lostSince() >= timing.suspectNanos() / 2
                && !session.carriesOut(handoff.number());
    }

    private void end(RunningHandoff handoff, Ended ended, Event.Builder event) {
        running.remove(handoff.number());
        handoff.plan().sources().forEach(source -> byRange.remove(source.id()));
        handoff.plan()
                .participants()
                .forEach(server ->
                        participation.computeIfPresent(server, (its, count) -> count == 1 ? null : count - 1));
        metrics.handoffs.set(running.size());
        metrics.handoffsEnded
                .labels(handoff.kind(), ended.done() ? "done" : "given-up")
                .inc();
        metrics.handoffSeconds.labels(handoff.kind()).observe((loop.nanos() - handoff.begunAt()) / 1e9);
        if (!ended.done()) {
            event.addFigures(Events.text("ended", ended.reason()));
        }
        events.add(ended.done() ? EventKind.HANDOFF_ENDED : EventKind.HANDOFF_GIVEN_UP, event);
        handoff.listener().accept(ended);
    }

    /** Cancels a handoff, whichever leader ordered it. Answers when it has ended. */
    public void cancel(long number, CompletableFuture<MasterAnswer> caller) {
        loop.assertInside();
        String address = replication.state().address(carrier(number));
        if (address == null) {
            String message = "no handoff " + HandoffNumber.text(number) + " is under way";
            caller.complete(MasterAnswer.failed(ErrorCode.NOT_FOUND, message));
            return;
        }
        RunningHandoff handoff = running.get(number);
        if (handoff != null) {
            handoff.cancel(loop.nanos());
        }
        HandoffCancel cancel = HandoffCancel.newBuilder()
                .setHandoff(number)
                .setReason("cancelled by an operator")
                .build();
        calls.cancelHandoff(address, cancel, loop.nanos() + timing.handoffNanos())
                .whenComplete(
                        (outcome, failure) -> loop.submit(() -> caller.complete(cancelled(number, outcome, failure))));
    }

    private @Nullable Incarnation carrier(long number) {
        RunningHandoff handoff = running.get(number);
        if (handoff != null) {
            return handoff.owner();
        }
        for (Session session : sessions.all()) {
            if (session.carriesOut(number)) {
                return session.incarnation();
            }
        }
        return null;
    }

    private static MasterAnswer cancelled(long number, @Nullable HandoffOutcome outcome, @Nullable Throwable failure) {
        String name = "handoff " + HandoffNumber.text(number);
        if (outcome == null) {
            return MasterAnswer.failed(ErrorCode.UNKNOWN_OUTCOME, name + ": " + failure);
        }
        return switch (outcome.getStatus().getCode()) {
            case OK ->
                MasterAnswer.failed(ErrorCode.CONDITION_FAILED, name + " was already done when it was to be cancelled");
            case NOT_FOUND -> MasterAnswer.failed(ErrorCode.NOT_FOUND, name + " is no longer under way");
            case UNKNOWN_OUTCOME ->
                MasterAnswer.failed(
                        ErrorCode.UNKNOWN_OUTCOME,
                        name + ": " + outcome.getStatus().getMessage());
            default -> MasterAnswer.ok(0);
        };
    }

    /** The handoffs under way, including those that earlier leaders ordered, as far as their owners report them. */
    public List<HandoffState> states() {
        loop.assertInside();
        List<HandoffState> states = new ArrayList<>();
        running.values().forEach(handoff -> states.add(handoff.state(loop.nanos())));
        for (Session session : sessions.all()) {
            Incarnation owner = session.incarnation();
            for (HandoffProgress progress : session.handoffs()) {
                if (owner != null && !running.containsKey(progress.getHandoff())) {
                    states.add(HandoffState.newBuilder()
                            .setHandoff(progress.getHandoff())
                            .setFrom(owner.server())
                            .setStep(progress.getStep())
                            .setMillis(progress.getMillis())
                            .setReason("ordered by an earlier leader")
                            .build());
                }
            }
        }
        return states;
    }
}
