package cleave.server.range;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.server.range.RangeState.Action;
import cleave.server.range.RangeState.Checkpoint;
import cleave.server.range.RangeState.Event;
import cleave.server.range.RangeState.Phase;
import cleave.server.range.RangeState.Requests;
import cleave.server.range.RangeState.Roll;
import cleave.server.range.RangeState.Seal;
import cleave.server.range.RangeState.Table;
import cleave.server.range.RangeState.Transition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Each cell of the tables; and I2, I3 and the order of checkpoint, roll and hold, shown for all ways through the joined tables. */
class RangeStateTest {
    private static final Set<Phase> LEFT_FOR_EVER = EnumSet.of(Phase.SEALING, Phase.SEALED, Phase.CLOSED);
    private static final Set<Event> ENDS = EnumSet.of(Event.CLOSE, Event.STORE_FAILED, Event.DEAD);
    private static final List<Step> STEPS = allSteps();

    @Test
    void eachPhaseAnswersEachEventAsTheTableSaysAndNoOther() {
        assertThat(table(RangeState.PHASES, Phase.values()))
                .containsExactly(
                        "ARRIVING + OPENED -> SERVING [BEGIN_WAITING]",
                        "SERVING + PUBLISHED -> ROLLING []",
                        "SERVING + LOG_FAILED -> BROKEN [REFUSE_WAITING, SEAL]",
                        "SERVING + HOLD -> HELD [GRANT_HOLD]",
                        "ROLLING + DRAINED -> SERVING [RESUME]",
                        "ROLLING + LOG_FAILED -> REPLACING [REFUSE_WAITING, SEAL]",
                        "ROLLING + NEXT_LOG_FAILED -> BROKEN [FORGET_NEXT, REFUSE_WAITING, SEAL]",
                        "BROKEN + PUBLISHED -> REPLACING []",
                        "BROKEN + LOG_FAILED -> BROKEN []",
                        "BROKEN + LOG_SEALED -> SETTLED [SETTLE]",
                        "BROKEN + LOG_LOST -> CLOSED [CLOSE, GIVE_UP]",
                        "REPLACING + LOG_FAILED -> REPLACING []",
                        "REPLACING + NEXT_LOG_FAILED -> BROKEN [FORGET_NEXT, REFUSE_WAITING]",
                        "REPLACING + LOG_SEALED -> SERVING [SETTLE, RESUME]",
                        "REPLACING + LOG_LOST -> CLOSED [CLOSE, GIVE_UP]",
                        "SETTLED + PUBLISHED -> SERVING [RESUME]",
                        "SETTLED + LOG_FAILED -> SETTLED []",
                        "HELD + LOG_FAILED -> BROKEN [REFUSE_WAITING, REVOKE_HOLD, SEAL]",
                        "HELD + STOP -> DRAINING [LET_WAIT]",
                        "HELD + RELEASE -> SERVING []",
                        "DRAINING + DRAINED -> SEALING [SEAL]",
                        "DRAINING + LOG_FAILED -> SEALING [REFUSE_WAITING, SEAL]",
                        "SEALING + LOG_FAILED -> SEALING []",
                        "SEALING + LOG_SEALED -> SEALED [SETTLE, REPORT_SEALED]",
                        "SEALING + LOG_LOST -> CLOSED [CLOSE, GIVE_UP]",
                        "SEALED + LOG_FAILED -> SEALED []",
                        "CLOSED + LOG_FAILED -> CLOSED [SEAL]",
                        "CLOSED + LOG_SEALED -> CLOSED [SETTLE]",
                        "CLOSED + LOG_LOST -> CLOSED [GIVE_UP]");
    }

    @Test
    void aRollWaitsForTheSealOfTheLogThatWasLeft() {
        assertThat(table(RangeState.ROLLS, Roll.values()))
                .containsExactly(
                        "NONE + ROLL -> WAITING []",
                        "WAITING + LEFT_LOG_SEALED -> CREATING [CREATE_LOG]",
                        "WAITING + ROLL -> WAITING []",
                        "CREATING + ROLL -> CREATING []",
                        "CREATING + LOG_CREATED -> WRITING []",
                        "WRITING + ROLL -> WRITING []",
                        "WRITING + MANIFEST_WRITTEN -> PUBLISHING []",
                        "PUBLISHING + PUBLISHED -> NONE [REPORT_PUBLISHED]",
                        "PUBLISHING + ROLL -> PUBLISHING []");
    }

