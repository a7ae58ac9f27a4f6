package cleave.chaos.lab.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.Measurement;
import cleave.chaos.lab.RecordedRun;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.picture.KeySpace;
import cleave.chaos.picture.KeySpace.Held;
import cleave.chaos.picture.MessageDiagram;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calculations and reports of scripts, and the messages about wrong ones. The labs show what requests do. */
class ScriptTest {
    private final RecordedRun recorded = new RecordedRun();

    private void play(String script) throws IOException {
        Script.read("my-lab.md", 11, script.lines().toList()).run(recorded.run());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            1 + 2 * 3 - 4 / 2            | 5
            (1 + 2) * 3 % 4              | 1
            7 / 2                        | 3.5
            -2 * -3                      | 6
            small(1_000, 2)              | 1000
            0.5 + 0.5                    | 1
            3_155_378_975_999_999_999 - 1 | 3155378975999999998
            1..4                         | [1, 2, 3, 4]
            [1, "a", 2 > 1]              | [1, a, true]
            [1, 2] + [3]                 | [1, 2, 3]
            [i in 1..9 if i % 2 == 0: i * i] | [4, 16, 36, 64]
            [7, 8, 9][1]                 | 8
            not 1 == 2 and "a" < "b" or 1 / 0 > 1 | true
            [1, 2] == [1.0, 2.0] and "a" != "b" | true
            sum([1, 2, 3]) / count([1, 2, 3]) | 2
            min([3, 1]) + max([3, 1])    | 4
            all([true, 1 < 2])           | true
            first(2, 5..9) + last(1, 5..9) | [5, 6, 9]
            place("b", ["a", "b"]) + place("c", ["a", "b"]) | 2
            reversed(sorted(distinct([2, 1, 2]))) | [2, 1]
            most(["a", "b", "a"])        | 2
            split("1,2,", ",")           | [1, 2]
            join([1, 2], "-")            | 1-2
            replace("abc", "b", "d")     | adc
            length("abc") + number("0012") | 15
            floor(7 / 2) + ceiling(7 / 2) | 7
            repeat("ab", 2)              | abab
            count(bytes(5))              | 'my-lab.md
            employees("Sales", 223)[222].EmailAddress | jonesj@contoso.com
            count(distinct([e in employees("Sales", 400): e.EmailAddress])) | 400
            "{1 + 1} is {2:4}, {12345:,}, {2 / 3:.2}" | 2 is 0002, 12,345, 0.67
            "{[i in 1..2: i]}"           | [1, 2]
            """)
    void expressionsHaveTheValueThatTheirReaderExpects(String expression, String value) throws IOException {
        if (value.startsWith("'")) {
            assertThatThrownBy(() -> play("say count(bytes(5))"))
                    .hasMessageEndingWith("is no list; my-lab.md, line 11");
            return;
        }
        play("say " + expression);

        assertThat(recorded.said()).containsExactly(value);
    }

    @Test
    void rowsOfListsAndLoopsAndChartsAreReported() throws IOException {
        play("""
                # A comment, and an empty line.

                n = 2
                for i in 1..n
                  for k in [10, 20]
                    sums += i * k
                say "Of {n}
                  numbers."
                table "Sums"
                  | sum | of
                  | {sums} | {n}
                  | all | {sum(sums)}
                bars "Bars" "sums" by "place" logarithmic
                  | | sum
                  | {[1, 2, 3, 4]} | {sums}
                lines "Lines" "sums" by "place"
                  | sum | {1..4} | {sums}
                claim "they are many"
                  sum(sums) == 90 and count(sums) == 4
                  seen "{sums}"
                claim "they are few" n < 2 seen "{n}"
                """);

        assertThat(recorded.said()).containsExactly("Of 2 numbers.");
        assertThat(recorded.rows())
                .containsExactly(
                        List.of("10", "2"),
                        List.of("20", "2"),
                        List.of("20", "2"),
                        List.of("40", "2"),
                        List.of("all", "90"));
        assertThat(recorded.drawn()).containsExactly("Bars", "Lines");
        assertThat(recorded.claims()).containsExactly("holds they are many", "FAILS they are few");
    }

    @Test
    void stripIsAPictureOfTheKeySpaceWithLinesBelowItAndATable() throws IOException {
        play("""
                seen = measured by "cleave.chaos.lab.script.ScriptTest$KeysOfARun"
                strip "Keys" by "seconds" marked [mark(3, "killed")]
                  | PartitionKey | {seen.keys} | {["a", "b", "m"]}
                  | entities/s | {seen.loads}
                strip "Requests" by "requests"
                  | one | {seen.keys} | | {["n", "a"]}
                  | other | {seen.keys}
                draw seen.diagram
                """);

        assertThat(recorded.drawn()).containsExactly("Keys", "Requests", "A story");
        Chart first = (Chart) recorded.pictures().get(0);
        assertThat(first.keySpaces().get(0).isToScale()).isTrue();
        assertThat(first.series()).extracting(Series::name).containsExactly("server-1");
        assertThat(first.marks()).hasSize(1);
        Chart second = (Chart) recorded.pictures().get(1);
        assertThat(second.keySpaces()).extracting(keys -> keys.dots().size()).containsExactly(2, 0);
        assertThat(recorded.rows())
                .containsExactly(
                        List.of("a to m", "1", "server-1"),
                        List.of("m on", "2", "server-2"),
                        List.of("a to m", "1", "server-1", "1"),
                        List.of("m on", "2", "server-2", "1"),
                        List.of("a to m", "1", "server-1"),
                        List.of("m on", "2", "server-2"));
    }

    /** What a strip may show. */
    static final class KeysOfARun implements Measurement {
        record Seen(KeySpace keys, List<Series> loads, MessageDiagram diagram) {}

        @Override
        public Seen of(LabRun run) {
            KeySpace keys = KeySpace.of(
                    "PartitionKey",
                    List.of(new KeySpace.Moment(
                            0, List.of(new Held("1", "a", "server-1", true), new Held("2", "m", "server-2", true)))),
                    5);
            return new Seen(
                    keys,
                    List.of(new Series("server-1", List.of(0.0, 5.0), List.of(1.0, 2.0))),
                    new MessageDiagram("A story", List.of("c1"), List.of()));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            querry staff                 | there is no verb 'querry'
            n = 1 +                      | the end of the line should be a value: a name, a number, a "text" or a [list]
            n = m + 1                    | there is no 'm' before this line; there are []
            n = round(1)                 | there is no function 'round'; there are [all, blob,
            n = floor(1, 2)              | floor takes 1 values, not 2
            n = 1 2                      | '2' should be the end of the line
            n = 1 ? 2                    | '? 2' begins with no word, number, sign or "text"
            say "{1 +}"                  | the end of the line should be a value
            query staff                  | there is no 'staff' before this line
            claim "so" true              | the end of the line should be 'seen'
            bars "Title" "unit"          | bars needs rows below, '| CELL | CELL', with as many cells each
            strip "Title" by "seconds"   | strip needs rows below
            once 1                       | '1' should be a request
            for 1 in 2                   | '1' should be a name
            """)
    void whatIsNoScriptIsRefusedWithItsLine(String script, String message) {
        assertThatThrownBy(() -> play("# A comment.\n" + script))
                .hasMessageStartingWith("my-lab.md:12: ")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            claim "so" 1 seen "1"        | '1' is neither true nor false
            say "a" + 1                  | 'a' is no number
            say [1][1]                   | there is no item 1 of 1
            say "a".status               | 'a' has no status
            for i in 1                   | '1' is no list
            """)
    void whatDoesNotFitEndsTheLabWithItsLine(String script, String message) {
        assertThatThrownBy(() -> play(script)).hasMessage(message + "; my-lab.md, line 11");
    }
}
