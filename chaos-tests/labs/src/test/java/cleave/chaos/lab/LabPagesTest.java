package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.lab.Report.Claim;
import cleave.chaos.lab.Report.Figures;
import cleave.chaos.lab.Report.Paragraph;
import cleave.chaos.lab.Report.Picture;
import cleave.chaos.picture.Chart;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The pages of runs, those of docs/labs, and the command around them. */
class LabPagesTest {
    private static final Path DOCS = Path.of("..", "..", "docs", "labs");
    private static final LabCard CARD = Labs.all().get(0).card();

    @TempDir
    private Path dir;

    static List<Lab> labs() {
        return Labs.all();
    }

    private static Report report(boolean holds) {
        Chart chart = Chart.bars("A picture", "entities", "x", List.of("a"), List.of(Chart.values("b", List.of(1.0))));
        return new Report(
                CARD,
                List.of(
                        new Paragraph("a < b"),
                        new Figures("A table", List.of("name", "count"), List.of(List.of("x", "1,000"))),
                        new Picture(chart),
                        new Picture(chart)),
                List.of(new Claim("it is so", true, "1"), new Claim("that, too", holds, "2")));
    }

    @Test
    void pageHoldsAllThatWasReportedAndNeedsNothingElse() {
        String page = Page.of(report(false));

        assertThat(page)
                .contains("a &lt; b", "A table", "<td class=\"number\">1,000</td>", "<svg", "class=\"holds\">it is so")
                .contains("class=\"fails\">that, too", Text.escaped(CARD.question()), Text.escaped(CARD.breakIt()))
                .contains("color-scheme: light dark")
                .doesNotContain("<script", "<link", "src=");
    }

    @Test
    void pagesAndPicturesAreWritten() throws IOException {
        Folder folder = new Folder(dir.resolve("new"));
        folder.write(report(true));
        folder.writeIndex(List.of(report(true)));
        folder.writeMarkdown(report(true));

        assertThat(folder.path())
                .isDirectoryContaining(file -> file.endsWith(CARD.name() + ".html"))
                .isDirectoryContaining(file -> file.endsWith(CARD.name() + ".svg"))
                .isDirectoryContaining(file -> file.endsWith(CARD.name() + "-2.svg"));
        assertThat(folder.path().resolve("index.html")).content().contains("href=\"" + CARD.name() + ".html\"");
        assertThat(folder.path().resolve(Markdown.fileName(CARD))).content().contains("  holds  it is so (seen: 1)");
    }

    @Test
    void reportIsRightOnlyIfItClaimsSomethingAndAllOfIt() {
        assertThat(report(true).isRight()).isTrue();
        assertThat(report(false).isRight()).isFalse();
        assertThat(new Report(CARD, List.of(), List.of()).isRight()).isFalse();
    }

    @Test
    void predictionIsAskedUntilItIsOneOfTheChoices() throws IOException {
        assertThat(asked("9\nno\n2\n")).isEqualTo(1);
        assertThat(asked("\n")).isEqualTo(Prediction.NONE);
        assertThat(asked("")).isEqualTo(Prediction.NONE);
        assertThat(TextReport.explanation(CARD, CARD.answer())).contains("Your prediction was right.");
        assertThat(TextReport.explanation(CARD, (CARD.answer() + 1) % 2)).contains("Your prediction was another.");
        assertThat(TextReport.explanation(CARD, Prediction.NONE)).doesNotContain("prediction");
    }

    private static int asked(String typed) throws IOException {
        return Prediction.asked(CARD, new BufferedReader(new StringReader(typed)), new PrintWriter(new StringWriter()));
    }

    @Test
    void listNamesEveryLab() {
        StringWriter out = new StringWriter();
        int status =
                new CommandLine(new LabCommand()).setOut(new PrintWriter(out)).execute("list");

        assertThat(status).isZero();
        assertThat(out.toString())
                .contains(labs().stream().map(lab -> lab.card().name()).toList());
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() throws IOException {
        assertThat(refusal("run", "no-such-lab")).contains("there is no lab 'no-such-lab'", CARD.name());
        assertThat(refusal("run", CARD.name(), "--predict", "9")).contains("--predict must be from 1 to");
        assertThat(refusal("run", CARD.name(), CARD.name(), "--predict", "1")).contains("is about one lab");
        assertThat(refusal("run", CARD.name(), "--endpoint", "http://127.0.0.1:1", "--dir", "x"))
                .contains("exclude each other");
        assertThat(refusal("run", CARD.name(), "--entities", "9")).contains("--entities needs --full");
        assertThat(refusal("run", CARD.name(), "--full"))
                .contains("has no full form; these have one: append-and-prepend, hot-range, hot-partition, steady");
        assertThat(refusal("run", CARD.name(), "--dir", dir.toString())).contains("no deployment");
        assertThat(refusal(
                        "run",
                        CARD.name(),
                        "--out",
                        Files.writeString(dir.resolve("file"), "").toString()))
                .contains("is no folder");
    }

    private static String refusal(String... arguments) {
        StringBuilder message = new StringBuilder();
        int status = new CommandLine(new LabCommand())
                .setExecutionExceptionHandler((failed, line, parsed) -> {
                    message.append(failed.getMessage());
                    return 2;
                })
                .execute(arguments);
        assertThat(status).isEqualTo(2);
        return message.toString();
    }

    @ParameterizedTest
    @MethodSource("labs")
    void cardIsWhole(Lab lab) {
        LabCard card = lab.card();

        assertThat(card.name()).matches("[a-z0-9]+(-[a-z0-9]+)*");
        assertThat(card.title()).doesNotEndWith(".");
        assertThat(card.choices()).hasSizeBetween(2, 4);
        assertThat(card.why()).isNotEmpty();
        assertThat(card.code()).isNotEmpty();
        assertThat(Labs.all().stream().filter(other -> other.card().name().equals(card.name())))
                .hasSize(1);
    }

    /** A page tells what the lab asks and explains today; {@code cleave lab run NAME --markdown} writes it. */
    @ParameterizedTest
    @MethodSource("labs")
    void labHasItsPageAndItsPicture(Lab lab) throws IOException {
        Path page = DOCS.resolve(Markdown.fileName(lab.card()));

        assertThat(Files.readString(page))
                .contains(Markdown.lasting(lab.card()))
                .contains("  holds  ");
        assertThat(DOCS.resolve(Folder.picture(lab.card(), 0))).isRegularFile();
        assertThat(DOCS.resolve("README.md")).content().contains("](" + page.getFileName() + ")");
    }
}
