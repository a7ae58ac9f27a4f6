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

    @Test
    void handoffsAreMarkedWhenTheyEndAndFailoversAndVerdictsAsTheyCome() {
        List<Mark> marks = Marks.of(
                List.of(
                        event(1, "handoff-begun")
                                .setHandoff(7)
                                .addEvidence(
                                        Setting.newBuilder().setName("plan").setValue("SPLIT 1.0 at x"))
                                .build(),
                        event(2.5, "handoff-ended")
                                .setHandoff(7)
                                .addRanges("2.0")
                                .addRanges("3.0")
                                .build(),
                        event(3, "server-dead").addServers("s1").build(),
                        event(4, "takeover-ended")
                                .addRanges("2.1")
                                .addServers("s2")
                                .build(),
                        event(5, "verdict")
                                .setReason("balancer: popular partition: p")
                                .build(),
                        event(6, "swept").build()),
                ZERO);

        assertThat(marks)
                .containsExactly(
                        new Mark(2.5, "split", "ranges 2.0 3.0"),
                        new Mark(3, "failover", "declared dead: s1"),
                        new Mark(4, "failover", "taken over: ranges 2.1 on s2"),
                        new Mark(5, "verdict", "balancer: popular partition: p"));
    }
}
