package cleave.board.frame;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.board.Examples;
import cleave.model.Damaged;
import cleave.model.UnknownFormat;
import org.junit.jupiter.api.Test;

class FrameLinesTest {
    private final FrameReader reader = new FrameReader();

    @Test
    void aFrameIsReadAsItWasWritten() {
        Frame frame = Examples.full(17);

        assertThat(reader.frame(FrameWriter.line(frame, true))).isEqualTo(frame);
    }

    @Test
    void aFrameWithoutAxisHasTheOneBefore() {
        Frame first = Examples.full(1);
        Frame second = Examples.full(2);

        reader.frame(FrameWriter.line(first, true));
        reader.frame(FrameWriter.line(Frame.stale(5, 5000, 1000, "no leader"), false));

        assertThat(reader.frame(FrameWriter.line(second, false))).isEqualTo(second);
    }

    @Test
    void aStaleFrameSaysWhyAndNothingElse() {
        byte[] line = FrameWriter.line(Frame.stale(3, 3000, 1000, "no leader"), true);

        assertThat(new String(line, UTF_8)).isEqualTo("{\"n\":3,\"t\":3000,\"span\":1000,\"stale\":\"no leader\"}");
        assertThat(reader.frame(line).stale()).isEqualTo("no leader");
    }

    @Test
    void theHeaderIsReadAsItWasWritten() {
        Header header = new Header("cleave 1", Examples.CLUSTER, "a \"title\"", true, 5000);

        assertThat(FrameReader.header(FrameWriter.line(header))).isEqualTo(header);
    }

    @Test
    void unknownFieldsAreIgnored() {
        byte[] line = """
                {"n":1,"later":{"a":[1,{"b":[]}]},"t":2,"span":3,"axis":{"id":1,"cuts":[],"tables":[],"x":1.5},
                 "cells":{"range":[7],"owner":[0],"state":[0],"entities":[1],"written":[2],"read":[3],"scanned":[4],
                 "cpu":[5],"bytes":[6],"queue":[7],"tenth":[1.5]},"servers":[{"id":"s1","new":null}]}""".getBytes(UTF_8);

        Frame frame = reader.frame(line);

        assertThat(frame.cells().value(Measure.QUEUE, 0)).isEqualTo(7);
        assertThat(frame.parties().servers()).extracting(Parties.Server::id).containsExactly("s1");
    }

    @Test
    void aLaterVersionIsNamed() {
        assertThatThrownBy(() -> FrameReader.header("{\"recording\":2}".getBytes(UTF_8)))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("a recording of version 2");
    }

    @Test
    void whatIsNoFrameIsDamaged() {
        for (String text : new String[] {
            "",
            "[]",
            "{\"n\":\"x\"}",
            "{\"n\":1,\"axis\":{\"id\":1},\"cells\":{}}",
            "{\"n\":1e400000}",
            "{\"recording\":"
        }) {
            assertThatThrownBy(() -> reader.frame(text.getBytes(UTF_8)))
                    .as(text)
                    .isInstanceOf(Damaged.class);
        }
        assertThatThrownBy(() -> FrameReader.header("{}".getBytes(UTF_8))).isInstanceOf(Damaged.class);
    }

    @Test
    void eachSixtiethFrameHasItsAxisAgain() {
        FrameLines lines = new FrameLines();
        Axis axis = Examples.axis(1, "m");
        Axis other = Examples.axis(2, "n");

        int axes = 0;
        for (int n = 1; n <= 121; n++) {
            axes += lines.next(Examples.frame(n, axis, 1, 2)).hasAxis() ? 1 : 0;
        }

        assertThat(axes).isEqualTo(3);
        assertThat(lines.next(Examples.frame(122, axis, 1, 2)).hasAxis()).isFalse();
        assertThat(lines.next(Examples.frame(123, other, 1, 2)).hasAxis()).isTrue();
    }

    @Test
    void cutsAreInTheOrderOfTheirBytes() {
        assertThat(new Cut(3, "b")).isGreaterThan(new Cut(3, "a")).isLessThan(new Cut(4, ""));
        assertThat(new Cut(3, "ab")).isGreaterThan(new Cut(3, "a"));
        assertThat(new Cut(-1, "")).isGreaterThan(new Cut(4, "z"));
        assertThat(new Cut(3, "\uD83D\uDE00")).isGreaterThan(new Cut(3, "\uFFFD"));
    }
}