    @Test
    void aCheckpointThatFailedRests() {
        assertThat(table(RangeState.CHECKPOINTS, Checkpoint.values()))
                .containsExactly(
                        "NONE + CHECKPOINT -> MAKING [MAKE_CHECKPOINT]",
                        "MAKING + CHECKPOINT_MADE -> READY []",
                        "MAKING + CHECKPOINT_FAILED -> RESTING []",
                        "RESTING + RESTED -> NONE []",
                        "READY + CHECKPOINT_PUBLISHED -> NONE []");
    }

    private static <S> List<String> table(Table<S> table, S[] states) {
        List<String> rows = new ArrayList<>();
        for (S state : states) {
            for (Event event : Event.values()) {
                Transition<S> next = table.at(state, event);
                if (next != null) {
                    rows.add(state + " + " + event + " -> " + next.to() + " " + next.actions());
                }
            }
        }
        return rows;
    }

    @Test
    void anEventThatCannotHappenIsABugThatNamesTheState() {
        assertThatThrownBy(() -> RangeState.ARRIVING.on(Event.DRAINED))
                .isInstanceOf(AssertionError.class)
                .hasMessage("DRAINED in " + RangeState.ARRIVING);
    }

    @Test
    void whatEachPhaseMayDo() {
        assertThat(those(Phase::appends)).containsExactly(Phase.SERVING, Phase.HELD);
        assertThat(those(Phase::confirms)).containsExactly(Phase.SERVING, Phase.ROLLING, Phase.HELD, Phase.DRAINING);
        assertThat(those(Phase::publishes)).containsExactly(Phase.SERVING, Phase.BROKEN, Phase.SETTLED);
        assertThat(those(phase -> phase.requests() == Requests.WAIT))
                .containsExactly(Phase.ARRIVING, Phase.DRAINING, Phase.SEALING, Phase.SEALED);
        assertThat(those(phase -> phase.requests() == Requests.BEGIN)).allMatch(Phase::confirms);
    }

    private static List<Phase> those(Predicate<Phase> claim) {
        return Arrays.stream(Phase.values()).filter(claim).toList();
    }

    /** I2: what a handoff seals stays sealed; nothing is appended or confirmed here from then on. */
    @Test
    void noWayLeadsBackFromALogThatIsSealedForTheNewOwner() {
        for (Phase phase : LEFT_FOR_EVER) {
            assertThat(phase.appends() || phase.confirms() || phase.publishes())
                    .as("%s", phase)
                    .isFalse();
        }
        never(step -> LEFT_FOR_EVER.contains(step.from().phase())
                && !LEFT_FOR_EVER.contains(step.to().phase()));
    }

    /** I2: a log that is sealed, or that an order to seal it is under way for, is the newest one only where nothing is confirmed. */
    @Test
    void nothingIsConfirmedWhileTheNewestLogIsSealed() {
        never(step -> step.to().phase().confirms()
                && step.to().seal() != Seal.NONE
                && !step.after().isNextPublished());
        never(step -> step.does(Action.SEAL)
                != (step.from().seal() == Seal.NONE && step.to().seal() == Seal.UNDER_WAY));
    }

    /** I2: a commit of a handoff seals the logs alone, so once one may have been sent, the fence confirms nothing until a publish. */
    @Test
    void theFenceConfirmsOnlyWhereNoCommitOfAHandoffCanSucceed() {
        never(step -> step.to().confirmsByFence()
                && (!step.to().phase().confirms() || step.after().mayBeCommitted()));
        assertThat(those(phase -> STEPS.stream()
                        .anyMatch(
                                step -> step.to().phase() == phase && step.to().confirmsByFence())))
                .containsExactly(Phase.SERVING, Phase.ROLLING);
    }

