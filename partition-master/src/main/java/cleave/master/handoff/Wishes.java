package cleave.master.handoff;

import cleave.master.events.EventKind;
import cleave.master.events.Events;
import cleave.master.handoff.RunningHandoff.Ended;
import cleave.master.policy.Backoff;
import cleave.master.policy.Goal;
import cleave.master.policy.Goal.Next;
import cleave.master.policy.HandoffPlan;
import cleave.master.replication.Replication;
import cleave.master.state.MasterAnswer;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What is wanted of the map and may take several handoffs. Confined to the master loop.
 *
 * <p>Each wish works in rounds: it looks at the map, has those handoffs begin that its goal still needs and that may, and waits for
 * their ends. It is done when the map shows the goal, whatever became of single handoffs; and it ends without that when its time
 * is up, when the goal cannot be reached any more, or when one of its handoffs was refused for good.
 */
public final class Wishes {
    private static final long MILLI = 1_000_000;
    private static final Backoff BACKOFF = new Backoff(50 * MILLI, 1_000 * MILLI);
    private static final int HANDOFFS_AT_ONCE = 8;
    private static final int OPEN_MAX = 1_000;

    private final EventLoop loop;
    private final Replication replication;
    private final Handoffs handoffs;
    private final Events events;
    private final List<Wish> open = new ArrayList<>();

    public Wishes(EventLoop loop, Replication replication, Handoffs handoffs, Events events) {
        this.loop = loop;
        this.replication = replication;
        this.handoffs = handoffs;
        this.events = events;
    }

    /** Pursues a goal for a time; the caller is answered when it ends. */
    public void add(Goal goal, Cause cause, long deadline, CompletableFuture<MasterAnswer> caller) {
        if (open.size() >= OPEN_MAX) {
            caller.complete(
                    MasterAnswer.failed(ErrorCode.BUSY, OPEN_MAX + " splits, merges and moves are wanted already"));
            return;
        }
        events.add(EventKind.HANDOFF_ASKED, cause.event().addEvidence(Events.figure("goal", goal)));
        Wish wish = new Wish(goal, cause, deadline, caller);
        open.add(wish);
        wish.round();
    }

    /** True if a wish is about this range. */
    boolean concern(Row row) {
        return open.stream().anyMatch(wish -> wish.goal.concerns(row));
    }

    /** This master leads no more. */
    public void clear() {
        String leader = replication.leaderAddress();
        List.copyOf(open).forEach(wish -> wish.end(MasterAnswer.failed(ErrorCode.NOT_LEADER, leader)));
    }

    private final class Wish {
        private final Goal goal;
        private final Cause cause;
        private final long deadline;
        private final CompletableFuture<MasterAnswer> caller;
        private int fruitlessRounds;
        private int pending;
        private String lastTrouble = "";
        private boolean ended;

        Wish(Goal goal, Cause cause, long deadline, CompletableFuture<MasterAnswer> caller) {
            this.goal = goal;
            this.cause = cause;
            this.deadline = deadline;
            this.caller = caller;
        }

        void round() {
            if (ended) {
                return;
            }
            if (replication.leaderTerm() == 0) { // It may have no map any more, if it was removed.
                end(MasterAnswer.failed(ErrorCode.NOT_LEADER, replication.leaderAddress()));
                return;
            }
            Next next = goal.next(replication.state());
            String obstacle = next.obstacle() == null ? "" : next.obstacle();
            if (next.done()) {
                end(MasterAnswer.ok(replication.state().mapVersion()));
            } else if (next.hopeless()) {
                refuse(ErrorCode.CONDITION_FAILED, obstacle);
            } else if (loop.nanos() >= deadline) {
                refuse(ErrorCode.UNAVAILABLE, "not done in time: " + joined(obstacle, lastTrouble));
            } else {
                lastTrouble = lastTrouble.isEmpty() ? obstacle : lastTrouble;
                order(next.plans());
            }
        }

        private String joined(String first, String second) {
            return first.isEmpty() || first.equals(second) ? second : first + ": " + second;
        }

        private void order(List<HandoffPlan> plans) {
            pending = 1;
            fruitlessRounds++;
            for (HandoffPlan plan : plans.subList(0, Math.min(plans.size(), HANDOFFS_AT_ONCE))) {
                pending++;
                String refusal = handoffs.start(plan, cause, this::heard);
                if (refusal != null) {
                    lastTrouble = refusal;
                    pending--;
                }
            }
            answered();
        }

        private void heard(Ended handoff) {
            if (handoff.hopeless()) {
                refuse(ErrorCode.CONDITION_FAILED, handoff.reason());
            }
            if (handoff.done()) {
                fruitlessRounds = 0;
            } else {
                lastTrouble = handoff.reason();
            }
            answered();
        }

        private void answered() {
            pending--;
            if (pending == 0 && !ended) {
                loop.schedule(BACKOFF.nanos(fruitlessRounds), this::round);
            }
        }

        private void refuse(ErrorCode code, String reason) {
            if (!ended) {
                events.add(
                        EventKind.HANDOFF_REFUSED,
                        cause.event().addEvidence(Events.figure("goal", goal)).addRejected(reason));
            }
            end(MasterAnswer.failed(code, reason));
        }

        private void end(MasterAnswer answer) {
            ended = true;
            open.remove(this);
            caller.complete(answer);
        }
    }
}
