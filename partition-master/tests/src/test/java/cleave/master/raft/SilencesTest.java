package cleave.master.raft;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.raft.Silences.Report;
import cleave.master.raft.Silences.Sign;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SilencesTest {
    private static final long INTERVAL = 4_000;

    private final Silences silences = new Silences(INTERVAL);

    @Test
    void aMemberThatStaysSilentIsReportedAtIntervalsThatDouble() {
        List<Long> reported = new ArrayList<>();
        for (long now = 0; now <= 64_000; now += INTERVAL) {
            if (silences.silent("m2", now) != Report.NOTHING) {
                reported.add(now);
            }
        }

        assertThat(reported).containsExactly(0L, 4_000L, 12_000L, 28_000L, 60_000L);
    }

    @Test
    void theIntervalsHaveALimit() {
        int reports = 0;
        for (long now = 0; now < 10_000 * INTERVAL; now += INTERVAL) {
            reports += silences.silent("m2", now) == Report.NOTHING ? 0 : 1;
        }

        assertThat(reports).isBetween(40, 50);
    }

    @Test
    void theChangesAreReported() {
        assertThat(silences.silent("m2", 1_000)).isEqualTo(Report.SILENT);
        assertThat(silences.silent("m2", 5_000)).isEqualTo(Report.STILL_SILENT);
        assertThat(silences.millis("m2", 5_000)).isEqualTo(4_000);
        assertThat(silences.answers("m2")).isEqualTo(Report.ANSWERS_AGAIN);
        assertThat(silences.answers("m2")).isEqualTo(Report.NOTHING);
        assertThat(silences.silent("m2", 9_000)).isEqualTo(Report.SILENT);
    }

    /** It judged the others while it led; now it hears from nobody else, dead or not. */
    @Test
    void aMemberThatFollowsKnowsOnlyThatItsLeaderAnswers() {
        assertThat(Silences.ofOther("m2", "m3")).isEqualTo(Sign.NONE);
        assertThat(Silences.ofOther("m3", "m3")).isEqualTo(Sign.ANSWERS);
        assertThat(Silences.ofOther("m2", null)).isEqualTo(Sign.SILENT);
    }

    @Test
    void aForgottenSilenceEndsWithoutAReport() {
        silences.silent("m2", 0);
        silences.forget("m2");

        assertThat(silences.answers("m2")).isEqualTo(Report.NOTHING);
        assertThat(silences.silent("m2", 1_000)).isEqualTo(Report.SILENT);
    }

    @Test
    void eachMemberHasIntervalsOfItsOwn() {
        silences.silent("m2", 0);

        assertThat(silences.silent("m3", 1_000)).isEqualTo(Report.SILENT);
        assertThat(silences.silent("m2", 1_000)).isEqualTo(Report.NOTHING);
    }
}
