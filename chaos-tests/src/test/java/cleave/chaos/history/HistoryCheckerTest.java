package cleave.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HistoryCheckerTest {
    private static final Map<String, String> NOTHING = Map.of();

    private final History history = new History();

    @Test
    void anEmptyHistoryIsRight() {
        assertThat(HistoryChecker.check(history)).isEmpty();
    }

    @Test
    void readsThatFollowWritesAreRight() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        read(3, 4, v("1"), "e1");
        wrote(5, 6, OperationKind.MERGE, Map.of("B", "2"), "e2");
        read(7, 8, Map.of("A", "1", "B", "2"), "e2");
        wrote(9, 10, OperationKind.REPLACE, v("3"), "e3");
        read(11, 12, v("3"), "e3");
        wrote(13, 14, OperationKind.DELETE, NOTHING, "");
        refused(15, 16, OperationKind.GET, "", Outcome.MISSING);
        assertRight();
    }

    @Test
    void aLostAcknowledgedWriteIsFound() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        refused(3, 4, OperationKind.GET, "", Outcome.MISSING);
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void aStaleReadIsFound() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        wrote(3, 4, OperationKind.REPLACE, v("2"), "e2");
        read(5, 6, v("1"), "e1");
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void aReadDuringAWriteMaySeeEither() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        wrote(3, 9, OperationKind.REPLACE, v("2"), "e2");
        read(4, 5, v("1"), "e1");
        read(6, 7, v("2"), "e2");
        assertRight();
    }

    @Test
    void twoReadsDuringAWriteMayNotGoBackInTime() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        wrote(3, 9, OperationKind.REPLACE, v("2"), "e2");
        read(4, 5, v("2"), "e2");
        read(6, 7, v("1"), "e1");
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void aWriteOfUnknownOutcomeMayNeverTakeEffect() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        unknown(3, 4, OperationKind.REPLACE, v("2"));
        read(5, 6, v("1"), "e1");
        assertRight();
    }

    @Test
    void aWriteOfUnknownOutcomeMayTakeEffectLate() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        unknown(3, 4, OperationKind.REPLACE, v("2"));
        read(5, 6, v("1"), "e1");
        read(7, 8, v("2"), "e2");
        read(9, 10, v("2"), "e2");
        assertRight();
    }

    @Test
    void aWriteOfUnknownOutcomeTakesEffectAtMostOnce() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        unknown(3, 4, OperationKind.REPLACE, v("2"));
        read(5, 6, v("2"), "e2");
        wrote(7, 8, OperationKind.REPLACE, v("3"), "e3");
        read(9, 10, v("2"), "e4");
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void theEtagOfAnUnknownWriteBindsToTheFirstOneRead() {
        unknown(1, 2, OperationKind.INSERT, v("1"));
        read(3, 4, v("1"), "e1");
        read(5, 6, v("1"), "e2");
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void aReadOfSomethingNeverWrittenIsFound() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        read(3, 4, v("7"), "e7");
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void twoInsertsOfOneEntityCannotBothSucceed() {
        wrote(1, 9, OperationKind.INSERT, v("1"), "e1");
        wrote(2, 8, OperationKind.INSERT, v("2"), "e2");
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void anInsertIsRefusedOnlyWhereAnEntityIs() {
        refused(1, 2, OperationKind.INSERT, "", Outcome.EXISTS);
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void anInsertMayBeRefusedByAnUnknownOne() {
        unknown(1, 2, OperationKind.INSERT, v("1"));
        refused(3, 4, OperationKind.INSERT, "", Outcome.EXISTS);
        assertRight();
    }

    @Test
    void aConditionHoldsForItsEtagAlone() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        wroteIf(3, 4, OperationKind.REPLACE, v("2"), "e1", "e2");
        refused(5, 6, OperationKind.REPLACE, "e1", Outcome.CONDITION_FAILED);
        wroteIf(7, 8, OperationKind.DELETE, NOTHING, "e2", "");
        refused(9, 10, OperationKind.REPLACE, "e2", Outcome.MISSING);
        assertRight();
    }

    @Test
    void aConditionThatFailedForNoReasonIsFound() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        refused(3, 4, OperationKind.REPLACE, "e1", Outcome.CONDITION_FAILED);
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void twoConditionalWritesOnOneEtagCannotBothSucceed() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        wroteIf(3, 9, OperationKind.REPLACE, v("2"), "e1", "e2");
        wroteIf(4, 8, OperationKind.REPLACE, v("3"), "e1", "e3");
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void whatWasNotExecutedHasNoEffect() {
        operation(1, 2, OperationKind.INSERT, v("1"), "", Result.of(Outcome.NOT_EXECUTED, "503"));
        read(3, 4, v("1"), "e1");
        assertWrong("no order of these operations explains the answers");
    }

    @Test
    void upsertsNeedNoEntity() {
        wrote(1, 2, OperationKind.INSERT_OR_MERGE, v("1"), "e1");
        wrote(3, 4, OperationKind.INSERT_OR_MERGE, Map.of("B", "2"), "e2");
        read(5, 6, Map.of("A", "1", "B", "2"), "e2");
        wrote(7, 8, OperationKind.INSERT_OR_REPLACE, Map.of("B", "3"), "e3");
        read(9, 10, Map.of("B", "3"), "e3");
        assertRight();
    }

    @Test
    void anEtagThatTwoWritesGaveIsFound() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        wrote(3, 4, OperationKind.REPLACE, v("2"), "e1");
        assertWrong("an ETag that repeats");
    }

    @Test
    void anAnswerThatIsNeverRightIsFound() {
        operation(1, 2, OperationKind.GET, NOTHING, "", Result.of(Outcome.WRONG, "404 TableNotFound"));
        assertWrong("an answer that is never right");
    }

    @Test
    void entitiesAreJudgedApart() {
        history.add(new Operation(1, "a", OperationKind.INSERT, v("1"), "", 1, 2, Result.written("e1")));
        history.add(new Operation(1, "b", OperationKind.GET, NOTHING, "", 3, 4, Result.of(Outcome.MISSING, "")));
        assertRight();
    }

    @Test
    void aViolationTellsWhatFitsAndWhatDoesNot() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        wrote(3, 4, OperationKind.REPLACE, v("2"), "e2");
        read(5, 6, v("1"), "e1");
        assertThat(HistoryChecker.check(history).get(0).toString())
                .contains("entity k: no order of these operations explains the answers")
                .contains("INSERT k {A=1} -> DONE e1")
                .contains("the entity is then: {A=2} e2")
                .contains("GET k -> DONE {A=1} e1");
    }

    private static Map<String, String> v(String value) {
        return Map.of("A", value);
    }

    private void wrote(long from, long to, OperationKind kind, Map<String, String> properties, String etag) {
        wroteIf(from, to, kind, properties, "", etag);
    }

    private void wroteIf(
            long from, long to, OperationKind kind, Map<String, String> properties, String ifMatch, String etag) {
        operation(from, to, kind, properties, ifMatch, Result.written(etag));
    }

    private void read(long from, long to, Map<String, String> properties, String etag) {
        operation(from, to, OperationKind.GET, NOTHING, "", Result.read(etag, properties));
    }

    private void refused(long from, long to, OperationKind kind, String ifMatch, Outcome outcome) {
        operation(from, to, kind, v("9"), ifMatch, Result.of(outcome, ""));
    }

    private void unknown(long from, long to, OperationKind kind, Map<String, String> properties) {
        operation(from, to, kind, properties, "", Result.of(Outcome.UNKNOWN, ""));
    }

    private void operation(
            long from, long to, OperationKind kind, Map<String, String> properties, String ifMatch, Result result) {
        history.add(new Operation(1, "k", kind, properties, ifMatch, from, to, result));
    }

    private void assertRight() {
        assertThat(HistoryChecker.check(history)).isEmpty();
    }

    private void assertWrong(String reason) {
        List<Violation> violations = HistoryChecker.check(history);
        assertThat(violations).extracting(Violation::reason).contains(reason);
    }
}
