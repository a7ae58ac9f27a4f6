package cleave.server.range;

import static cleave.server.range.RangePhases.Action.BEGIN_WAITING;
import static cleave.server.range.RangePhases.Action.CLOSE;
import static cleave.server.range.RangePhases.Action.FORGET_NEXT;
import static cleave.server.range.RangePhases.Action.GIVE_UP;
import static cleave.server.range.RangePhases.Action.GRANT_HOLD;
import static cleave.server.range.RangePhases.Action.LET_WAIT;
import static cleave.server.range.RangePhases.Action.REFUSE_WAITING;
import static cleave.server.range.RangePhases.Action.REPORT_SEALED;
import static cleave.server.range.RangePhases.Action.RESUME;
import static cleave.server.range.RangePhases.Action.REVOKE_HOLD;
import static cleave.server.range.RangePhases.Action.ROLL;
import static cleave.server.range.RangePhases.Action.SEAL;
import static cleave.server.range.RangePhases.Action.SETTLE;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The phases of a range and the table of transitions between them. Pure: {@link Range} passes it events and carries out
 * the actions that it returns. No decision depends on a clock. Confined to the range's loop.
 *
 * <p>Invariant I2: the log is the lock. A read is answered when a barrier that was sent after it has succeeded, so
 * reads are confirmed only in phases in which this owner has not begun to seal its newest log; and no transition leads
 * from {@link Phase#SEALING}, {@link Phase#SEALED} or {@link Phase#CLOSED} back to a phase that appends or confirms.
 * The new owner serves, by {@link Event#OPENED}, only when all logs before its own are sealed.
 *
 * <p>Invariant I3: the range appends only in {@link Phase#SERVING} and {@link Phase#HELD}. It enters them by OPENED,
 * with a log that the committed manifest names, or in a roll, after {@link Event#PUBLISHED} (a published manifest
 * names the next log) and either {@link Event#DRAINED} (all that was appended to the log before it is durable; it is
 * sealed behind the range, which waits for that only before a checkpoint, another roll or a hold) or {@link Event#LOG_SEALED}. Nothing is
 * appended behind a record of unknown outcome: the first failure ends all appends, the log is sealed, and its sealed
 * length decides.
 */
final class RangePhases {
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

    /** The state of a range. */
    enum Phase {
        /** The range is committed to this server, but its sources' logs are still being sealed and replayed. */
        ARRIVING(Requests.WAIT),
        SERVING(Requests.BEGIN, Permit.APPEND, Permit.CONFIRM, Permit.PUBLISH),
        /** The next log is published; the current one is drained. Reads are confirmed by the next one. */
        ROLLING(Requests.BEGIN, Permit.CONFIRM),
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
        private final boolean publishes;

        Phase(Requests requests, Permit... permits) {
            this.requests = requests;
            this.appends = List.of(permits).contains(Permit.APPEND);
            this.confirms = List.of(permits).contains(Permit.CONFIRM);
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

    /** What a phase permits. */
    private enum Permit {
        APPEND,
        CONFIRM,
        PUBLISH
    }

    /** The events of a range. */
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
        /** A handoff wants the range, and nothing is under way that would change its row. */
        HOLD,
        /** The handoff that holds the range is committed. */
        STOP,
        /** The handoff that holds the range was given up. */
        RELEASE,
        /** The range has lost its row, its store or its incarnation, or is served elsewhere. */
        CLOSE
    }

    /** The actions of a transition. */
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
        /** Publish another log. */
        ROLL,
        /** Continue in the next log, and seal the one before it unless that is done. */
        RESUME,
        /** Drop the next log, to which nothing was appended. */
        FORGET_NEXT,
        /** Tell the handoff that it holds the range. */
        GRANT_HOLD,
        /** Tell the handoff that it no longer holds the range, which needs a new log. */
        REVOKE_HOLD,
        /** Tell the handoff the sealed length. */
        REPORT_SEALED,
        /** Answer everything that can be answered, and close the parts. */
        CLOSE,
        /** Answer the records in flight as of unknown outcome. */
        GIVE_UP
    }

    /** Immutable. */
    record Transition(Phase to, List<Action> actions) {}

    private Phase phase = Phase.ARRIVING;

    Phase phase() {
        return phase;
    }

    /** Changes the phase; returns the actions in order. */
    List<Action> on(Event event) {
        Transition next = transition(phase, event);
        if (next == null) {
            throw new AssertionError(event + " in phase " + phase);
        }
        phase = next.to();
        return next.actions();
    }

    /** The table of transitions; null if the event cannot happen in that phase. */
    static @Nullable Transition transition(Phase phase, Event event) {
        if (event == Event.CLOSE && phase != Phase.CLOSED) {
            return to(Phase.CLOSED, CLOSE);
        }
        return switch (phase) {
            case ARRIVING -> event == Event.OPENED ? to(Phase.SERVING, BEGIN_WAITING) : null;
            case SERVING ->
                switch (event) {
                    case PUBLISHED -> to(Phase.ROLLING);
                    case LOG_FAILED -> to(Phase.BROKEN, REFUSE_WAITING, SEAL, ROLL);
                    case HOLD -> to(Phase.HELD, GRANT_HOLD);
                    default -> null;
                };
            case ROLLING ->
                switch (event) {
                    case DRAINED -> to(Phase.SERVING, RESUME);
                    case LOG_FAILED -> to(Phase.REPLACING, REFUSE_WAITING, SEAL);
                    case NEXT_LOG_FAILED -> to(Phase.BROKEN, FORGET_NEXT, REFUSE_WAITING, SEAL, ROLL);
                    default -> null;
                };
            case BROKEN ->
                switch (event) {
                    case PUBLISHED -> to(Phase.REPLACING);
                    case LOG_SEALED -> to(Phase.SETTLED, SETTLE);
                    case LOG_FAILED -> to(Phase.BROKEN);
                    case LOG_LOST -> to(Phase.CLOSED, CLOSE, GIVE_UP);
                    default -> null;
                };
            case REPLACING ->
                switch (event) {
                    case LOG_SEALED -> to(Phase.SERVING, SETTLE, RESUME);
                    case LOG_FAILED -> to(Phase.REPLACING);
                    case NEXT_LOG_FAILED -> to(Phase.BROKEN, FORGET_NEXT, REFUSE_WAITING, ROLL);
                    case LOG_LOST -> to(Phase.CLOSED, CLOSE, GIVE_UP);
                    default -> null;
                };
            case SETTLED ->
                switch (event) {
                    case PUBLISHED -> to(Phase.SERVING, RESUME);
                    case LOG_FAILED -> to(Phase.SETTLED);
                    default -> null;
                };
            case HELD ->
                switch (event) {
                    case STOP -> to(Phase.DRAINING, LET_WAIT);
                    case RELEASE -> to(Phase.SERVING);
                    case LOG_FAILED -> to(Phase.BROKEN, REFUSE_WAITING, REVOKE_HOLD, SEAL, ROLL);
                    default -> null;
                };
            case DRAINING ->
                switch (event) {
                    case DRAINED -> to(Phase.SEALING, SEAL);
                    case LOG_FAILED -> to(Phase.SEALING, REFUSE_WAITING, SEAL);
                    default -> null;
                };
            case SEALING ->
                switch (event) {
                    case LOG_SEALED -> to(Phase.SEALED, SETTLE, REPORT_SEALED);
                    case LOG_FAILED -> to(Phase.SEALING);
                    case LOG_LOST -> to(Phase.CLOSED, CLOSE, GIVE_UP);
                    default -> null;
                };
            case SEALED -> event == Event.LOG_FAILED ? to(Phase.SEALED) : null;
            case CLOSED ->
                switch (event) {
                    case LOG_FAILED -> to(Phase.CLOSED, SEAL);
                    case LOG_SEALED -> to(Phase.CLOSED, SETTLE);
                    case LOG_LOST -> to(Phase.CLOSED, GIVE_UP);
                    case NEXT_LOG_FAILED, CLOSE -> to(Phase.CLOSED);
                    default -> null;
                };
        };
    }

    private static Transition to(Phase phase, Action... actions) {
        return new Transition(phase, List.of(actions));
    }
}
