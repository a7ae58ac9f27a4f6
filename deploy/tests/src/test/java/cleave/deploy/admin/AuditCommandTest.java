package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Ticks;
import cleave.wire.OperatorAct;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuditCommandTest {
    private static final Instant NOW = Instant.parse("2026-11-21T02:03:04Z");
    private static final OperatorAct ACT = OperatorAct.newBuilder()
            .setNumber(17)
            .setTicks(Ticks.of(NOW))
            .setCaller("CN=alice")
            .setTold("alice@laptop")
            .setWhat("drain")
            .setArguments("server=s1")
            .setOutcome("OK")
            .build();

    @ParameterizedTest
    @CsvSource({
        "90s, 2026-11-21T02:01:34Z",
        "15m, 2026-11-21T01:48:04Z",
        "2h, 2026-11-21T00:03:04Z",
        "7d, 2026-11-14T02:03:04Z",
        "2026-03-01T08:00:00Z, 2026-03-01T08:00:00Z"
    })
    void theTimeIsAnAgeOrAnInstant(String text, Instant since) {
        assertThat(AuditCommand.since(text, NOW)).isEqualTo(since);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2", "h", "-2h", "2w", "yesterday", "2026-03-01", "9999999d"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> AuditCommand.since(text, NOW)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anActIsALineThatSaysWhatIsNotVerified() {
        assertThat(AuditCommand.text(ACT, ZoneOffset.UTC))
                .isEqualTo("2026-11-21 02:03:04  CN=alice (unverified: alice@laptop)  drain server=s1  OK\n");
        assertThat(AuditCommand.text(ACT.toBuilder().clearTold().clearOutcome().build(), ZoneOffset.UTC))
                .isEqualTo("2026-11-21 02:03:04  CN=alice  drain server=s1  no outcome\n");
    }

    @Test
    void andAnObject() {
        assertThat(AuditCommand.json(ACT))
                .isEqualTo(
                        "{\"number\":17,\"time\":\"2026-11-21T02:03:04Z\",\"caller\":\"CN=alice\","
                                + "\"unverified\":\"alice@laptop\",\"act\":\"drain\",\"arguments\":\"server=s1\",\"outcome\":\"OK\"}\n");
    }
}
