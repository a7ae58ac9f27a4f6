package cleave.dfs.bookkeeper.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.bookkeeper.state.Retention.Due;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepsTest {
    private static final Name FENCED = new Name(Name.Kind.DELETED_FENCED, 7, 0);

    /** Between the deletion and the first sweep behind it, any part of an interval may have passed. */
    @Test
    void onlyWholeIntervalsBehindAChangeCount() {
        Sweeps sweeps = new Sweeps(List.of(10L, 20L, 30L));

        assertThat(List.of(5L, 15L, 25L, 35L)).map(sweeps::intervalsSince).containsExactly(2L, 1L, 0L, 0L);
        assertThat(sweeps.with(40).intervalsSince(15)).isEqualTo(2);
    }

    @Test
    void sweepsAreReadAsTheyWereWritten() {
        Sweeps sweeps = new Sweeps(List.of(0x10L, 0x7_0000_0001L));

        assertThat(new String(sweeps.data(), StandardCharsets.US_ASCII)).isEqualTo("10 700000001");
        assertThat(Sweeps.parse(sweeps.data())).isEqualTo(sweeps);
        assertThat(Sweeps.parse(new byte[0])).isEqualTo(Sweeps.NONE);
        assertThatThrownBy(() -> Sweeps.parse("hello".getBytes(StandardCharsets.US_ASCII)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void soManyAreKeptThatTheAgeOfATombstoneCanBeTold() {
        Sweeps sweeps = Sweeps.NONE;
        for (long zxid = 1; zxid <= 100; zxid++) {
            sweeps = sweeps.with(zxid);
        }

        assertThat(sweeps.zxids()).hasSize(Sweeps.COUNT_MAX).endsWith(100L);
        assertThat(Retention.STANDARD.due(FENCED.withoutLedger(), sweeps.intervalsSince(0)))
                .isEqualTo(Due.FORGET);
    }

    @Test
    void aFenceIsKeptForADayOfWholeIntervalsAndANameForAWeek() {
        assertThat(Retention.STANDARD.due(FENCED, 3)).isEqualTo(Due.NOTHING);
        assertThat(Retention.STANDARD.due(FENCED, 4)).isEqualTo(Due.DELETE_LEDGER);
        assertThat(Retention.STANDARD.due(FENCED.withoutLedger(), 27)).isEqualTo(Due.NOTHING);
        assertThat(Retention.STANDARD.due(FENCED.withoutLedger(), 28)).isEqualTo(Due.FORGET);
        assertThat(Retention.STANDARD.due(FENCED.as(Name.Kind.DELETED), 0)).isEqualTo(Due.DELETE_LEDGER);
    }
}
