package cleave.chaos.picture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.picture.MessageDiagram.Fate;
import cleave.chaos.picture.MessageDiagram.Message;
import cleave.chaos.picture.MessageDiagram.Sentence;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class MessageDiagramTest {
    private static final MessageDiagram STORY = new MessageDiagram(
            "A story",
            List.of("c1", "f1", "s1", "s2"),
            List.of(
                    new Message(1.5, "c1", "f1", Fate.ARRIVES, false, "GET <p>"),
                    new Message(1.5, "f1", "s2", Fate.LOST, false, "Read is lost"),
                    new Sentence(2, "s2 is cut off.", false),
                    new Message(2.25, "s1", "f1", Fate.HELD, true, "answer: Read is held back"),
                    new Sentence(3, "WRONG.", true)));

    @Test
    void eachMessageIsAnArrowBetweenTheLinesOfParticipants() {
        String svg = STORY.svg();

        assertThat(count(svg, "class=\"lifelines\"")).isEqualTo(3);
        assertThat(count(svg, "class=\"message\"")).isEqualTo(3);
        assertThat(svg)
                .containsPattern("class=\"lifelines\" d=\"M99\\.0 54V70M145\\.0 54V70M191\\.0 54V70M237\\.0 54V70\"");
        assertThat(svg)
                .contains("GET &lt;p&gt;", ">1.500 s<", ">2.250 s<", "fill=\"" + Svg.RED + "\">WRONG.<")
                .contains("<desc>s2 is cut off. WRONG.</desc>");
        assertThat(count(svg, ">1.500 s<")).isEqualTo(1);
        // Only the answer is broken.
        assertThat(count(svg, "stroke-dasharray")).isEqualTo(1);
    }

    /** The columns are 46 wide; the first one's middle is at 99. */
    @Test
    void arrowsGoFromTheirSenderToTheirReceiverAndThoseThatDoNotArriveHalfTheWay() {
        assertThat(STORY.svg())
                .containsPattern("d=\"M99\\.0 [0-9.]+H145\\.0\"")
                .containsPattern("d=\"M145\\.0 [0-9.]+H191\\.0\" stroke=\"" + Svg.RED)
                .containsPattern("d=\"M191\\.0 [0-9.]+H168\\.0\" stroke=\"" + Svg.RED);
    }

    @Test
    void participantsOfOneKindHaveOneColour() {
        String svg = STORY.svg();

        assertThat(count(svg, "fill=\"" + Svg.colour(2) + "\">s")).isEqualTo(2);
        assertThat(count(svg, "fill=\"" + Svg.colour(0) + "\">c1")).isEqualTo(1);
    }

    @Test
    void aMessageOfAStrangerIsRefused() {
        Message stray = new Message(0, "c1", "m1", Fate.ARRIVES, false, "GET");

        assertThatThrownBy(() -> new MessageDiagram("A story", List.of("c1"), List.of(stray)))
                .hasMessageContaining("is not between two of [c1]");
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }
}