    @Test
    void aDoubtEndsWithAPublishAndWithNothingElse() {
        never(step -> step.from().isInDoubt()
                && !step.to().isInDoubt()
                && step.event() != Event.PUBLISHED
                && !step.to().isClosed());
        never(step -> step.event() == Event.PUBLISHED && step.to().isInDoubt());
    }

    /** I3: appends go to a log that a published manifest names, and only when the end of the log before it is known. */
    @Test
    void theNextLogIsReachedOnlyWhenItIsPublishedAndTheOneBeforeIsDrainedOrSealed() {
        never(step -> step.to().phase().appends()
                && (step.to().seal() != Seal.NONE || step.after().isNextPublished()));
        never(step -> step.does(Action.RESUME) && !step.before().isNextPublished() && step.event() != Event.PUBLISHED);
        never(step -> step.does(Action.RESUME)
                && step.from().seal() != Seal.DONE
                && step.event() != Event.LOG_SEALED
                && (step.event() != Event.DRAINED || step.before().isUnsettled()));
    }

    /** I3: behind a failure nothing is appended before the outcome of all records in flight is settled. */
    @Test
    void aFailureIsSettledBeforeAnythingIsAppended() {
        never(step -> step.to().phase().appends() && step.after().isUnsettled());
    }

    /** A takeover reads a log to its end only if it is sealed or the last: so at most one is left unsealed, behind a log that serves. */
    @Test
    void untilTheLogThatWasLeftIsSealedNoRollNoCheckpointAndNoHoldBegins() {
        never(step -> step.does(Action.RESUME)
                && (step.from().isLeaving() || step.to().isLeaving() != (step.event() == Event.DRAINED)));
        never(step -> step.from().isLeaving() && step.to().isLeaving() && step.does(Action.CREATE_LOG));
        never(step -> step.to().isLeaving() && step.does(Action.MAKE_CHECKPOINT));
        never(step -> step.to().isLeaving() && step.after().isNextPublished());
        never(step -> step.to().phase() == Phase.HELD
                && (step.to().isLeaving() || step.to().roll() != Roll.NONE));
        never(step -> step.does(Action.MAKE_CHECKPOINT) && !step.to().phase().publishes());
        never(step -> step.does(Action.GRANT_HOLD) && isUnderWay(step.to().checkpoint()));
    }

    @Test
    void nothingThatCanBeginIsKeptWaiting() {
        never(step -> step.to().phase() == Phase.SERVING
                && step.to().isHoldWanted()
                && step.to().roll() == Roll.NONE
                && !step.to().isLeaving()
                && !isUnderWay(step.to().checkpoint()));
        never(step -> step.to().phase().publishes()
                && step.to().roll() == Roll.NONE
                && (step.to().phase() != Phase.SERVING || step.to().checkpoint() == Checkpoint.READY));
        never(step -> step.to().roll() == Roll.WAITING && !step.to().isLeaving());
    }

    private static boolean isUnderWay(Checkpoint checkpoint) {
        return checkpoint == Checkpoint.MAKING || checkpoint == Checkpoint.READY;
    }

    @Test
    void everyStateOfEachTableIsReachedAndEveryStateCanBeClosed() {
        assertThat(reached(RangeState::phase)).containsExactly(Phase.values());
        assertThat(reached(RangeState::roll)).containsExactly(Roll.values());
        assertThat(reached(RangeState::checkpoint)).containsExactly(Checkpoint.values());
        never(step -> ENDS.contains(step.event())
                && (!step.to().isClosed()
                        || step.does(Action.CLOSE) == step.from().isClosed()));
    }

    private static <S> Set<S> reached(Function<RangeState, S> part) {
        Set<S> reached = new TreeSet<>();
        STEPS.forEach(step -> reached.add(part.apply(step.to())));
        STEPS.forEach(step -> reached.add(part.apply(step.from())));
        return reached;
    }

    private static void never(Predicate<Step> claim) {
        assertThat(STEPS).noneMatch(claim);
    }

