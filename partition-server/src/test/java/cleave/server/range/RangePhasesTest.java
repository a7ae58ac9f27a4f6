package cleave.server.range;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.server.range.RangePhases.Action;
import cleave.server.range.RangePhases.Event;
import cleave.server.range.RangePhases.Phase;
import cleave.server.range.RangePhases.Requests;
import cleave.server.range.RangePhases.Transition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Each phase with each event; and I2 and I3, shown for all ways through the table. */
class RangePhasesTest {
    private static final Set<Phase> LEFT_FOR_EVER = EnumSet.of(Phase.SEALING, Phase.SEALED, Phase.CLOSED);

    @Test
    void eachPhaseAnswersEachEventAsTheTableSaysAndNoOther() {
        List<String> table = new ArrayList<>();
        for (Phase phase : Phase.values()) {
            for (Event event : Event.values()) {
                Transition next = RangePhases.transition(phase, event);
                if (next != null) {
                    table.add(phase + " + " + event + " -> " + next.to() + " " + next.actions());
                }
            }
        }
        assertThat(table)
                .containsExactly(
                        "ARRIVING + OPENED -> SERVING [BEGIN_WAITING]",
                        "ARRIVING + CLOSE -> CLOSED [CLOSE]",
                        "SERVING + PUBLISHED -> ROLLING []",
                        "SERVING + LOG_FAILED -> BROKEN [REFUSE_WAITING, SEAL, ROLL]",
                        "SERVING + HOLD -> HELD [GRANT_HOLD]",
                        "SERVING + CLOSE -> CLOSED [CLOSE]",
                        "ROLLING + DRAINED -> SERVING [RESUME]",
                        "ROLLING + LOG_FAILED -> REPLACING [REFUSE_WAITING, SEAL]",
                        "ROLLING + NEXT_LOG_FAILED -> BROKEN [FORGET_NEXT, REFUSE_WAITING, SEAL, ROLL]",
                        "ROLLING + CLOSE -> CLOSED [CLOSE]",
                        "BROKEN + PUBLISHED -> REPLACING []",
                        "BROKEN + LOG_FAILED -> BROKEN []",
                        "BROKEN + LOG_SEALED -> SETTLED [SETTLE]",
                        "BROKEN + LOG_LOST -> CLOSED [CLOSE, GIVE_UP]",
                        "BROKEN + CLOSE -> CLOSED [CLOSE]",
                        "REPLACING + LOG_FAILED -> REPLACING []",
                        "REPLACING + NEXT_LOG_FAILED -> BROKEN [FORGET_NEXT, REFUSE_WAITING, ROLL]",
                        "REPLACING + LOG_SEALED -> SERVING [SETTLE, RESUME]",
                        "REPLACING + LOG_LOST -> CLOSED [CLOSE, GIVE_UP]",
                        "REPLACING + CLOSE -> CLOSED [CLOSE]",
                        "SETTLED + PUBLISHED -> SERVING [RESUME]",
                        "SETTLED + LOG_FAILED -> SETTLED []",
                        "SETTLED + CLOSE -> CLOSED [CLOSE]",
                        "HELD + LOG_FAILED -> BROKEN [REFUSE_WAITING, REVOKE_HOLD, SEAL, ROLL]",
                        "HELD + STOP -> DRAINING [LET_WAIT]",
                        "HELD + RELEASE -> SERVING []",
                        "HELD + CLOSE -> CLOSED [CLOSE]",
                        "DRAINING + DRAINED -> SEALING [SEAL]",
                        "DRAINING + LOG_FAILED -> SEALING [REFUSE_WAITING, SEAL]",
                        "DRAINING + CLOSE -> CLOSED [CLOSE]",
                        "SEALING + LOG_FAILED -> SEALING []",
                        "SEALING + LOG_SEALED -> SEALED [SETTLE, REPORT_SEALED]",
                        "SEALING + LOG_LOST -> CLOSED [CLOSE, GIVE_UP]",
                        "SEALING + CLOSE -> CLOSED [CLOSE]",
                        "SEALED + LOG_FAILED -> SEALED []",
                        "SEALED + CLOSE -> CLOSED [CLOSE]",
                        "CLOSED + LOG_FAILED -> CLOSED [SEAL]",
                        "CLOSED + NEXT_LOG_FAILED -> CLOSED []",
                        "CLOSED + LOG_SEALED -> CLOSED [SETTLE]",
                        "CLOSED + LOG_LOST -> CLOSED [GIVE_UP]",
                        "CLOSED + CLOSE -> CLOSED []");
    }

