package cleave.chaos.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Ticks;
import cleave.wire.Event;
import cleave.wire.Setting;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MarksTest {
    private static final Instant ZERO = Instant.parse("2026-01-02T03:04:05Z");

    private static Event.Builder event(double second, String kind) {
        return Event.newBuilder().setKind(kind).setTicks(Ticks.of(ZERO.plusMillis((long) (second * 1000))));
    }

    private static Setting figure(String name, String value) {
        return Setting.newBuilder().setName(name).setValue(value).build();
    }

    @Test
    void handoffsAreMarkedWhenTheyEndAndFailoversAndVerdictsAsTheyCome() {
        List<RangeMark> marks = Marks.of(
                List.of(
                        event(1, "handoff-begun").setHandoff(7).build(),
                        event(2.5, "handoff-ended")
                                .setHandoff((1L << 20) + 7)
                                .setReason("operator: ")
                                .addRanges("2.0")
                                .addEvidence(figure("kind", "split"))
                                .addEvidence(figure("from", "s1"))
                                .addEvidence(figure("to", "s1,s2"))
                                .build(),
                        event(3, "server-dead")
                                .setReason("silent for too long")
                                .addServers("s1")
                                .build(),
                        event(4, "takeover-ended")
                                .addRanges("2.1")
                                .addServers("s2")
                                .build(),
                        event(5, "verdict")
                                .addRanges("2.1")
                                .setReason("balancer: verdict: popular partition p")
                                .build(),
                        event(6, "swept").build()),
                ZERO);

        assertThat(marks)
                .containsExactly(
                        new RangeMark(
                                2.5,
                                "split",
                                "Split of range 2.0 of s1 into ranges at s1 and s2 (handoff 1.7) is done. Requested by an"
                                        + " operator."),
                        new RangeMark(
                                3,
                                "failover",
                                "Server s1 was declared dead (silent for too long): other servers take over the ranges."),
                        new RangeMark(4, "failover", "Server s2 took over range 2.1."),
                        new RangeMark(5, "verdict", "The balancer cannot improve range 2.1: popular partition p."));
    }
}
