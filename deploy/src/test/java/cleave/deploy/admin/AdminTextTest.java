package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.HandoffNumber;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.wire.Event;
import cleave.wire.HandoffState;
import cleave.wire.Setting;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdminTextTest {
    @Test
    void handoffsAreListedWithWhoWantedThemAndWhy() {
        HandoffState move = HandoffState.newBuilder()
                .setHandoff(HandoffNumber.of(3, 17))
                .setKind("move")
                .addRanges(Row.id(9, 0))
                .setFrom("s1")
                .addTo("s2")
                .setStep("catch up")
                .setMillis(1_240)
                .setAsker("drain")
                .setReason("s1.4 is draining")
                .build();
        assertThat(AdminText.handoffs(List.of(move))).isEqualTo("""
                        HANDOFF  KIND  RANGES  FROM  TO  STEP      SECONDS  ASKER  REASON
                           3.17  move     9.0  s1    s2  catch up      1.2  drain  s1.4 is draining
                        """);
        assertThat(AdminText.handoffs(List.of())).isEqualTo("No handoff is under way.\n");
    }

    @Test
    void anEventIsOneLine() {
        Event event = Event.newBuilder()
                .setNumber(7)
                .setTicks(Ticks.of(Instant.parse("2026-11-21T02:03:04.567Z")))
                .setKind("handoff-given-up")
                .setHandoff(HandoffNumber.of(3, 17))
                .addRanges("9.0")
                .addServers("s1.4")
                .addServers("s2.5")
                .setReason("operator: an operator's move")
                .addEvidence(Setting.newBuilder().setName("ended").setValue("BUSY"))
                .addRejected("later")
                .build();
        assertThat(AdminText.event(event))
                .isEqualTo("2026-11-21T02:03:04.567Z handoff-given-up handoff=3.17 ranges=9.0 servers=s1.4,s2.5:"
                        + " operator: an operator's move; ended=BUSY; not done: later\n");
    }
}