    @Test
    void anEventThatCannotHappenInAPhaseIsABugThatNamesBoth() {
        RangePhases phases = new RangePhases();
        Executable publish = () -> phases.on(Event.PUBLISHED);
        assertThatThrownBy(publish::execute)
                .isInstanceOf(AssertionError.class)
                .hasMessage("PUBLISHED in phase ARRIVING");
        assertThat(phases.phase()).isEqualTo(Phase.ARRIVING);
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

    private static List<Phase> those(java.util.function.Predicate<Phase> claim) {
        return Arrays.stream(Phase.values()).filter(claim).toList();
    }

    /** I2: what a handoff seals stays sealed; nothing is appended or confirmed here from then on. */
    @Test
    void noWayLeadsBackFromALogThatIsSealedForTheNewOwner() {
        for (Phase phase : LEFT_FOR_EVER) {
            assertThat(phase.appends() || phase.confirms() || phase.publishes())
                    .as("%s", phase)
                    .isFalse();
            for (Event event : Event.values()) {
                Transition next = RangePhases.transition(phase, event);
                assertThat(next == null || LEFT_FOR_EVER.contains(next.to()))
                        .as("%s + %s", phase, event)
                        .isTrue();
            }
        }
    }

    /** I2: a log that is sealed, or that an order to seal it is under way for, is the newest one only where nothing is confirmed. */
    @Test
    void nothingIsConfirmedWhileTheNewestLogIsSealed() {
        for (Way way : allWays()) {
            if (way.phase().confirms()) {
                assertThat(way.sealing() && !way.nextPublished()).as("%s", way).isFalse();
            }
        }
    }

    /** I3: appends go to a log that a published manifest names, and only when the end of the log before it is known. */
    @Test
    void theNextLogIsAppendedToOnlyWhenItIsPublishedAndTheOneBeforeIsDrainedOrSealed() {
        for (Way way : allWays()) {
            if (way.phase().appends()) {
                assertThat(way.sealing() || way.nextPublished()).as("%s", way).isFalse();
            }
        }
        for (Way way : allWays()) {
            for (Event event : Event.values()) {
                Transition next = RangePhases.transition(way.phase(), event);
                if (next != null && next.actions().contains(Action.RESUME)) {
                    assertThat(way.nextPublished() || event == Event.PUBLISHED)
                            .as("%s + %s", way, event)
                            .isTrue();
                    assertThat(way.sealed()
                                    || event == Event.LOG_SEALED
                                    || (event == Event.DRAINED && !way.unsettled()))
                            .as("%s + %s", way, event)
                            .isTrue();
                }
            }
        }
    }

    /** I3: behind a failure nothing is appended before the outcome of all records in flight is settled. */
    @Test
    void aFailureIsSettledBeforeAnythingIsAppended() {
        for (Way way : allWays()) {
            assertThat(way.phase().appends() && way.unsettled()).as("%s", way).isFalse();
        }
    }

    @Test
    void everyPhaseIsReachedAndEveryPhaseCanBeClosed() {
        Set<Phase> reached = new TreeSet<>();
        allWays().forEach(way -> reached.add(way.phase()));
        assertThat(reached).containsExactly(Phase.values());
        assertThat(Phase.values()).allMatch(phase -> RangePhases.transition(phase, Event.CLOSE) != null);
    }

    /** A phase, and what has happened to its logs on the way to it. */
    private record Way(Phase phase, boolean sealing, boolean sealed, boolean nextPublished, boolean unsettled) {
        static final Way BEGIN = new Way(Phase.ARRIVING, false, false, false, false);

        /** False for an event that the world does not bring: what is not being sealed is not sealed. */
        boolean canHappen(Event event) {
            return switch (event) {
                case LOG_SEALED, LOG_LOST -> sealing && !sealed;
                case NEXT_LOG_FAILED -> nextPublished;
                case DRAINED -> !sealing;
                default -> true;
            };
        }

        Way after(Event event, Transition next) {
            boolean published = nextPublished || event == Event.PUBLISHED;
            boolean isSealing = sealing || next.actions().contains(Action.SEAL);
            boolean isSealed = sealed || event == Event.LOG_SEALED;
            boolean isUnsettled = (unsettled || (event == Event.LOG_FAILED && !sealed))
                    && !next.actions().contains(Action.SETTLE);
            if (next.actions().contains(Action.FORGET_NEXT)) {
                published = false;
            }
            if (next.actions().contains(Action.RESUME)) {
                return new Way(next.to(), false, false, false, isUnsettled);
            }
            return new Way(next.to(), isSealing, isSealed, published, isUnsettled);
        }
    }

    private static Set<Way> allWays() {
        Set<Way> found = new HashSet<>(Set.of(Way.BEGIN));
        Deque<Way> open = new ArrayDeque<>(found);
        while (!open.isEmpty()) {
            Way way = open.remove();
            for (Event event : Event.values()) {
                Transition next = RangePhases.transition(way.phase(), event);
                if (next != null && way.canHappen(event)) {
                    Way after = way.after(event, next);
                    if (found.add(after)) {
                        open.add(after);
                    }
                }
            }
        }
        return found;
    }
}
