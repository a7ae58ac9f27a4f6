package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.fault.ScanningClient.Scans;
import cleave.chaos.fault.Trial.Step;
import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.CheckResult;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.History;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import cleave.chaos.history.Write;
import cleave.model.Key;
import cleave.model.KeyRange;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The pictures of small recorded trials, and their text. */
class TrialPictureTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final CheckResult RIGHT = new CheckResult(List.of(), List.of());
    /** Kills the owner of partition 1 at 2 s; it runs again at 5 s, and all is well at 6 s. */
    private static final Step KILL = new Step("server killed", "", 2 * SECOND, 5 * SECOND, 6 * SECOND, List.of(1));

    private static final SeenHandoff SPLIT = new SeenHandoff(
            7,
            HandoffUse.SPLIT,
            new KeyRange(Key.MIN, Key.beforePartition(7, RecordingClients.partitionKey(1))),
            SECOND,
            2 * SECOND,
            true,
            "",
            900,
            30_000);

    private static Change write(int partition, long from, long until, Outcome outcome) {
        EntityKey key = new EntityKey("T", RecordingClients.partitionKey(partition), "r");
        Write write = new Write(key, OperationKind.INSERT_OR_REPLACE, Map.of("A", from + ""), "");
        Result result = outcome == Outcome.DONE ? Result.written("e" + from) : Result.of(outcome, "no");
        return Change.of(new Call(partition, from, until), write, result);
    }

    /** Ten seconds of writes, one each 50 ms; partition 1 stalls from 2 to 3.5 s, and partition 2, which is elsewhere, from 7 to 8 s. */
    private static History history() {
        History history = new History();
        for (int partition = 0; partition < 3; partition++) {
            for (long at = 0; at < 10 * SECOND; at += 50 * MILLI) {
                boolean stalls = (partition == 1 && at >= 2 * SECOND && at < 3_500 * MILLI)
                        || (partition == 2 && at >= 7 * SECOND && at < 8 * SECOND);
                if (!stalls) {
                    history.add(write(partition, at, at + 10 * MILLI, Outcome.DONE));
                }
            }
        }
        history.add(write(1, 2 * SECOND, 2_300 * MILLI, Outcome.UNKNOWN));
        return history;
    }

    private static Report report(History history, List<Step> steps, List<SeenHandoff> handoffs) {
        List<FailedRequest> failed = history.operations().stream()
                .filter(operation -> operation.outcome() == Outcome.UNKNOWN)
                .map(FailedRequest::of)
                .toList();
        return new Report(
                history,
                RIGHT,
                steps,
                List.of(),
                failed,
                List.of(),
                Scans.NONE,
                new Handoffs(handoffs, List.of(), 0),
                true,
                7);
    }

    private static Report killed() {
        return report(history(), List.of(KILL), List.of());
    }

    @Test
    void aKindOfStepIsARowOfWhatSaysSomething() {
        assertThat(ReportText.of(List.of(killed())).lines())
                .contains(
                        "| step | times | operations | writes acknowledged | lost or wrong | requests failed | longest stall s"
                                + " | writable after min / median / max s | back after median / max s | mended after median / max s |",
                        "| server killed | 1 | 211 | 210 | 0 | 1 | 0.30 | 1.51 / 1.51 / 1.51 | 3.00 / 3.00 | 1.00 / 1.00 |",
                        "FAILED: server killed, begun after 0.0 s, ended after 0.3 s: "
                                + killed().failedRequests().get(0))
                .last()
                .isEqualTo("NOT everything was right, although no wrong answer was found; see above.");
    }

    @Test
    void ofSeveralTrialsEachIsNamedOnce() {
        assertThat(ReportText.of(List.of(killed(), killed())).lines().filter(line -> line.contains("All operations")))
                .hasSize(2)
                .allMatch(line -> line.startsWith("server killed: All operations: {"));
    }

    @Test
    void everyGapIsDrawnInItsRowAndTellsWhetherTheFaultExplainsIt() throws Exception {
        Document picture = parsed(TrialPicture.of(List.of(killed())));

        assertThat(strokes(picture, "writes acknowledged")).isEqualTo(3);
        assertThat(strokes(picture, "none for 0.30 s, under a step that affects the range"))
                .isEqualTo(1);
        assertThat(strokes(picture, "none, without such a step")).isEqualTo(1);
        assertThat(strokes(picture, "a request failed or has an unknown outcome"))
                .isEqualTo(1);
    }

    @Test
    void gapIsAsLongAsTheTimeWithoutAnAcknowledgedWrite() {
        Availability seen = Availability.of(history());

        assertThat(seen.gapNanosMin()).isEqualTo(300 * MILLI);
        assertThat(seen.partitions().get(0).gaps()).isEmpty();
        assertThat(seen.partitions().get(1).gaps()).containsExactly(new Availability.Gap(1_960 * MILLI, 3_510 * MILLI));
        assertThat(seen.partitions().get(1).failed()).containsExactly(2_300 * MILLI);
        assertThat(seen.acknowledged()).hasSize(3 * 200 - 30 - 20);
    }

    @Test
    void faultIsShadedAndBothItsEndsAreMarked() throws Exception {
        Document picture = parsed(TrialPicture.of(List.of(killed(), killed())));

        assertThat(elements(picture, "rect", "band")).isEqualTo(2);
        assertThat(picture.getElementsByTagName("polyline").getLength()).isEqualTo(2);
        assertThat(picture.getDocumentElement().getTextContent())
                .contains("server killed, once: every range took writes again after 1.51 s", "killed, cut off or ended")
                .contains("runs again");
    }

    @Test
    void drillWithoutAnAnswerIsDrawnToo() throws Exception {
        Report empty = report(new History(), List.of(), List.of());

        assertThat(parsed(TrialPicture.of(List.of(empty))).getDocumentElement().getTextContent())
                .contains("no faults");
    }

    @Test
    void handoffsAreDrawnByKindAndByTheTimeSinceTheirEnd() throws Exception {
        Report report = report(history(), List.of(), List.of(SPLIT));
        Document picture = parsed(TrialPicture.of(List.of(report)));

        assertThat(TrialPicture.ofHandoffs(report).get(0).series())
                .extracting(series -> series.name())
                .containsExactly("split (1)", "all requests, with or without a handoff (551)");
        assertThat(TrialPicture.ofHandoffs(report).get(1).series().get(0).y().get(50))
                .isBetween(30.0, 30.1);
        assertThat(TrialPicture.ofHandoffs(report).get(2).series())
                .extracting(series -> series.x().get(0))
                .containsOnly(-390.0);
        assertThat(picture.getElementsByTagName("polyline").getLength()).isEqualTo(2 + 1 + 3);
    }

    @Test
    void handoffsUnderFaultsAreShownWithThese() throws Exception {
        Report report = report(history(), List.of(KILL), List.of(SPLIT));

        assertThat(elements(parsed(TrialPicture.of(List.of(report))), "rect", "band"))
                .isEqualTo(1);
    }

    private static int strokes(Document picture, String name) {
        NodeList paths = picture.getElementsByTagName("path");
        for (int i = 0; i < paths.getLength(); i++) {
            Element path = (Element) paths.item(i);
            if (path.getTextContent().equals(name)) {
                return path.getAttribute("d").split("M", -1).length - 1;
            }
        }
        return -1;
    }

    private static long elements(Document picture, String tag, String name) {
        NodeList all = picture.getElementsByTagName(tag);
        long count = 0;
        for (int i = 0; i < all.getLength(); i++) {
            count += ((Element) all.item(i)).getAttribute("class").equals(name) ? 1 : 0;
        }
        return count;
    }

    private static Document parsed(String svg) throws Exception {
        assertThat(svg).doesNotContain("NaN", "Infinity", "href");
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }
}
