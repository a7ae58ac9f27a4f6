package cleave.master.handoff;

import cleave.master.events.Events;
import cleave.master.policy.HandoffPlan;
import cleave.master.policy.HandoffPlan.Target;
import cleave.master.state.MasterState;
import cleave.model.HandoffNumber;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.wire.Event;
import cleave.wire.HandoffState;
import cleave.wire.StepTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A handoff that this leader has ordered and whose outcome it does not know yet. Not thread-safe: {@link HandoffCoordinator} owns
 * it.
 */
final class RunningHandoff {
    private static final long MILLI = 1_000_000;
    /** More than a handoff has, whatever its owner says. */
    private static final int STEPS_MAX = 16;

    private final long number;
    private final HandoffPlan plan;
    private final Cause cause;
    private final Incarnation owner;
    private final long begunAt;
    private final long deadline;
    private final Consumer<Ended> listener;
    private String step = "ordered";
    private final List<StepTime> steps = new ArrayList<>();
    private boolean cancelled;
    private boolean unknown;
    private long unknownSince;
    private String unknownWhy = "";

    /**
     * @param plan with the sources' rows as they were when it was ordered
     * @param owner of all sources
     * @param deadline the owner sends the commit before it or not at all
     */
    RunningHandoff(
            long number,
            HandoffPlan plan,
            Cause cause,
            Incarnation owner,
            long begunAt,
            long deadline,
            Consumer<Ended> listener) {
        this.number = number;
        this.plan = plan;
        this.cause = cause;
        this.owner = owner;
        this.begunAt = begunAt;
        this.deadline = deadline;
        this.listener = listener;
    }

    /**
     * How it ended.
     *
     * @param done the map shows the targets
     * @param hopeless the same order would fail again in the same way
     */
    record Ended(boolean done, boolean hopeless, String reason) {}

    long number() {
        return number;
    }

    HandoffPlan plan() {
        return plan;
    }

    Incarnation owner() {
        return owner;
    }

    long begunAt() {
        return begunAt;
    }

    long deadline() {
        return deadline;
    }

    Consumer<Ended> listener() {
        return listener;
    }

    boolean isCancelled() {
        return cancelled;
    }

    void cancel(long now) {
        enter("cancelling", now);
        cancelled = true;
    }

    /** Notes the step at which its owner says that it is. */
    void seenAt(String seen, long now) {
        enter(seen, now);
    }

    private void enter(String next, long now) {
        if (cancelled || next.equals(step)) {
            return;
        }
        step = next;
        if (steps.size() < STEPS_MAX) {
            steps.add(StepTime.newBuilder()
                    .setStep(next)
                    .setMillis((now - begunAt) / MILLI)
                    .build());
        }
    }

    /** Notes that its call has failed: from now on the map and the owner's heartbeats decide. */
    void lost(String why, long now) {
        if (!unknown) {
            unknown = true;
            unknownSince = now;
            unknownWhy = why;
        }
    }

    boolean isLost() {
        return unknown;
    }

    long lostSince() {
        return unknownSince;
    }

    String lostWhy() {
        return unknownWhy;
    }

    /**
     * True if a source has changed, because some handoff or takeover was committed. A publish alone changes no epoch.
     */
    boolean isSettledBy(MasterState state) {
        for (Row source : plan.sources()) {
            Row now = state.rows().row(source.id());
            if (now == null || now.epoch() != source.epoch()) {
                return true;
            }
        }
        return false;
    }

    /** True if the map shows the targets. */
    boolean isDoneIn(MasterState state) {
        for (Target target : plan.targets()) {
            Row row = state.rows().at(target.range().start());
            if (row == null
                    || !row.range().equals(target.range())
                    || !target.owner().equals(row.owner())) {
                return false;
            }
        }
        return isSettledBy(state);
    }

    String kind() {
        return plan.kind().name().toLowerCase(Locale.ROOT);
    }

    Event.Builder event() {
        Event.Builder event = cause.event()
                .setHandoff(number)
                .addFigures(Events.text("kind", kind()))
                .addFigures(Events.text("from", owner.server()))
                .addFigures(Events.text("to", String.join(",", to())));
        plan.sources().forEach(row -> event.addRanges(Row.idText(row.id())));
        plan.participants().forEach(server -> event.addServers(server.toString()));
        return event;
    }

    HandoffState state(long now) {
        HandoffState.Builder state = HandoffState.newBuilder()
                .setHandoff(number)
                .setKind(kind())
                .setFrom(owner.server())
                .setStep(unknown ? "outcome unknown: " + unknownWhy : step)
                .setMillis((now - begunAt) / MILLI)
                .setAsker(cause.asker())
                .setReason(cause.reason());
        plan.sources().forEach(row -> state.addRanges(row.id()));
        return state.addAllTo(to()).addAllSteps(steps).build();
    }

    private SortedSet<String> to() {
        TreeSet<String> to = new TreeSet<>();
        plan.targets().forEach(target -> to.add(target.owner().server()));
        return to;
    }

    @Override
    public String toString() {
        return "handoff " + HandoffNumber.text(number) + " (" + plan + ")";
    }
}
