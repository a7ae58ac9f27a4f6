package cleave.chaos.load.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
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

    private static Summary summary() {
        return new Summary(
                new Summary.Setting(
                        "2026-01-02T03:04:05Z",
                        "http://127.0.0.1:10002/devstoreaccount1",
                        "LoadT",
                        "test",
                        "50% get, 50% insert; uniform",
                        "open loop, 100/s for 4 s",
                        true,
                        8,
                        "none",
                        1),
                4,
                Map.of(Action.GET, new Count(200, 0, 203, 200, 5), Action.INSERT, new Count(190, 3, 193, 190, 0)),
                Map.of(Action.GET, latencies(10, 200), Action.INSERT, latencies(40, 190)),
                latencies(30, 390),
                Map.of("503", 6L),
                7,
                List.of("insert PartitionKey 'p', RowKey '<r>': 503 busy"),
                List.of(new Second(1, 100, 100, 0, 0, 1, 2, 3, 4), new Second(2, 100, 97.5, 0.75, 0.75, 1, 20, 30, 40)),
                List.of(
                        new Mark(1.5, "split", "ranges 1.0 2.0 on s1"),
                        new Mark(1.75, "failover", "declared dead: s2")),
                new Summary.Verified(
                        true, 10_190, 1, List.of("PartitionKey 'p', RowKey 'r' is lost: it must be written by 3")));
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
        check("report.txt", TextReport.of(summary()));
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
        check("report.html", own);
    }

    @Test
    void whatIsWrittenAsJsonIsReadAsItWas() throws IOException {
        Summary read = JsonReport.read(JsonReport.of(summary()));

        assertThat(JsonReport.of(read)).isEqualTo(JsonReport.of(summary()));
        assertThat(read.latency()).isEqualTo(summary().latency());
    }

    @Test
    void anythingElseIsRefused() {
        assertThatThrownBy(() -> JsonReport.read("{}"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("it has no");
        assertThatThrownBy(() -> JsonReport.read("latencies")).isInstanceOf(IOException.class);
    }

    @Test
    void mergedReportsAreThoseOfAllOperationsTogether() {
        Summary merged = Summary.merged(List.of(summary(), summary(), summary()));

        assertThat(merged.total().done()).isEqualTo(3 * 390);
        assertThat(merged.goodput()).isEqualTo(3 * summary().goodput());
        assertThat(merged.latency().getTotalCount()).isEqualTo(3 * 390);
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
    void aLoadIsRightIfNothingFailedAndNothingIsWrong() {
        assertThat(summary().isRight()).isFalse();
        assertThat(summary().isRateReached()).isFalse();
    }
}
