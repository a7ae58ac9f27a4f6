package cleave.dfs.bookkeeper.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.policy.FenceTimes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SweepsTest {
    private static final Name FENCED = new Name(Name.Kind.DELETED_FENCED, 7, 0);
    private static final Name UNBORN = new Name(Name.Kind.DELETED, Name.NO_LEDGER, 0);

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
        for (long zxid = 1; zxid <= 300; zxid++) {
            sweeps = sweeps.with(zxid);
        }

        assertThat(sweeps.zxids()).hasSize(Sweeps.COUNT_MAX).endsWith(300L);
        assertThat(Retention.STANDARD.isOver(UNBORN, sweeps.intervalsSince(0))).isTrue();
    }

    @Test
    void aFenceIsKeptForADayOfWholeIntervalsAndANameThatNeverHadALedgerForAWeek() {
        assertThat(Retention.STANDARD.isOver(FENCED, 23)).isFalse();
        assertThat(Retention.STANDARD.isOver(FENCED, 24)).isTrue();
        assertThat(Retention.STANDARD.isOver(UNBORN, 167)).isFalse();
        assertThat(Retention.STANDARD.isOver(UNBORN, 168)).isTrue();
        assertThat(Retention.STANDARD.isOver(FENCED.as(Name.Kind.DELETED), 0)).isFalse();
        assertThat(Retention.STANDARD.isOver(FENCED.as(Name.Kind.DELETED), 1)).isTrue();
    }

    @Test
    void ledgersAreLookedAtEverySixHours() {
        Retention rare = new Retention(FenceTimes.DEFAULT, TimeUnit.DAYS.toNanos(7), TimeUnit.HOURS.toNanos(12));

        assertThat(LongStream.range(0, 13).filter(Retention.STANDARD::looksAtLedgers))
                .containsExactly(0L, 6L, 12L);
        assertThat(rare.looksAtLedgers(1)).isTrue();
    }
}
