package cleave.master.handoff;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.handoff.Pursuit.Kind;
import cleave.master.handoff.RunningHandoff.Ended;
import cleave.master.policy.Goal;
import cleave.master.policy.Goal.Next;
import cleave.master.policy.HandoffPlan;
import cleave.master.replication.Replication;
import cleave.master.state.MasterAnswer;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The goals of operators, draining servers and the balancer, and the only caller of {@link HandoffCoordinator#start}: it begins the
 * handoffs that the goals need, counts failures, backs off, and records events. Confined to the master loop.
 *
 * <p>A goal is pursued in rounds: each looks at the map, starts the handoffs that the goal still needs and that are
 * permitted now, and waits for them to end. A goal is reached when the map shows it, whatever happened to single
 * handoffs. It is given up when its deadline has passed, when it cannot be reached any more, or when one of its
 * handoffs was refused permanently.
 */
public final class PendingGoals {
    static final int PENDING_MAX = 1_000;

    private final EventLoop loop;
    private final Replication replication;
    private final HandoffCoordinator handoffs;
    private final Events events;
    private final List<PendingGoal> pending = new ArrayList<>();

    public PendingGoals(EventLoop loop, Replication replication, HandoffCoordinator handoffs, Events events) {
        this.loop = loop;
        this.replication = replication;
        this.handoffs = handoffs;
        this.events = events;
    }

    /** Pursues an operator's goal until a deadline; the caller is answered when it ends. */
    public void ask(Goal goal, String reason, long deadline, CompletableFuture<MasterAnswer> caller) {
        loop.assertInside();
        if (pending.size() >= PENDING_MAX) {
            caller.complete(MasterAnswer.failed(
                    ErrorCode.BUSY, PENDING_MAX + " splits, merges and moves are pending already: try again later"));
            return;
        }
        Cause cause = Cause.operator(reason);
        events.add(EventKind.HANDOFF_ASKED, cause.event().addFigures(Events.text("goal", goal)));
        pursue(goal, cause, Pursuit.until(deadline), caller);
    }

    /** The future is completed inside the loop, when the goal is reached or given up. */
    void pursue(Goal goal, Cause cause, Pursuit pursuit, CompletableFuture<MasterAnswer> ended) {
        loop.assertInside();
        PendingGoal added = new PendingGoal(goal, cause, pursuit, ended);
        pending.add(added);
        added.round();
    }

    /** The pending ones, in the order in which they came. */
    List<Goal> goals() {
        loop.assertInside();
        return pending.stream().map(each -> each.goal).toList();
    }

    /** Forgets all, since this master no longer leads. */
    public void clear() {
        loop.assertInside();
        String leader = replication.leaderAddress();
        List.copyOf(pending).forEach(each -> each.end(MasterAnswer.failed(ErrorCode.NOT_LEADER, leader)));
    }

    /** How many handoffs of a range failed in a row, and until when the range rests. */
    private record Failure(int count, long until) {}

    private final class PendingGoal {
        private final Goal goal;
        private final Cause cause;
        private final Pursuit pursuit;
        private final CompletableFuture<MasterAnswer> caller;
        private final TreeMap<Long, Failure> failures = new TreeMap<>();
        private int fruitlessRounds;
        private int underWay;
        private String lastRefusal = "";
        private boolean ended;

        PendingGoal(Goal goal, Cause cause, Pursuit pursuit, CompletableFuture<MasterAnswer> caller) {
            this.goal = goal;
            this.cause = cause;
            this.pursuit = pursuit;
            this.caller = caller;
        }

        void round() {
            if (ended) {
                return;
            }
            if (replication.leaderTerm() == 0) { // It may no longer have a map, if it was removed.
                end(MasterAnswer.failed(ErrorCode.NOT_LEADER, replication.leaderAddress()));
                return;
            }
            Next next = goal.next(replication.state());
            String refusal = next.refusal() == null ? "" : next.refusal();
            if (next.done()) {
                end(MasterAnswer.ok(replication.state().mapVersion()));
            } else if (next.hopeless()) {
                refuse(ErrorCode.CONDITION_FAILED, refusal);
            } else if (loop.nanos() >= pursuit.deadline()) {
                refuse(ErrorCode.UNAVAILABLE, "not done in time: " + joined(refusal, lastRefusal));
            } else {
                lastRefusal = lastRefusal.isEmpty() ? refusal : lastRefusal;
                begin(next.plans());
            }
        }

        private String joined(String first, String second) {
            return first.isEmpty() || first.equals(second) ? second : first + ": " + second;
        }

        private void begin(List<HandoffPlan> plans) {
            underWay = 1; // This round itself, until all that may begin has begun.
            fruitlessRounds++;
            for (HandoffPlan plan : plans) {
                if (underWay > pursuit.atOnce()) {
                    break;
                }
                if (!rests(plan)) {
                    underWay++;
                    String refusal = handoffs.start(plan, cause, handoff -> heard(plan, handoff));
                    if (refusal != null) {
                        lastRefusal = refusal;
                        underWay--;
                    }
                }
            }
            if (pursuit.kind() == Kind.ONCE) {
                endOnce();
            }
            answered();
        }

        private void endOnce() {
            if (underWay == 1) {
                refuse(ErrorCode.CONDITION_FAILED, lastRefusal);
            } else {
                end(MasterAnswer.ok(replication.state().mapVersion()));
            }
        }

        private boolean rests(HandoffPlan plan) {
            return !failures.isEmpty()
                    && plan.sources().stream().anyMatch(row -> {
                        Failure failure = failures.get(row.id());
                        return failure != null && loop.nanos() < failure.until();
                    });
        }

        private void heard(HandoffPlan plan, Ended handoff) {
            if (handoff.hopeless() && pursuit.kind() == Kind.ASKED) {
                refuse(ErrorCode.CONDITION_FAILED, handoff.reason());
            }
            if (handoff.done()) {
                fruitlessRounds = 0;
                plan.sources().forEach(row -> failures.remove(row.id()));
            } else {
                lastRefusal = handoff.reason();
                plan.sources().forEach(row -> failed(row.id()));
            }
            answered();
        }

        private void failed(long range) {
            Failure before = failures.get(range);
            int count = before == null ? 1 : before.count() + 1;
            long pause = pursuit.afterFailures().nanos(count);
            if (pause > 0) {
                failures.put(range, new Failure(count, loop.nanos() + pause));
            }
        }

        private void answered() {
            underWay--;
            if (underWay == 0 && !ended) {
                loop.schedule(pursuit.betweenRounds().nanos(fruitlessRounds), this::round);
            }
        }

        private void refuse(ErrorCode code, String reason) {
            if (!ended) {
                Event.Builder event =
                        cause.event().addFigures(Events.text("goal", goal)).addRejected(reason);
                goal.ranges().forEach(range -> event.addRanges(Row.idText(range)));
                events.add(EventKind.HANDOFF_REFUSED, event);
            }
            end(MasterAnswer.failed(code, reason));
        }

        private void end(MasterAnswer answer) {
            ended = true;
            pending.remove(this);
            caller.complete(answer);
        }
    }
}
