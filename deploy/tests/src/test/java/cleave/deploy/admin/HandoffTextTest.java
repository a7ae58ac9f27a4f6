package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.HandoffNumber;
import cleave.model.Row;
import cleave.wire.HandoffState;
import cleave.wire.StepTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandoffTextTest {
    private static final HandoffState MOVE = HandoffState.newBuilder()
            .setHandoff(HandoffNumber.of(3, 17))
            .setKind("move")
            .addRanges(Row.id(9, 0))
            .setFrom("s1")
            .addTo("s2")
            .setStep("prepare")
            .setMillis(1_240)
            .addSteps(StepTime.newBuilder().setStep("prepare").setMillis(80))
            .setAsker("drain")
            .setReason("s1.4 is draining")
            .build();

    private static final HandoffState MERGE = MOVE.toBuilder()
            .setKind("merge")
            .addRanges(Row.id(9, 1))
            .clearTo()
            .addTo("s1")
            .setAsker("balancer")
            .setReason("cold: two neighbours had little load for a long time")
            .setStep("switch")
            .build();

    @Test
    void aLineTellsWhatIsDoneAndWhoRequestedItAndWhy() {
        assertThat(HandoffText.text(List.of(MOVE, MERGE), false)).isEqualTo("""
                        3.17  Move of range 9.0 from s1 to s2, which the targets prepare while the sources serve. Reason: s1.4 is draining.
                        3.17  Merge of ranges 9.0 and 9.1 at s1, which switches now: requests wait. Decided by the balancer: two neighbours had little load for a long time.
                        """);
        assertThat(HandoffText.text(List.of(), true)).isEqualTo("No handoff is under way.\n");
    }

    @Test
    void whatAnEarlierLeaderOrderedIsListedWithoutItsReason() {
        HandoffState found = MOVE.toBuilder()
                .clearKind()
                .clearTo()
                .clearAsker()
                .clearReason()
                .setStep("newer step")
                .build();
        assertThat(HandoffText.text(List.of(found), false))
                .isEqualTo("3.17  Handoff of range 9.0 of s1, newer step. The leader that ordered it is gone.\n");
    }

    @Test
    void figuresFollowOnRequest() {
        assertThat(HandoffText.text(List.of(MOVE), true))
                .endsWith("\n    step=prepare  millis=1240  prepare from 80\n");
    }

    @Test
    void programsGetAllOfIt() {
        assertThat(HandoffText.json(List.of(MOVE)).replaceAll("\\s+", ""))
                .isEqualTo(
                        "{\"handoffs\":[{\"handoff\":\"3.17\",\"kind\":\"move\",\"ranges\":[\"9.0\"],\"from\":\"s1\","
                                + "\"to\":[\"s2\"],\"step\":\"prepare\",\"millis\":1240,"
                                + "\"steps\":[{\"step\":\"prepare\",\"millis\":80}],\"asker\":\"drain\","
                                + "\"reason\":\"s1.4isdraining\"}]}");
    }
}
