package cleave.chaos.load.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.load.report.MergedSummary.Part;
import cleave.chaos.load.report.Summary.Setting;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Step;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReportTest {
    private static final Path FOLDER = Path.of("src", "test", "resources", "cleave", "chaos", "load", "report");

    private static Histogram latencies(long millis, int count) {
        Histogram latencies = new Histogram(3);
        for (int i = 1; i <= count; i++) {
            latencies.recordValue(millis * 1_000_000 * i / count);
        }
        return latencies;
    }

    private static Setting setting(String started, String workload, @Nullable Schedule schedule) {
        return new Setting(
                Instant.parse(started),
                "http://127.0.0.1:10002/devstoreaccount1",
                "LoadT",
                workload,
                "50% get, 50% insert; uniform",
                schedule,
                8,
                "none",
                1,
                new Provenance(
                        "cleave 1.0, Java 17.0.9+9 (OpenJDK 64-Bit Server VM), Linux amd64, 2 processors",
                        0.75,
                        "cleave load --rate 100",
                        "1"));
    }

    private static Summary summary(Setting setting) {
        return new Summary(
                setting,
                new Summary.WarmUp(5, 501, 2),
                4,
                Map.of(Action.GET, new Count(200, 0, 2, 3, 200, 5), Action.INSERT, new Count(190, 3, 0, 0, 190, 0)),
                Map.of(Action.GET, latencies(10, 200), Action.INSERT, latencies(40, 190)),
                latencies(30, 390),
                latencies(5000, 3),
                Map.of("503", 6L),
                7,
                List.of("insert PartitionKey 'p', RowKey '<r>': 503 busy"),
                List.of(
                        new Second(1, 1, 100, 100, 0, 0, 1, 2, 3, 4),
                        new Second(2, 1, 100, 97.5, 0.75, 0.75, 1, 20, 30, 40)),
                steps(setting.schedule()),
                List.of(
                        new RangeMark(1.5, "split", "ranges 1.0 2.0 on s1"),
                        new RangeMark(1.75, "failover", "declared dead: s2")),
                new Summary.Verified(
                        true, "", 10_190, 1, List.of("PartitionKey 'p', RowKey 'r' is lost: it must be written by 3")),
                List.of(
                        new Judgement("rate < 95", "rate is 97.5/s", false),
                        new Judgement("errors > 0.1%", "errors are 0.759%", true)),
                null);
    }

    private static List<Step> steps(@Nullable Schedule schedule) {
        return schedule == null || schedule.phases().size() < 2
                ? List.of()
                : List.of(
                        new Step(50, 2, 100, 99, 1, latencies(10, 99)),
                        new Step(200, 2, 400, 291, 2, latencies(40, 291)));
    }

    private static Summary inSteps() {
        return summary(setting("2026-01-02T03:04:05Z", "test", Schedule.steps(List.of(50.0, 200.0), 2)));
    }

    private static Summary summary() {
        return summary(setting("2026-01-02T03:04:05Z", "test", Schedule.constant(100, 4)));
    }

    private static void check(String name, String text) throws IOException {
        Path file = FOLDER.resolve(name);
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, text);
        }
        assertThat(text).as("against %s", file).isEqualTo(Files.readString(file));
    }

    @Test
    void theTextIsAsReviewed() throws IOException {
        check("report.txt", TerminalReport.of(summary()));
    }

    @Test
    void theTextOfStepsIsAsReviewed() throws IOException {
        check("steps.txt", TerminalReport.of(inSteps()));
    }

    @Test
    void stepsAreInTheJsonAndReadAsTheyWere() throws IOException {
        Summary read = JsonReport.read(JsonReport.of(inSteps()));

        assertThat(read.steps()).isEqualTo(inSteps().steps());
        assertThat(JsonReport.of(read)).isEqualTo(JsonReport.of(inSteps()));
    }

    @Test
    void stepsHaveATableACurveEachAndALatencyByRateInThePage() {
        String page = HtmlReport.of(inSteps());

        assertThat(page)
                .contains("<td>50/s for 2 s</td><td>100</td><td>99</td>")
                .contains("<td>200/s for 2 s</td><td>400</td><td>291</td>")
                .contains("\"steps\":{\"rate\":[50.0000,200.0000],", "{\"name\":\"200/s for 2 s\",\"millis\":[")
                .contains("<div id=\"rates\"></div>", "<div id=\"steps\"></div>");
        assertThat(HtmlReport.of(summary())).doesNotContain("<div id=\"rates\">", "<div id=\"steps\">");
    }

    @Test
    void stepsOfSeveralProcessesAreAddedUpIfTheyAreTheSame() {
        Summary merged = merged(inSteps(), inSteps());

        assertThat(merged.steps()).extracting(Step::rate).containsExactly(100.0, 400.0);
        assertThat(merged.steps()).extracting(Step::due).containsExactly(200L, 800L);
        assertThat(merged.steps().get(1).latency().getTotalCount()).isEqualTo(2 * 291);
        assertThat(merged(inSteps(), summary()).steps()).isEmpty();
    }

    @Test
    void theCommandIsToldAsOneTypesItAndWithoutCredentials() {
        assertThat(command("load", "--rate=5", "--table", "a b")).isEqualTo("cleave load --rate=5 --table 'a b'");
        assertThat(command("--endpoint", "http://h:1/a?sv=1&sig=secret%3D&se=2"))
                .isEqualTo("cleave --endpoint 'http://h:1/a?sv=1&sig=...&se=2'");
        assertThat(command("http://me:secret@h:1/a", "AccountKey=secret==;x"))
                .isEqualTo("cleave http://...@h:1/a 'AccountKey=...;x'");
    }

    private static String command(String... arguments) {
        return Provenance.here(List.of(arguments), 1).command();
    }

    @Test
    void withoutAWarmUpTheReportSaysSo() {
        Summary cold = new Summary(
                summary().setting(),
                Summary.WarmUp.NONE,
                4,
                summary().counts(),
                summary().latencies(),
                summary().service(),
                summary().failedLatency(),
                summary().problems(),
                0,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Summary.Verified.NOT,
                List.of(),
                null);

        assertThat(TerminalReport.of(cold)).contains("no warm-up: the first seconds are of a cold client");
        assertThat(HtmlReport.of(cold)).contains("no warm-up: the first seconds are of a cold client");
    }

    /** Compressed bytes differ between versions of zlib. */
    @Test
    void theJsonIsAsReviewed() throws IOException {
        check("report.json", JsonReport.of(summary()).replaceAll("(\"histogram\" : \")[^\"]+", "$1..."));
    }

    @Test
    void thePageIsAsReviewedAndLoadsNothing() throws IOException {
        String page = HtmlReport.of(summary());
        String own = page.replaceAll("(?s)<style>\\.uplot.*?</style>", "<style>(uPlot)</style>")
                .replaceAll(
                        "(?s)<script>/\\*! https://github.com/leeoniya/uPlot.*?</script>", "<script>(uPlot)</script>");

        assertThat(page).contains("uPlot=function").doesNotContain("{{");
        assertThat(own).doesNotContain("src=", "href=", "@import", "<r>");
        Set<String> template = template();
        check(
                "filled.html",
                own.lines().filter(line -> !template.contains(line)).collect(Collectors.joining("\n", "", "\n")));
    }

    /** The lines that each page has. */
    private static Set<String> template() throws IOException {
        try (InputStream in = Objects.requireNonNull(HtmlReport.class.getResourceAsStream("page.html"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().collect(Collectors.toSet());
        }
    }

    @Test
    void whatIsWrittenAsJsonIsReadAsItWas() throws IOException {
        Summary read = JsonReport.read(JsonReport.of(summary()));

        assertThat(JsonReport.of(read)).isEqualTo(JsonReport.of(summary()));
        assertThat(read.setting()).isEqualTo(summary().setting());
        assertThat(read.latency()).isEqualTo(summary().latency());
        assertThat(read.judgements()).isEqualTo(summary().judgements());
    }

    private static Summary searched() {
        return inSteps()
                .searched(
                        inSteps().steps(),
                        new Search(
                                List.of("p99 < 20ms"),
                                50,
                                52,
                                List.of(
                                        new Search.Try(50, true, "p99 is 10.00 ms"),
                                        new Search.Try(200, false, "p99 is 39.75 ms"))));
    }

    @Test
    void aSearchIsInEveryReport() throws IOException {
        String result = "The greatest rate that keeps p99 < 20ms is 50/s, to 5%: 52/s breaks it.";

        assertThat(TerminalReport.of(searched()))
                .contains(
                        "\n" + result,
                        "\n        50/s: kept, p99 is 10.00 ms\n       200/s: broken, p99 is 39.75 ms\n",
                        "\nlatency in ms ",
                        "\n50/s for 2 s ");
        assertThat(HtmlReport.of(searched())).contains(result.replace("<", "&lt;"));
        assertThat(JsonReport.read(JsonReport.of(searched())).search())
                .isEqualTo(searched().search());
        assertThat(RatePicture.of(searched())).contains("<polyline", ">keeps p99 &lt; 20ms<", "p99.9");
        assertThatThrownBy(() -> merged(searched(), searched()))
                .hasMessageContaining("1.json is of a search for the greatest rate");
    }

    @Test
    void aReportOfAVersionWithoutConditionsIsRead() throws IOException {
        String older = JsonReport.of(summary()).replaceFirst("(?s)\"conditions\" : \\[.*?\\],", "");

        assertThat(older).doesNotContain("conditions");
        assertThat(JsonReport.read(older).judgements()).isEmpty();
    }

    @Test
    void anythingElseIsRefused() {
        assertThatThrownBy(() -> JsonReport.read("{}"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("it has no");
        assertThatThrownBy(() -> JsonReport.read("latencies")).isInstanceOf(IOException.class);
    }

    private static Summary merged(Summary... summaries) {
        List<Part> parts = new ArrayList<>();
        for (Summary each : summaries) {
            parts.add(new Part(parts.size() + 1 + ".json", each));
        }
        MergedSummary.requireSideBySide(parts);
        return MergedSummary.of(parts);
    }

    @Test
    void mergedReportsAreThoseOfAllOperationsTogether() {
        Summary merged = merged(summary(), summary(), summary());

        assertThat(merged.total().done()).isEqualTo(3 * 390);
        assertThat(merged.total().cutOff()).isEqualTo(3 * 2);
        assertThat(merged.goodput()).isEqualTo(3 * summary().goodput());
        assertThat(merged.latency().getTotalCount()).isEqualTo(3 * 390);
        assertThat(merged.failedLatency().getTotalCount()).isEqualTo(9);
        assertThat(Latencies.millis(merged.latency(), 99))
                .isEqualTo(Latencies.millis(summary().latency(), 99));
        assertThat(merged.setting().processes()).isEqualTo(3);
        assertThat(merged.setting().clients()).isEqualTo(24);
        assertThat(merged.series().get(1).done()).isEqualTo(3 * 97.5);
        assertThat(merged.series().get(1).p99()).isEqualTo(20);
        assertThat(merged.problems()).containsEntry("503", 18L);
        assertThat(merged.neverSent()).isEqualTo(21);
    }

    @Test
    void aMergedReportNamesTheRateOfAllProcesses() {
        Summary first = summary(setting("2026-01-02T03:04:05Z", "test", Schedule.constant(100, 4)));
        Summary second = summary(setting("2026-01-02T03:04:05Z", "test", Schedule.steps(List.of(50.0, 200.0), 2)));

        assertThat(merged(first, first).setting().loop()).isEqualTo("open loop, 200/s for 4 s");
        assertThat(merged(first, second).setting().loop()).isEqualTo("open loop, 150/s for 2 s, then 300/s for 2 s");
    }

    /** The second process began two seconds later, in the middle of a second of the wall clock. */
    @Test
    void secondsAreMergedByTheWallClock() {
        Summary first = summary(setting("2026-01-02T03:04:05Z", "test", Schedule.constant(100, 4)));
        Summary second = summary(setting("2026-01-02T03:04:06.500Z", "test", Schedule.constant(100, 4)));
        Summary late = new Summary(
                second.setting(),
                second.warmUp(),
                4,
                second.counts(),
                second.latencies(),
                second.service(),
                second.failedLatency(),
                second.problems(),
                second.neverSent(),
                second.failures(),
                List.of(new Second(0.5, 0.5, 100, 80, 2, 0, 5, 5, 5, 5), new Second(1.5, 1, 100, 60, 0, 0, 6, 6, 6, 6)),
                List.of(),
                List.of(),
                second.verification(),
                List.of(),
                null);

        Summary merged = merged(late, first);

        assertThat(merged.setting().started()).isEqualTo(Instant.parse("2026-01-02T03:04:05Z"));
        assertThat(merged.seconds()).isEqualTo(5.5);
        assertThat(merged.series())
                .containsExactly(
                        new Second(1, 1, 100, 100, 0, 0, 1, 2, 3, 4),
                        new Second(2, 1, 150, 97.5 + 40, 0.75 + 1, 0.75, 5, 20, 30, 40),
                        new Second(3, 1, 100, 60, 0, 0, 6, 6, 6, 6));
        assertThat(merged.marks()).extracting(RangeMark::second).containsExactly(1.5, 1.75);
        assertThat(merged(first, late).marks()).isEqualTo(merged.marks());
    }

    @Test
    void reportsOfDifferentWorkloadsLoopsOrTimesAreNotMergedAndBothAreNamed() {
        Schedule schedule = Schedule.constant(100, 4);
        Summary one = summary(setting("2026-01-02T03:04:05Z", "one", schedule));
        Summary other = summary(setting("2026-01-02T03:04:05Z", "other", schedule));
        Summary closed = summary(setting("2026-01-02T03:04:05Z", "one", null));
        Summary later = summary(setting("2026-01-02T03:04:09Z", "one", schedule));

        assertThatThrownBy(() -> merged(one, other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("1.json is of workload one (50% get, 50% insert; uniform), 2.json of workload other"
                        + " (50% get, 50% insert; uniform): only reports of the same workload can be merged");
        assertThatThrownBy(() -> merged(one, closed))
                .hasMessageStartingWith("1.json is of an open loop, 2.json of a closed loop: only reports of the same");
        assertThatThrownBy(() -> merged(one, later))
                .hasMessageStartingWith(
                        "1.json ended at 2026-01-02T03:04:09Z, before 2.json began at 2026-01-02T03:04");
        assertThat(merged(closed, closed).setting().loop()).isEqualTo("closed loop");
    }

    @Test
    void aTableThatCannotBeReadBackIsToldAndIsAFailure() throws IOException {
        Summary unread = summary().with(Summary.Verified.failed("java.net.SocketException: <reset>"));

        assertThat(unread.verification().isRight()).isFalse();
        assertThat(TerminalReport.of(unread))
                .contains("VERIFICATION FAILED: the table could not be read back: java.net.SocketException: <reset>");
        assertThat(HtmlReport.of(unread)).contains("could not be read back: java.net.SocketException: &lt;reset&gt;");
        assertThat(JsonReport.read(JsonReport.of(unread)).verification()).isEqualTo(unread.verification());
    }

    @Test
    void anActionOfWhichNothingSucceededIsReported() throws IOException {
        Summary some = summary();
        Summary none = new Summary(
                some.setting(),
                some.warmUp(),
                4,
                Map.of(Action.DELETE, new Count(0, 3, 0, 0, 0, 0)),
                Map.of(),
                latencies(1, 0),
                latencies(5000, 3),
                Map.of(),
                0,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Summary.Verified.NOT,
                List.of(),
                null);

        assertThat(TerminalReport.of(none)).containsPattern("delete +3 +0 +- +- +- +- +- +3\n\\(failed\\) +3 +1 +33");
        assertThat(TerminalReport.of(JsonReport.read(JsonReport.of(none)))).isEqualTo(TerminalReport.of(none));
        assertThat(HtmlReport.of(none)).contains("<td>-</td>");
    }

    @Test
    void aLoadIsRightIfNothingFailedAndNothingIsWrong() {
        assertThat(summary().isRight()).isFalse();
        assertThat(summary().isRateReached()).isFalse();
    }
}
