package cleave.chaos.picture;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.picture.KeySpace.Bound;
import cleave.chaos.picture.KeySpace.Dot;
import cleave.chaos.picture.KeySpace.Field;
import cleave.chaos.picture.KeySpace.Held;
import cleave.chaos.picture.KeySpace.Moment;
import cleave.chaos.picture.KeySpace.Request;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class KeySpaceTest {
    /** A range is split in two, one part moves, its new server dies, the part is taken over, and both are merged. */
    static final KeySpace LIFE = KeySpace.of(
            "PartitionKey",
            List.of(
                    new Moment(0, List.of(held("1", "a", "server-1"))),
                    new Moment(4, List.of(held("1", "a", "server-1"))),
                    new Moment(10, List.of(held("2", "a", "server-1"), held("3", "m", "server-1"))),
                    new Moment(20, List.of(held("2", "a", "server-1"), held("3", "m", "server-2"))),
                    new Moment(30, List.of(held("2", "a", "server-1"), new Held("3", "m", "server-2", false))),
                    new Moment(32, List.of(held("2", "a", "server-1"), held("3", "m", "server-1"))),
                    new Moment(40, List.of(held("4", "a", "server-1")))),
            50);

    private static Held held(String range, String from, String server) {
        return new Held(range, from, server, true);
    }

    @Test
    void samplesOfTheSameRangesAreOneFieldAndEachChangeBeginsAnother() {
        assertThat(LIFE.fields())
                .containsExactly(
                        new Field("1", "server-1", true, 0, 2, 0, 10),
                        new Field("2", "server-1", true, 0, 1, 10, 40),
                        new Field("3", "server-1", true, 1, 2, 10, 20),
                        new Field("3", "server-2", true, 1, 2, 20, 30),
                        new Field("3", "server-2", false, 1, 2, 30, 32),
                        new Field("3", "server-1", true, 1, 2, 32, 40),
                        new Field("4", "server-1", true, 0, 2, 40, 50));
    }

    @Test
    void fieldsOfEachMomentTileTheKeySpace() {
        for (double x : List.of(0.0, 9.9, 15.0, 25.0, 31.0, 35.0, 45.0)) {
            assertThat(LIFE.fields().stream()
                            .filter(field -> field.from() <= x && x < field.until())
                            .mapToDouble(field -> LIFE.place(field.last()) - LIFE.place(field.first()))
                            .sum())
                    .as("at %s", x)
                    .isEqualTo(1);
        }
    }

    @Test
    void partsAreEquallyHighOrAsHighAsTheyHaveKeys() {
        assertThat(LIFE.bounds()).containsExactly(new Bound("a", 0), new Bound("m", 0.5));
        assertThat(LIFE.isToScale()).isFalse();

        KeySpace scaled = LIFE.toScale(List.of("a", "b", "c", "m"));

        assertThat(scaled.bounds()).containsExactly(new Bound("a", 0), new Bound("m", 0.75));
        assertThat(scaled.isToScale()).isTrue();
        assertThat(LIFE.toScale(List.of("x")).bounds().get(1).place()).isBetween(0.2, 0.3);
    }

    @Test
    void requestsLieInThePartOfTheirKeyInTheOrderOfKeysAndBelongToWhoHeldItThen() {
        KeySpace dotted = LIFE.dotted(List.of(
                new Request(5, "z"),
                new Request(25, "n"),
                new Request(25, "b"),
                new Request(26, "n"),
                new Request(60, "b")));

        assertThat(dotted.dots())
                .containsExactly(
                        new Dot(5, 0.875, "server-1"),
                        new Dot(25, 0.625, "server-2"),
                        new Dot(25, 0.25, "server-1"),
                        new Dot(26, 0.625, "server-2"),
                        new Dot(60, 0.25, ""));
        assertThat(dotted.heads()).endsWith("requests");
        assertThat(dotted.rows().stream().map(row -> row.get(5))).containsExactly("1", "1", "0", "2", "0", "0", "0");
    }

    @Test
    void tableSaysTheSameAsThePicture() {
        assertThat(LIFE.heads()).containsExactly("keys", "range", "server", "from", "until");
        assertThat(LIFE.rows())
                .containsExactly(
                        List.of("a on", "1", "server-1", "0", "10"),
                        List.of("a to m", "2", "server-1", "10", "40"),
                        List.of("m on", "3", "server-1", "10", "20"),
                        List.of("m on", "3", "server-2", "20", "30"),
                        List.of("m on", "3", "server-2, not served", "30", "32"),
                        List.of("m on", "3", "server-1", "32", "40"),
                        List.of("a on", "4", "server-1", "40", "50"));
    }

    @Test
    void pictureHasARectangleForEachFieldAHatchForWhatNobodyServesAndALegend() {
        String svg = Chart.of("Keys", "seconds", List.of(LIFE)).svg();

        assertThat(count(svg, "<rect class=\"field\"")).isEqualTo(7);
        // One in the strip, and one in the legend.
        assertThat(count(svg, "<path class=\"hatch\"")).isEqualTo(2);
        assertThat(svg)
                .contains(">server-1</text>", ">server-2</text>", ">not served</text>", ">a</text>", ">m</text>")
                .contains("not to scale")
                .contains("<title>range 3: m on by server-2, not served from 30 until 32</title>")
                .contains(
                        "PartitionKey by seconds: a on by server-1 from 0 until 10, a to m by server-1 from 10 until 40");
        assertThat(Chart.of("Keys", "seconds", List.of(LIFE.toScale(List.of("a", "m"))))
                        .svg())
                .contains("as high as there are partitions")
                .doesNotContain("not to scale");
    }

    /** From 0 to 50 s are 666 pixels from the 78th on; the strip is 210 high. */
    @Test
    void rectanglesLieWhereTheirTimesAndKeysAre() {
        String svg = Chart.of("Keys", "seconds", List.of(LIFE)).svg();
        Matcher fields = Pattern.compile(
                        "class=\"field\" x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\" height=\"([0-9.]+)\"")
                .matcher(svg);
        assertThat(fields.find()).isTrue();
        double top = Double.parseDouble(fields.group(2)) - 0.8;
        assertThat(Double.parseDouble(fields.group(1))).isEqualTo(78.8);
        assertThat(Double.parseDouble(fields.group(3))).isEqualTo(131.6);
        assertThat(Double.parseDouble(fields.group(4))).isEqualTo(208.4);

        assertThat(fields.find()).isTrue();
        assertThat(fields.find()).isTrue();
        assertThat(Double.parseDouble(fields.group(1))).isEqualTo(212.0);
        assertThat(Double.parseDouble(fields.group(2))).isEqualTo(top + 105.8);
        assertThat(Double.parseDouble(fields.group(4))).isEqualTo(103.4);
    }

    @Test
    void serverHasTheSameColourInTheStripAndInTheLinesBelowIt() {
        String svg = Chart.of(
                        "Keys",
                        "seconds",
                        List.of(
                                LIFE,
                                new Chart.Plot(
                                        Chart.Kind.LINES,
                                        "entities/s",
                                        110,
                                        List.of(new Chart.Series("server-2", List.of(0.0, 50.0), List.of(1.0, 2.0))),
                                        false)))
                .svg();

        assertThat(svg).contains("stroke=\"" + Svg.colour(1) + "\" stroke-width=\"1.6\"");
        assertThat(count(svg, ">server-2</text>")).isEqualTo(2); // The legend, and the field.
    }

    @Test
    void keysOfStrangersAreEscapedAndShortened() {
        String svg = Chart.of(
                        "Keys",
                        "seconds",
                        List.of(KeySpace.of(
                                "key", List.of(new Moment(0, List.of(held("1", "<script>alert(1)", "a&b")))), 1)))
                .svg();

        assertThat(svg).contains("&lt;script&gt;a…", "a&amp;b").doesNotContain("<script>");
    }

    @Test
    void nothingSeenIsDrawnAsNothing() {
        String svg = Chart.of("Keys", "seconds", List.of(KeySpace.of("key", List.of(), 1)))
                .svg();

        assertThat(svg).doesNotContain("NaN", "Infinity");
        assertThat(count(svg, "class=\"field\"")).isZero();
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }
}
