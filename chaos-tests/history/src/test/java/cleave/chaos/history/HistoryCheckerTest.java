package cleave.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HistoryCheckerTest {
    private static final String UNEXPLAINED = "no order of these operations explains their answers";
    private static final Map<String, String> NOTHING = Map.of();
    private static final EntityKey K = key("k");
    private static final String GOLDEN = """
            t/p: no order of these operations explains their answers
               1 [0.000002 .. 0.000002] client 1: INSERT_OR_REPLACE t/p/a {A=old19} -> DONE aold19
               2 [0.000002 .. 0.000002] client 1: INSERT_OR_REPLACE t/p/b {A=old19} -> DONE bold19
               3 [0.000005 .. 0.000009] client 2: TRANSACTION [INSERT_OR_REPLACE t/p/a {A=2}, INSERT_OR_REPLACE t/p/b {A=2}] -> DONE a2 b2
               4 [0.000006 .. 0.000007] client 4: PAGE of scan 42 [t// .. end) -> [t/p/a {A=2} a2, t/p/b {A=old19} bold19]
              client 1   |-1--|    |-2--|
              client 2                       |------3-------|
              client 4                            |-4--|
              what fits longest is 1 2 3;
                t/p/a is then {A=2} a2
                t/p/b is then {A=2} b2
              and 4 cannot come next
              (40 other operations do not change that)""";

    private final History history = new History();

    @Test
    void anEmptyHistoryIsRight() {
        assertThat(HistoryChecker.check(history)).isEqualTo(new CheckResult(List.of(), List.of()));
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
        assertWrong(UNEXPLAINED);
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
        assertWrong(UNEXPLAINED);
    }

    @Test
    void theEtagOfAnUnknownWriteBindsToTheFirstOneRead() {
        unknown(1, 2, OperationKind.INSERT, v("1"));
        read(3, 4, v("1"), "e1");
        read(5, 6, v("1"), "e2");
        assertWrong(UNEXPLAINED);
    }

    @Test
    void aReadOfSomethingNeverWrittenIsFound() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        read(3, 4, v("7"), "e7");
        assertWrong(UNEXPLAINED);
    }

    @Test
    void twoInsertsOfOneEntityCannotBothSucceed() {
        wrote(1, 9, OperationKind.INSERT, v("1"), "e1");
        wrote(2, 8, OperationKind.INSERT, v("2"), "e2");
        assertWrong(UNEXPLAINED);
    }

    @Test
    void anInsertIsRefusedOnlyWhereAnEntityIs() {
        refused(1, 2, OperationKind.INSERT, "", Outcome.EXISTS);
        assertWrong(UNEXPLAINED);
    }

    @Test
    void anInsertMayBeRefusedByAnUnknownOne() {
        unknown(1, 2, OperationKind.INSERT, v("1"));
        refused(3, 4, OperationKind.INSERT, "", Outcome.EXISTS);
        assertRight();
    }

    @Test
    void aConditionHoldsOnlyForItsEtag() {
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
        assertWrong(UNEXPLAINED);
    }

    @Test
    void twoConditionalWritesOnOneEtagCannotBothSucceed() {
        wrote(1, 2, OperationKind.INSERT, v("1"), "e1");
        wroteIf(3, 9, OperationKind.REPLACE, v("2"), "e1", "e2");
        wroteIf(4, 8, OperationKind.REPLACE, v("3"), "e1", "e3");
        assertWrong(UNEXPLAINED);
    }

    @Test
    void whatWasNotExecutedHasNoEffect() {
        operation(1, 2, OperationKind.INSERT, v("1"), "", Result.of(Outcome.NOT_EXECUTED, "503"));
        read(3, 4, v("1"), "e1");
        assertWrong(UNEXPLAINED);
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
    void entitiesAreCheckedSeparately() {
        add(key("a"), 1, 2, OperationKind.INSERT, v("1"), "", Result.written("e1"));
        add(key("b"), 3, 4, OperationKind.GET, NOTHING, "", Result.of(Outcome.MISSING, ""));
        assertRight();
    }

    @Test
    void aTransactionIsSeenWholeByAPage() {
        transaction(1, 4, put("a", "1"), put("b", "1"));
        page(2, 3, row("a", "1"), row("b", "1"));
        page(5, 6, row("a", "1"), row("b", "1"));
        assertRight();
    }

    @Test
    void aTornTransactionIsFoundByTwoReads() {
        transaction(1, 2, put("a", "1"), put("b", "1"));
        transaction(3, 9, put("a", "2"), put("b", "2"));
        add(key("a"), 4, 5, OperationKind.GET, NOTHING, "", Result.read("a2", v("2")));
        add(key("b"), 6, 7, OperationKind.GET, NOTHING, "", Result.read("b1", v("1")));
        assertWrong(UNEXPLAINED);
    }

    @Test
    void rowsOfOnePartitionOnOnePageAreOfOneMoment() {
        put(1, 2, "a", "1");
        put(1, 2, "b", "1");
        put(3, 10, "a", "2");
        put(11, 20, "b", "2");
        page(4, 30, row("a", "1"), row("b", "2"));
        assertWrong(UNEXPLAINED);
    }

    @Test
    void aTransactionOfUnknownOutcomeHappensWholeOrNot() {
        List<Write> both = List.of(put("a", "1"), put("b", "1"));
        history.add(Change.unanswered(new Call(1, 1, 2), both, Outcome.UNKNOWN, "500"));
        page(3, 4);
        page(5, 6, row("a", "1"), row("b", "1"));
        assertRight();
        page(7, 8, row("a", "1"));
        assertWrong(UNEXPLAINED);
    }

    @Test
    void aRefusedTransactionChangesNothingAndNamesTheFirstThatCannotBe() {
        put(1, 2, "b", "1");
        List<Write> writes = List.of(put("a", "2"), new Write(key("b"), OperationKind.INSERT, v("2"), ""), delete("c"));
        history.add(Change.refused(new Call(1, 3, 4), writes, 1, Outcome.EXISTS));
        page(5, 6, row("b", "1"));
        assertRight();
        history.add(Change.refused(new Call(1, 7, 8), writes, 2, Outcome.MISSING));
        assertWrong(UNEXPLAINED);
    }

    @Test
    void aPageShowsNothingBeyondItsToken() {
        put(1, 2, "a", "1");
        put(3, 4, "b", "1");
        history.add(new Page(new Call(1, 5, 6), 1, EntityKey.beginOf("t"), key("b"), List.of(row("a", "1"))));
        history.add(new Page(new Call(1, 7, 8), 1, key("b"), null, List.of(row("b", "1"))));
        assertRight();
    }

    @Test
    void aScanThatGivesAKeyTwiceIsFound() {
        put(1, 2, "a", "1");
        page(5, 6, row("a", "1"), row("a", "1"));
        assertThat(HistoryChecker.check(history).violations())
                .extracting(Violation::reason)
                .contains("a page that is out of order, or beyond its bounds, at t/p/a");
    }

    @Test
    void aTokenThatIsNotAheadIsFound() {
        history.add(new Page(new Call(1, 5, 6), 1, key("b"), key("b"), List.of()));
        assertWrong("a page whose token is not ahead of its beginning");
    }

    @Test
    void aHistoryThatIsTooComplexIsUndecidedAndNeverRight() {
        for (int i = 0; i < 20; i++) {
            unknown(1, 2, OperationKind.INSERT_OR_MERGE, Map.of("P" + i, "1"));
        }
        read(3, 4, v("never"), "e");
        assertThat(HistoryChecker.check(history)).isEqualTo(new CheckResult(List.of(), List.of("t/p/k")));
    }

    @Test
    void aViolationIsReportedWithTheFewOperationsThatCauseIt() {
        for (int i = 0; i < 20; i++) {
            put(100 + i * 100, 150 + i * 100, "a", "old" + i);
            put(160 + i * 100, 190 + i * 100, "b", "old" + i);
        }
        history.add(
                Change.unanswered(new Call(3, 4_000, 4_500), List.of(put("a", "lost")), Outcome.UNKNOWN, "no answer"));
        history.add(Change.done(new Call(2, 5_000, 9_000), List.of(put("a", "2"), put("b", "2")), List.of("a2", "b2")));
        page(6_000, 7_000, row("a", "2"), row("b", "old19"));
        page(9_500, 9_600, row("a", "2"), row("b", "2"));

        assertThat(HistoryChecker.check(history).violations()).singleElement().hasToString(GOLDEN);
    }

    private static EntityKey key(String row) {
        return new EntityKey("t", "p", row);
    }

    private static Write put(String row, String value) {
        return new Write(key(row), OperationKind.INSERT_OR_REPLACE, v(value), "");
    }

    private static Write delete(String row) {
        return new Write(key(row), OperationKind.DELETE, NOTHING, "");
    }

    private void put(long from, long to, String row, String value) {
        history.add(Change.of(new Call(1, from, to), put(row, value), Result.written(row + value)));
    }

    private void transaction(long from, long to, Write... writes) {
        List<String> etags = Stream.of(writes)
                .map(write -> write.key().row() + write.properties().get("A"))
                .toList();
        history.add(Change.done(new Call(2, from, to), List.of(writes), etags));
    }

    private static Page.Row row(String row, String value) {
        return new Page.Row(key(row), Result.read(row + value, v(value)));
    }

    private void page(long from, long to, Page.Row... rows) {
        history.add(new Page(new Call(4, from, to), history.size(), EntityKey.beginOf("t"), null, List.of(rows)));
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
        add(K, from, to, kind, properties, ifMatch, result);
    }

    private void add(
            EntityKey key,
            long from,
            long to,
            OperationKind kind,
            Map<String, String> properties,
            String ifMatch,
            Result result) {
        Call call = new Call(1, from, to);
        history.add(
                kind == OperationKind.GET
                        ? new Get(call, key, result)
                        : Change.of(call, new Write(key, kind, properties, ifMatch), result));
    }

    private void assertRight() {
        assertThat(HistoryChecker.check(history)).isEqualTo(new CheckResult(List.of(), List.of()));
    }

    private void assertWrong(String reason) {
        List<Violation> violations = HistoryChecker.check(history).violations();
        assertThat(violations).extracting(Violation::reason).contains(reason);
    }
}
