package cleave.chaos.balance;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.balance.Moment.Share;
import cleave.wire.Event;
import cleave.wire.Setting;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class PictureTest {
    @Test
    void everyServerHasALineAndAnArea() throws Exception {
        Document picture =
                parsed(Picture.of(report(List.of(moment(-3, 1, 0), moment(0, 1, 4_000), moment(5, 4, 9_000)))));

        assertThat(picture.getElementsByTagName("polyline").getLength()).isEqualTo(2);
        assertThat(picture.getElementsByTagName("path").getLength()).isEqualTo(2);
        assertThat(picture.getDocumentElement().getTextContent()).contains("server-1", "server-2", "a load < b & c");
    }

    @Test
    void committedHandoffsAndVerdictsAreMarkedBesidesTheLegend() throws Exception {
        List<LeaderEvent> events = List.of(
                new LeaderEvent(1, begun(7, "SPLIT of [1.0] to some")),
                new LeaderEvent(
                        2,
                        Event.newBuilder()
                                .setKind(LeaderEvent.ENDED)
                                .setHandoff(7)
                                .build()),
                new LeaderEvent(3, begun(8, "MOVE of [1.0] to some")),
                new LeaderEvent(
                        4,
                        Event.newBuilder()
                                .setKind("handoff-given-up")
                                .setHandoff(8)
                                .build()),
                new LeaderEvent(
                        4.5, Event.newBuilder().setKind(LeaderEvent.VERDICT).build()));
        Report report = new Report(
                "a title", 5, List.of(), List.of(), List.of(), List.of(moment(0, 1, 0), moment(5, 2, 0)), events);

        assertThat(parsed(Picture.of(report)).getElementsByTagName("path").getLength())
                .isEqualTo(2 + 2 * 2);
    }

    @Test
    void anEmptyTrialIsDrawnToo() throws Exception {
        assertThat(parsed(Picture.of(report(List.of()))).getDocumentElement().getTagName())
                .isEqualTo("svg");
    }

    private static Event begun(long handoff, String plan) {
        return Event.newBuilder()
                .setKind(LeaderEvent.BEGUN)
                .setHandoff(handoff)
                .addEvidence(Setting.newBuilder().setName("plan").setValue(plan))
                .build();
    }

    private static Moment moment(double seconds, int ranges, double entities) {
        TreeMap<String, Share> shares = new TreeMap<>();
        shares.put("server-1", new Share(ranges, entities));
        shares.put("server-2", Share.NOTHING);
        return new Moment(seconds, shares);
    }

    private static Report report(List<Moment> moments) {
        return new Report("a load < b & c", 5, List.of(), List.of(), List.of(), moments, List.of());
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }
}
