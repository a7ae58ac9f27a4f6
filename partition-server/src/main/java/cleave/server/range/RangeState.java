package cleave.server.range;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a range: its phase and, beside it, what is under way. Immutable and pure: {@link StateMachine} passes it events, and
 * {@link Range} carries out the actions that it returns. No decision depends on a clock.
 *
 * <p>Each of {@link Phase}, {@link Roll} and {@link Checkpoint} has a table of transitions, and {@link #on} joins them. A roll begins only
 * in a phase that publishes. It waits for the seal of the log that was left last, and so does a checkpoint, so that a hold which waits
 * comes first. The range is held once nothing is under way that would change its row or the files of its manifest, and only its last log
 * is open.
 *
 * <p>Invariant I2: the log is the lock. A read is answered when a barrier that was sent after it has succeeded, so
 * reads are confirmed only in phases in which this owner has not begun to seal its newest log; and no transition leads
 * from {@link Phase#SEALING}, {@link Phase#SEALED} or {@link Phase#CLOSED} back to a phase that appends or confirms.
 * The new owner serves, by {@link Event#OPENED}, only when all logs before its own are sealed.
 *
 * <p>A read is confirmed by the log, or by the fence of the incarnation, which whoever takes the range over seals as well. A handoff that
 * this owner has consented to seals only the log. So reads are confirmed by the fence only in phases in which no commit of a handoff was
 * sent, and not while one that was given up is in doubt.
 *
 * <p>Invariant I3: the range appends only in {@link Phase#SERVING} and {@link Phase#HELD}. It enters them by OPENED, with a log that the
 * committed manifest names, or at the end of a roll. A roll ends after {@link Event#PUBLISHED}, when a published manifest names the next
 * log, and one of two more events. After {@link Event#DRAINED}, all that was appended to the log before it is durable, and that log is sealed
 * behind the range; the other one is {@link Event#LOG_SEALED}. Nothing is appended behind a record of unknown outcome: the first failure ends
 * all appends, the log is sealed, and its sealed length decides.
 *
 * @param seal of the current log, by this owner
 * @param isLeaving true until the log before the current one is sealed
 * @param isHoldWanted true while a handoff waits for its hold
 * @param isInDoubt true if a commit of a handoff that was given up may still succeed
 */
record RangeState(
        Phase phase,
        Seal seal,
        boolean isLeaving,
        Roll roll,
        Checkpoint checkpoint,
        boolean isHoldWanted,
        boolean isInDoubt) {
    /** A range that is committed to this server. */
    static final RangeState ARRIVING =
            new RangeState(Phase.ARRIVING, Seal.NONE, false, Roll.NONE, Checkpoint.NONE, false, false);

    /** How an arriving request is treated. */
    enum Requests {
        /** Reads run, writes enter the committer's queue. */
        BEGIN,
        /** The request waits for the phase to end. */
        WAIT,
        /** The request is refused for now: the log is being replaced. */
        UNAVAILABLE,
        /** The request is refused: the range is no longer served here. */
        NOT_OWNER
    }

    enum Phase {
        /** The range is committed to this server, but its sources' logs are still being sealed and replayed. */
        ARRIVING(Requests.WAIT),
        SERVING(Requests.BEGIN, Permit.APPEND, Permit.CONFIRM, Permit.FENCE, Permit.PUBLISH),
        /** The next log is published; the current one is drained. Reads are confirmed by the next one. */
        ROLLING(Requests.BEGIN, Permit.CONFIRM, Permit.FENCE),
        /** The log failed and is being sealed; a new one has to be published. */
        BROKEN(Requests.UNAVAILABLE, Permit.PUBLISH),
        /** The log failed and is being sealed; the next one is published. */
        REPLACING(Requests.UNAVAILABLE),
        /** The log failed and is sealed, so all outcomes are known; a new one has to be published. */
        SETTLED(Requests.UNAVAILABLE, Permit.PUBLISH),
        /** A handoff is being prepared: version, manifest and the set of logs do not change. */
        HELD(Requests.BEGIN, Permit.APPEND, Permit.CONFIRM),
        /** The handoff is committed: requests wait, and those in flight end. */
        DRAINING(Requests.WAIT, Permit.CONFIRM),
        /** The log is being sealed for the new owner. */
        SEALING(Requests.WAIT),
        /** The log is sealed, and the new owner knows its length. */
        SEALED(Requests.WAIT),
        /**
         * The range is no longer served here. If appends in flight fail, the log is still sealed, to learn their
         * outcome.
         */
        CLOSED(Requests.NOT_OWNER);

        private final Requests requests;
        private final boolean appends;
        private final boolean confirms;
        private final boolean fences;
        private final boolean publishes;

        Phase(Requests requests, Permit... permits) {
            this.requests = requests;
            this.appends = List.of(permits).contains(Permit.APPEND);
            this.confirms = List.of(permits).contains(Permit.CONFIRM);
            this.fences = List.of(permits).contains(Permit.FENCE);
            this.publishes = List.of(permits).contains(Permit.PUBLISH);
        }

        Requests requests() {
            return requests;
        }

        /** True if records may be appended to the current log. */
        boolean appends() {
            return appends;
        }

        /** True if a barrier may confirm reads. */
        boolean confirms() {
            return confirms;
        }

        /** True if a manifest may be published, and so another log started. */
        boolean publishes() {
            return publishes;
        }
    }

    /** An act that a phase permits. */
    private enum Permit {
        APPEND,
        CONFIRM,
        /** Confirm by the incarnation's fence, too. */
        FENCE,
        PUBLISH
    }

    enum Seal {
        NONE,
        UNDER_WAY,
        /** The length is known, or nothing more can be learnt here. */
        DONE
    }

    /** A change to another log, until a published manifest names it. */
    enum Roll {
        NONE,
        /** It begins when the log that was left last is sealed. */
        WAITING,
        /** The next log is being created. */
        CREATING,
        /** A manifest that names the next log is being written. */
        WRITING,
        PUBLISHING
    }

    /** A checkpoint of the store, until a published manifest names it. */
    enum Checkpoint {
        NONE,
        /** It is being made and uploaded to the DFS. */
        MAKING,
        /** The last one failed; the next attempt is seconds later, or minutes if the DFS has no space. */
        RESTING,
        /** It waits for a roll that publishes it. */
        READY
    }

    enum Event {
        /** All logs before its own are sealed and replayed. */
        OPENED,
        /** A published manifest names the next log. */
        PUBLISHED,
        /** The work that the phase waits for has ended: appends when rolling, everything when draining. */
        DRAINED,
        /** An append to the current log, or a barrier, failed. */
        LOG_FAILED,
        /** A barrier to the next log failed. */
        NEXT_LOG_FAILED,
        /** The current log is sealed, and its length known. */
        LOG_SEALED,
        /** The current log is gone, and with it the ownership of the range. */
        LOG_LOST,
        /** The log before the current one is sealed. */
        LEFT_LOG_SEALED,
        /** Another log is wanted. It is not remembered in a phase that does not publish. */
        ROLL,
        LOG_CREATED,
        MANIFEST_WRITTEN,
        /** A checkpoint is wanted. It is not remembered if none may begin now. */
        CHECKPOINT,
        CHECKPOINT_MADE,
        CHECKPOINT_FAILED,
        /** The rest after a failed checkpoint is over. */
        RESTED,
        /** The manifest that is {@link #PUBLISHED} next names the checkpoint. */
        CHECKPOINT_PUBLISHED,
        /** A handoff wants the range. */
        HOLD,
        /** The handoff that holds the range is committed. */
        STOP,
        /** The handoff that holds the range, or waits for that, was given up. */
        RELEASE,
        /** Its commit was sent, and may still succeed: until the next {@link #PUBLISHED}, which proves that it cannot. */
        DOUBT,
        /** The range has lost its row, or is served elsewhere. */
        CLOSE,
        /** The store can no longer be used. */
        STORE_FAILED,
        /** A master says that this incarnation is dead. */
        DEAD
    }

    /** An act that a transition asks for. */
    enum Action {
        /** Begin the requests that waited. */
        BEGIN_WAITING,
        /** Refuse the requests that wait for an append or a barrier. */
        REFUSE_WAITING,
        /** Make queued requests wait until it is known which server answers them. */
        LET_WAIT,
        /** Seal the current log. */
        SEAL,
        /** Answer all records in flight: those within the sealed length are durable, the others never happened. */
        SETTLE,
        /** Create the next log, and publish a manifest that names it. */
        CREATE_LOG,
        /** Call those who wait for a publish. */
        REPORT_PUBLISHED,
        /** Continue in the next log, and seal the one before it unless that is done. */
        RESUME,
        /** Drop the next log, to which nothing was appended. */
        FORGET_NEXT,
        MAKE_CHECKPOINT,
        /** Make the checkpoint that became due while none could begin. */
        CHECKPOINT_IF_DUE,
        /** Report to the handoff that it holds the range. */
        GRANT_HOLD,
        /** Report to the handoff that it no longer holds the range, which needs a new log. */
        REVOKE_HOLD,
        /** Report the sealed length to the handoff. */
        REPORT_SEALED,
        /** Answer everything that can be answered, and close the parts. */
        CLOSE,
        /** Answer the records in flight as of unknown outcome. */
        GIVE_UP
    }

    /** Immutable. */
    record Transition<S>(S to, List<Action> actions) {}

    /** The transitions of one part of the state. What has no row cannot happen. */
    static final class Table<S> {
        private final Map<List<Object>, Transition<S>> rows = new HashMap<>();

        private Table<S> row(S from, Event event, S to, Action... actions) {
            rows.put(List.of(from, event), new Transition<>(to, List.of(actions)));
            return this;
        }

        @Nullable
        Transition<S> at(S from, Event event) {
            return rows.get(List.of(from, event));
        }
    }

    /** That {@link Event#CLOSE}, STORE_FAILED and DEAD close every phase is not among the rows. */
    static final Table<Phase> PHASES = new Table<Phase>()
            .row(Phase.ARRIVING, Event.OPENED, Phase.SERVING, Action.BEGIN_WAITING)
            .row(Phase.SERVING, Event.PUBLISHED, Phase.ROLLING)
            .row(Phase.SERVING, Event.LOG_FAILED, Phase.BROKEN, Action.REFUSE_WAITING, Action.SEAL)
            .row(Phase.SERVING, Event.HOLD, Phase.HELD, Action.GRANT_HOLD)
            .row(Phase.ROLLING, Event.DRAINED, Phase.SERVING, Action.RESUME)
            .row(Phase.ROLLING, Event.LOG_FAILED, Phase.REPLACING, Action.REFUSE_WAITING, Action.SEAL)
            .row(
                    Phase.ROLLING,
                    Event.NEXT_LOG_FAILED,
                    Phase.BROKEN,
                    Action.FORGET_NEXT,
                    Action.REFUSE_WAITING,
                    Action.SEAL)
            .row(Phase.BROKEN, Event.PUBLISHED, Phase.REPLACING)
            .row(Phase.BROKEN, Event.LOG_FAILED, Phase.BROKEN)
            .row(Phase.BROKEN, Event.LOG_SEALED, Phase.SETTLED, Action.SETTLE)
            .row(Phase.BROKEN, Event.LOG_LOST, Phase.CLOSED, Action.CLOSE, Action.GIVE_UP)
            .row(Phase.REPLACING, Event.LOG_FAILED, Phase.REPLACING)
            .row(Phase.REPLACING, Event.NEXT_LOG_FAILED, Phase.BROKEN, Action.FORGET_NEXT, Action.REFUSE_WAITING)
            .row(Phase.REPLACING, Event.LOG_SEALED, Phase.SERVING, Action.SETTLE, Action.RESUME)
            .row(Phase.REPLACING, Event.LOG_LOST, Phase.CLOSED, Action.CLOSE, Action.GIVE_UP)
            .row(Phase.SETTLED, Event.PUBLISHED, Phase.SERVING, Action.RESUME)
            .row(Phase.SETTLED, Event.LOG_FAILED, Phase.SETTLED)
            .row(Phase.HELD, Event.STOP, Phase.DRAINING, Action.LET_WAIT)
            .row(Phase.HELD, Event.RELEASE, Phase.SERVING)
            .row(Phase.HELD, Event.LOG_FAILED, Phase.BROKEN, Action.REFUSE_WAITING, Action.REVOKE_HOLD, Action.SEAL)
            .row(Phase.DRAINING, Event.DRAINED, Phase.SEALING, Action.SEAL)
            .row(Phase.DRAINING, Event.LOG_FAILED, Phase.SEALING, Action.REFUSE_WAITING, Action.SEAL)
            .row(Phase.SEALING, Event.LOG_SEALED, Phase.SEALED, Action.SETTLE, Action.REPORT_SEALED)
            .row(Phase.SEALING, Event.LOG_FAILED, Phase.SEALING)
            .row(Phase.SEALING, Event.LOG_LOST, Phase.CLOSED, Action.CLOSE, Action.GIVE_UP)
            .row(Phase.SEALED, Event.LOG_FAILED, Phase.SEALED)
            .row(Phase.CLOSED, Event.LOG_FAILED, Phase.CLOSED, Action.SEAL)
            .row(Phase.CLOSED, Event.LOG_SEALED, Phase.CLOSED, Action.SETTLE)
            .row(Phase.CLOSED, Event.LOG_LOST, Phase.CLOSED, Action.GIVE_UP);

    static final Table<Roll> ROLLS = new Table<Roll>()
            .row(Roll.NONE, Event.ROLL, Roll.WAITING)
            .row(Roll.WAITING, Event.ROLL, Roll.WAITING)
            .row(Roll.WAITING, Event.LEFT_LOG_SEALED, Roll.CREATING, Action.CREATE_LOG)
            .row(Roll.CREATING, Event.ROLL, Roll.CREATING)
            .row(Roll.CREATING, Event.LOG_CREATED, Roll.WRITING)
            .row(Roll.WRITING, Event.ROLL, Roll.WRITING)
            .row(Roll.WRITING, Event.MANIFEST_WRITTEN, Roll.PUBLISHING)
            .row(Roll.PUBLISHING, Event.ROLL, Roll.PUBLISHING)
            .row(Roll.PUBLISHING, Event.PUBLISHED, Roll.NONE, Action.REPORT_PUBLISHED);

    static final Table<Checkpoint> CHECKPOINTS = new Table<Checkpoint>()
            .row(Checkpoint.NONE, Event.CHECKPOINT, Checkpoint.MAKING, Action.MAKE_CHECKPOINT)
            .row(Checkpoint.MAKING, Event.CHECKPOINT_MADE, Checkpoint.READY)
            .row(Checkpoint.MAKING, Event.CHECKPOINT_FAILED, Checkpoint.RESTING)
            .row(Checkpoint.RESTING, Event.RESTED, Checkpoint.NONE)
            .row(Checkpoint.READY, Event.CHECKPOINT_PUBLISHED, Checkpoint.NONE);

    boolean isClosed() {
        return phase == Phase.CLOSED;
    }

    /** True if reads may be confirmed by the incarnation's fence. */
    boolean confirmsByFence() {
        return phase.fences && !isInDoubt;
    }

    /** True if a checkpoint may begin now. */
    boolean mayCheckpoint() {
        return permitsCheckpoint() && checkpoint == Checkpoint.NONE;
    }

    /** True if a checkpoint may begin now, unless the last one failed a moment ago. */
    boolean permitsCheckpoint() {
        return phase.publishes() && !isLeaving && !isCheckpointUnderWay();
    }

    private boolean isCheckpointUnderWay() {
        return checkpoint == Checkpoint.MAKING || checkpoint == Checkpoint.READY;
    }

    /** The state after an event, and the actions in order. An event that cannot happen is a bug. */
    Transition<RangeState> on(Event event) {
        List<Action> actions = new ArrayList<>();
        RangeState next = after(event, actions);
        boolean needsRoll = next.phase == Phase.BROKEN || next.checkpoint == Checkpoint.READY;
        if (needsRoll && next.roll == Roll.NONE && next.phase.publishes()) {
            next = next.rollOn(Event.ROLL, actions);
        }
        if (next.roll == Roll.WAITING && !next.isLeaving) {
            next = next.rollOn(Event.LEFT_LOG_SEALED, actions);
        }
        boolean isQuiet = next.roll == Roll.NONE && !next.isLeaving && !next.isCheckpointUnderWay();
        if (next.isHoldWanted && next.phase == Phase.SERVING && isQuiet) {
            next = next.holdWanted(false).phaseOn(Event.HOLD, actions);
        }
        if (event == Event.LEFT_LOG_SEALED) {
            actions.add(Action.CHECKPOINT_IF_DUE);
        }
        return new Transition<>(next, List.copyOf(actions));
    }

    /** The state before what waits for this event begins. */
    private RangeState after(Event event, List<Action> actions) {
        return switch (event) {
            case ROLL -> phase.publishes() ? rollOn(event, actions) : this;
            case LOG_CREATED, MANIFEST_WRITTEN -> rollOn(event, actions);
            case PUBLISHED -> inDoubt(false).rollOn(event, actions).phaseOn(event, actions);
            case LEFT_LOG_SEALED -> new RangeState(phase, seal, false, roll, checkpoint, isHoldWanted, isInDoubt);
            case CHECKPOINT -> mayCheckpoint() ? checkpointOn(event, actions) : this;
            case CHECKPOINT_MADE, CHECKPOINT_FAILED, RESTED, CHECKPOINT_PUBLISHED -> checkpointOn(event, actions);
            case HOLD -> holdWanted(true);
            case DOUBT -> isClosed() ? this : inDoubt(true);
            case RELEASE -> isHoldWanted ? holdWanted(false) : phaseOn(event, actions);
            case CLOSE, STORE_FAILED, DEAD -> {
                if (!isClosed()) {
                    actions.add(Action.CLOSE);
                }
                yield closed(seal);
            }
            case LOG_FAILED -> isClosed() && seal != Seal.NONE ? this : phaseOn(event, actions);
            default -> phaseOn(event, actions);
        };
    }

    private RangeState phaseOn(Event event, List<Action> actions) {
        List<Action> added = new ArrayList<>();
        Phase to = next(PHASES, phase, event, added);
        actions.addAll(added);
        boolean isSealed = event == Event.LOG_SEALED || event == Event.LOG_LOST;
        Seal now = isSealed ? Seal.DONE : added.contains(Action.SEAL) ? Seal.UNDER_WAY : seal;
        if (to == Phase.CLOSED) {
            return closed(now);
        }
        return added.contains(Action.RESUME)
                ? new RangeState(to, Seal.NONE, now == Seal.NONE, roll, checkpoint, isHoldWanted, isInDoubt)
                : new RangeState(to, now, isLeaving, roll, checkpoint, isHoldWanted, isInDoubt);
    }

    private RangeState rollOn(Event event, List<Action> actions) {
        return new RangeState(
                phase, seal, isLeaving, next(ROLLS, roll, event, actions), checkpoint, isHoldWanted, isInDoubt);
    }

    private RangeState checkpointOn(Event event, List<Action> actions) {
        return new RangeState(
                phase, seal, isLeaving, roll, next(CHECKPOINTS, checkpoint, event, actions), isHoldWanted, isInDoubt);
    }

    private RangeState holdWanted(boolean isWanted) {
        return new RangeState(phase, seal, isLeaving, roll, checkpoint, isWanted, isInDoubt);
    }

    private RangeState inDoubt(boolean isNow) {
        return new RangeState(phase, seal, isLeaving, roll, checkpoint, isHoldWanted, isNow);
    }

    private static RangeState closed(Seal seal) {
        return new RangeState(Phase.CLOSED, seal, false, Roll.NONE, Checkpoint.NONE, false, false);
    }

    private <S> S next(Table<S> table, S from, Event event, List<Action> actions) {
        Transition<S> next = table.at(from, event);
        if (next == null) {
            throw new AssertionError(event + " in " + this);
        }
        actions.addAll(next.actions());
        return next.to();
    }
}
