package cleave.chaos.picture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.picture.Chart.Band;
import cleave.chaos.picture.Chart.Kind;
import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Chart.Plot;
import cleave.chaos.picture.Chart.Rows;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.picture.Chart.Stretch;
import cleave.chaos.picture.Chart.Stretches;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class ChartSvgTest {
    private static final Path FOLDER = Path.of("src", "test", "resources", "cleave", "chaos", "picture");
    private static final Chart BARS = Chart.bars(
            "Entities < bytes & calls",
            "entities",
            "design",
            List.of("one partition", "many"),
            List.of(Chart.values("examined", List.of(1.0, 20_000.0)), Chart.values("returned", List.of(0.0, 37.5))));
    private static final Chart LINES = Chart.lines(
            "Load of each server",
            "entities/s",
            "seconds",
            List.of(
                    new Series("server-1", List.of(0.0, 1.5, 3.0), List.of(0.0, 900.0, 120.0)),
                    new Series("server-2", List.of(0.0, 3.0), List.of(0.0, 40.0))));

    private static final Chart MARKED = LINES.marked(List.of(
            new Mark(0.5, "split"), new Mark(0.6, "split"), new Mark(0.7, "verdict"), new Mark(3.5, "move & more")));
    private static final Chart STRIPS = Chart.of(
                    "A title that is so long that it would be cut at the right edge of the picture if it were not continued in a second line",
                    "seconds",
                    List.of(
                            LINES.strips().get(0),
                            new Plot(
                                    Kind.AREAS,
                                    "ranges",
                                    92,
                                    List.of(
                                            new Series("server-1", List.of(0.0, 1.5, 3.0), List.of(1.0, 2.0, 2.0)),
                                            new Series("server-2", List.of(0.0, 1.5, 3.0), List.of(0.0, 3.0, 1.0))),
                                    false),
                            new Rows(
                                    "rows",
                                    6,
                                    List.of(
                                            new Stretches(
                                                    "takes writes",
                                                    Svg.GREEN,
                                                    List.of(new Stretch(0, 0, 3), new Stretch(5, 1, 3))),
                                            new Stretches("failed", Svg.RED, List.of(new Stretch(0, 1.2, 1.2)))))))
            .marked(List.of(
                    new Mark(1.5, "split", Symbol.UP),
                    new Mark(1.51, "move", Symbol.DOT),
                    new Mark(1.8, "verdict", Symbol.EXCLAMATION),
                    new Mark(2.5, "the load ends")))
            .shaded(List.of(new Band(1, 2)));

    /** {@code -Dgolden.rewrite=true} writes the files, to be looked at. */
    @Test
    void pictureIsAsReviewed() throws IOException {
        check("bars.svg", ChartSvg.of(BARS));
        check("logarithmic-bars.svg", ChartSvg.of(BARS.onLogarithmicAxis()));
        check("lines.svg", ChartSvg.of(LINES));
        check("marked-lines.svg", ChartSvg.of(MARKED));
        check("strips.svg", ChartSvg.of("Two charts", List.of(STRIPS, BARS)));
        check(
                "key-space.svg",
                Chart.of("Keys", "seconds", List.of(KeySpaceTest.LIFE))
                        .marked(List.of(
                                new Mark(10, "split", Symbol.UP),
                                new Mark(30, "server-2 is killed"),
                                new Mark(40, "merge", Symbol.DOWN)))
                        .svg());
    }

    private static void check(String name, String svg) throws IOException {
        Path file = FOLDER.resolve(name);
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.writeString(Files.createDirectories(FOLDER).resolve(name), svg);
        }
        assertThat(svg).as("against %s", file).isEqualTo(Files.readString(file));
    }

    @Test
    void pictureNamesWhatItShowsForThoseWhoCannotSeeIt() throws Exception {
        Document svg = parsed(ChartSvg.of(BARS));

        assertThat(svg.getElementsByTagName("title").item(0).getTextContent()).isEqualTo("Entities < bytes & calls");
        assertThat(svg.getElementsByTagName("desc").item(0).getTextContent())
                .isEqualTo("entities by design: examined, returned");
        assertThat(svg.getDocumentElement().getAttribute("role")).isEqualTo("img");
        assertThat(parsed(ChartSvg.of(MARKED))
                        .getElementsByTagName("desc")
                        .item(0)
                        .getTextContent())
                .isEqualTo(
                        "entities/s by seconds: server-1, server-2; marked: split at 0.5, split at 0.6, verdict at 0.7, move & more at 3.5");
    }

    @Test
    void everyValueHasABarAndEverySeriesALine() throws Exception {
        assertThat(parsed(ChartSvg.of(BARS)).getElementsByTagName("rect").getLength())
                .isEqualTo(4 + 2);
        assertThat(parsed(ChartSvg.of(LINES)).getElementsByTagName("polyline").getLength())
                .isEqualTo(2);
    }

    @Test
    void longSeriesAreThinned() {
        List<Double> many = IntStream.range(0, 5_000).mapToObj(i -> (double) i).toList();

        assertThat(ChartSvg.of(Chart.lines("many", "s", "s", List.of(new Series("a", many, many)))))
                .hasSizeLessThan(10_000);
    }

    @Test
    void marksShareALabelWhereTheyAreNear() throws Exception {
        String text = parsed(ChartSvg.of(MARKED)).getDocumentElement().getTextContent();

        assertThat(text.split("split", -1)).hasSize(1 + 2 + 1);
    }

    @Test
    void emptyChartAndOneOfZerosAreDrawnToo() throws Exception {
        parsed(ChartSvg.of(Chart.lines("none", "s", "s", List.of())));
        parsed(ChartSvg.of(Chart.bars("none", "s", "s", List.of(), List.of()).onLogarithmicAxis()));
        String zero = ChartSvg.of(Chart.bars("zero", "s", "s", List.of("a"), List.of(Chart.values("b", List.of(0.0)))));

        assertThat(zero).doesNotContain("NaN", "Infinity");
    }

    @Test
    void ticksAreRoundAndReachAllValues() {
        assertThat(Axis.linear(0, 873, 5).ticks()).containsExactly(0.0, 200.0, 400.0, 600.0, 800.0, 1000.0);
        assertThat(Axis.linear(0, 0.3, 5).to()).isGreaterThanOrEqualTo(0.3);
        assertThat(Axis.linear(-300, 270, 5).ticks()).containsExactly(-400.0, -200.0, 0.0, 200.0, 400.0);
        assertThat(Axis.linear(0, 2, 5).ticks()).contains(0.5);
        assertThat(Axis.whole(0, 2, 5).ticks()).containsExactly(0.0, 1.0, 2.0);
        assertThat(Axis.whole(1, 20, 10).ticks()).startsWith(0.0, 2.0);
        assertThat(Axis.linear(-0.4, 5, 10).within(-0.4, 4.9).from()).isEqualTo(-0.4);
        assertThat(Axis.linear(-0.4, 5, 10).within(-0.4, 4.9).ticks()).containsExactly(0.0, 1.0, 2.0, 3.0, 4.0);
        assertThat(Axis.tick(2_500_000)).isEqualTo("2.5 M");
        assertThat(Axis.tick(999_999)).isEqualTo("999,999");
        assertThat(Axis.logarithmic(3, 4_000).ticks()).containsExactly(1.0, 10.0, 100.0, 1_000.0, 10_000.0);
        assertThat(Axis.logarithmic(1, 100).share(0)).isZero();
        assertThat(Axis.logarithmic(3, 1_000).share(1)).isZero();
        assertThat(Axis.logarithmic(1, 100).share(1)).isGreaterThan(0.1);
    }

    @Test
    void logarithmicAxisIsCalledSo() {
        assertThat(ChartSvg.of(BARS.onLogarithmicAxis())).contains(">entities, logarithmic scale</text>");
        assertThat(ChartSvg.of(BARS)).contains(">entities</text>");
    }

    @Test
    void countsHaveNoHalves() throws Exception {
        String svg =
                ChartSvg.of(Chart.bars("b", "servers", "x", List.of("a"), List.of(Chart.values("b", List.of(2.0)))));

        assertThat(svg).contains(">1</text>").doesNotContain(">0.5</text>", ">1.5</text>");
    }

    @Test
    void seriesOfTheWrongLengthIsRefused() {
        assertThatThrownBy(() ->
                        Chart.bars("x", "y", "z", List.of("a", "b"), List.of(Chart.values("short", List.of(1.0)))))
                .hasMessage("x, short: 1 values for 2");
    }

    private static Document parsed(String svg) throws Exception {
        assertThat(svg).doesNotContain("NaN", "Infinity");
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }
}