    /**
     * A state, whether a published log is behind the current one, whether records of unknown outcome are in flight, and whether a commit of a
     * handoff may have been sent and can still succeed.
     */
    private record Way(RangeState state, boolean isNextPublished, boolean isUnsettled, boolean mayBeCommitted) {
        Phase phase() {
            return state.phase();
        }

        /** False for an event that the world does not bring: what is not being sealed is not sealed. */
        boolean canHappen(Event event) {
            return switch (event) {
                case LOG_FAILED -> phase() != Phase.ARRIVING;
                case LOG_SEALED, LOG_LOST -> state.seal() == Seal.UNDER_WAY;
                case NEXT_LOG_FAILED -> isNextPublished && !state.isClosed();
                case DRAINED -> (phase() == Phase.ROLLING || phase() == Phase.DRAINING) && state.seal() == Seal.NONE;
                case OPENED -> phase() == Phase.ARRIVING;
                case LEFT_LOG_SEALED -> state.isLeaving();
                case LOG_CREATED -> state.roll() == Roll.CREATING;
                case MANIFEST_WRITTEN -> state.roll() == Roll.WRITING;
                case PUBLISHED -> state.roll() == Roll.PUBLISHING;
                case CHECKPOINT_MADE, CHECKPOINT_FAILED -> state.checkpoint() == Checkpoint.MAKING;
                case RESTED -> state.checkpoint() == Checkpoint.RESTING;
                case CHECKPOINT_PUBLISHED -> state.checkpoint() == Checkpoint.READY && state.roll() == Roll.PUBLISHING;
                case HOLD -> !state.isHoldWanted() && !isHeld() && phase() != Phase.ARRIVING && !state.isClosed();
                case STOP -> phase() == Phase.HELD;
                case RELEASE -> state.isHoldWanted() || phase() == Phase.HELD;
                case DOUBT -> mayBeCommitted || state.isClosed();
                case ROLL, CHECKPOINT, CLOSE, STORE_FAILED, DEAD -> true;
            };
        }

        private boolean isHeld() {
            return EnumSet.of(Phase.HELD, Phase.DRAINING, Phase.SEALING, Phase.SEALED)
                    .contains(phase());
        }

        /** A handoff that holds the range may send its commit at any time. One that is given up reports a doubt if it did. */
        private boolean mayBeCommittedAfter(Event event, RangeState next) {
            return switch (event) {
                case PUBLISHED -> false;
                case RELEASE -> state.isInDoubt() || next.phase() == Phase.HELD;
                default -> mayBeCommitted || next.phase() == Phase.HELD;
            };
        }

        Step after(Event event) {
            Transition<RangeState> next = state.on(event);
            boolean isLeft = next.actions().contains(Action.FORGET_NEXT)
                    || next.actions().contains(Action.RESUME);
            boolean isUnsettledThen = (isUnsettled || (event == Event.LOG_FAILED && state.seal() != Seal.DONE))
                    && !next.actions().contains(Action.SETTLE);
            boolean isPublishedThen = (isNextPublished || event == Event.PUBLISHED) && !isLeft;
            Way then = new Way(next.to(), isPublishedThen, isUnsettledThen, mayBeCommittedAfter(event, next.to()));
            return new Step(this, event, next.actions(), then);
        }
    }

    private record Step(Way before, Event event, List<Action> actions, Way after) {
        RangeState from() {
            return before.state();
        }

        RangeState to() {
            return after.state();
        }

        boolean does(Action action) {
            return actions.contains(action);
        }
    }

    private static List<Step> allSteps() {
        Map<Way, List<Step>> found = new LinkedHashMap<>();
        Deque<Way> open = new ArrayDeque<>(List.of(new Way(RangeState.ARRIVING, false, false, false)));
        while (!open.isEmpty()) {
            Way way = open.remove();
            if (!found.containsKey(way)) {
                found.put(
                        way,
                        Arrays.stream(Event.values())
                                .filter(way::canHappen)
                                .map(way::after)
                                .toList());
                found.get(way).forEach(step -> open.add(step.after()));
            }
        }
        return found.values().stream().flatMap(List::stream).toList();
    }
}
