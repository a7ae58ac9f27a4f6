package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The pages of runs, those of docs/labs, and the command around them. */
class LabPagesTest {
    private static final Path DOCS = Path.of("..", "..", "docs", "labs");
    private static final LabCard CARD = Labs.all().get(0).card();
    private static final FullForm FORM = new FullForm(null, 1, null, 1, List.of(1.0), 0, 1, Map.of());
    private static final Pattern PICTURE = Pattern.compile("!\\[.*]\\((.*\\.svg)\\)");
    /** The part of a page that runs write. */
    private static final String SEEN = "(?s)## What you should see.*?## Why";

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
        assertThat(folder.path().resolve(CARD.file())).content().contains("- holds: it is so (seen: 1)");
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

    /** Its page was read, so that it is whole; {@code cleave lab run NAME --markdown} writes what a run shows into it. */
    @ParameterizedTest
    @MethodSource("labs")
    void labHasItsFiguresAndAFullFormIfItsPageAsksAboutIt(Lab lab) {
        LabCard card = lab.card();

        assertThat(card.page()).contains("\n- holds: ").doesNotContain("\n- FAILS: ");
        assertThat(lab.full(FORM) != null).isEqualTo(!card.atLength().isEmpty());
    }

    @Test
    void everyPageIsNamedInTheListOfLabs() throws IOException {
        assertThat(labs()).extracting(Lab::toString).doesNotHaveDuplicates();
        try (Stream<Path> files = Files.list(DOCS)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.matches("\\d\\d-.*\\.md")))
                    .containsExactlyInAnyOrderElementsOf(
                            labs().stream().map(lab -> lab.card().file()).toList());
        }
    }

    @Test
    void everyPictureIsShownOnAPageAndEveryPageShowsThoseThatAreThere() throws IOException {
        TreeSet<String> shown = new TreeSet<>();
        for (Lab lab : labs()) {
            List<String> its = PICTURE.matcher(lab.card().page())
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            for (int i = 0; i < its.size(); i++) {
                assertThat(its.get(i)).isEqualTo(Folder.picture(lab.card(), i));
            }
            shown.addAll(its);
        }
        try (Stream<Path> files = Files.list(DOCS)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".svg") && !name.equals("map-of-patterns.svg")))
                    .containsExactlyInAnyOrderElementsOf(shown);
        }
    }

    @Test
    void aLabWithoutAPictureIsInTheIndexByItsTables() {
        Report tables = new Report(
                CARD,
                List.of(new Figures("A table", List.of("name", "count"), List.of(List.of("x", "1,000")))),
                List.of());

        assertThat(Page.index(List.of(tables))).contains("<caption>A table</caption>");
        assertThat(Page.index(List.of(report(true)))).contains("<svg").doesNotContain("<caption>");
    }

    @Test
    void aRunReplacesWhatAnEarlierOneShowedAndNothingElse() {
        String page = LabPage.with(report(true));

        assertThat(page).contains("![A picture](" + CARD.name() + "-2.svg)").doesNotContain("(seen: 111");
        assertThat(LabPage.read(CARD.file(), page).card().why()).isEqualTo(CARD.why());
        assertThat(page.replaceAll(SEEN, "")).isEqualTo(CARD.page().replaceAll(SEEN, ""));
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            # Keys are sorted | # Keys are sorted. and   | 1: .* should be the title, '# TITLE'
            run order-and     | run other-and            | 3: .* should be the name of the page's file, order-and-padding
            partitioning, on  | partition, on            | 3: .* should be one of partitioning, patterns, fault tolerance in place of 'partition'
            on an endpoint    | on a moon                | 3: .* should be one of an endpoint, a cluster, .* in place of 'a moon'
            1 minute          | one minute               | 3: .* should be '`./cleave lab run NAME` \\(COURSE
            2. Those 18       | 3. Those 18              | 8: .* should be from two to four choices, numbered from 1
            answer</summary>3 | answer</summary>1        | 11: .* should be an answer that is one of the choices above
            ## Why            | ## Because               | 65: the end of the page should be '## Why'
            Key`              | Kea`                     | \\d+: .* should be a class that is there
            ## Now break it   | ## Now mend it           | \\d+: '## Now mend it' should be '## Now break it'
            Source:           | From:                    | \\d+: .* should be two paragraphs before this heading
            """)
    void whatIsNoPageIsRefusedWithItsLineAndWhatBelongsThere(String from, String to, String message) {
        assertThat(CARD.page()).contains(from);
        assertThatThrownBy(() -> LabPage.read("my/" + CARD.file(), CARD.page().replace(from, to)))
                .hasMessageMatching("(?s)my/01-order-and-padding.md:" + message + ".*");
        assertThatThrownBy(() -> LabPage.read("My Lab.md", CARD.page())).hasMessageContaining("a page is named");
    }
}
