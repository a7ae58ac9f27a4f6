package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.load.report.Provenance;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.report.Summary.Setting;
import cleave.chaos.load.report.Summary.Verified;
import cleave.chaos.load.report.Summary.WarmUp;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StressCommandTest {
    private static final double SECONDS = 10;

    private static Count done(long operations, long entities) {
        return new Count(operations, 0, 0, 0, entities, 0);
    }

    private static Summary of(Map<Action, Count> counts, long neverSent) {
        return of(counts, neverSent, Schedule.constant(100, SECONDS));
    }

    private static Summary of(Map<Action, Count> counts, long neverSent, @Nullable Schedule schedule) {
        Setting setting = new Setting(
                Instant.parse("2026-01-02T03:04:05Z"),
                "http://127.0.0.1:10002/devstoreaccount1",
                "StressT",
                "test",
                "a mix",
                schedule,
                8,
                "none",
                1,
                new Provenance("a machine", -1, "cleave load stress", "1"));
        return new Summary(
                setting,
                WarmUp.NONE,
                SECONDS,
                counts,
                Map.of(),
                new Histogram(3),
                new Histogram(3),
                Map.of(),
                neverSent,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Verified.NOT,
                List.of(),
                null);
    }

    /** Entities count, not operations, and a read-modify-write is one of each. */
    @Test
    void ratesAreThoseOfEntitiesReadAndWritten() {
        Summary summary = of(
                Map.of(
                        Action.PAGE, done(1_000, 9_000),
                        Action.TRANSACTION, done(500, 5_000),
                        Action.READ_MODIFY_WRITE, done(300, 600)),
                0);

        assertThat(StressCommand.rates(summary))
                .contains("GET 930 entities/s, PUT 530 entities/s, together 1,460 of 2,000.");
    }

    @Test
    void aPartitionAboveTheTargetIsTooCoarse() {
        assertThat(StressCommand.verdict(of(Map.of(Action.GET, done(20_010, 20_010)), 0)))
                .startsWith("This key is too coarse: its partition does 2,001 entities/s");
    }

    @Test
    void aPartitionAtTheTargetIsFineEnough() {
        assertThat(StressCommand.verdict(of(Map.of(Action.GET, done(20_000, 20_000)), 0)))
                .startsWith("This key is fine enough for this load: 2,000 of 2,000 entities/s.");
    }

    @Test
    void whatRefusedSomeOfTheLoadOrWasNotSentAllOfItIsNotJudged() {
        Summary refused = of(Map.of(Action.GET, new Count(900, 100, 0, 0, 900, 0)), 0);
        Summary late = of(Map.of(Action.GET, done(900, 900)), 100);

        assertThat(StressCommand.verdict(refused))
                .startsWith("No verdict: the partition did 90 entities/s, but 100 operations failed.");
        assertThat(StressCommand.verdict(late))
                .startsWith("No verdict: the partition did 90 entities/s, but the demanded rate was not reached.");
    }

    /** The same load on a slow machine and on a fast one: neither says anything of the key. */
    @Test
    void withoutADemandThereIsNoVerdictHoweverMuchThePartitionDid() {
        for (long entities : List.of(13_680L, 59_280L)) {
            String verdict = StressCommand.verdict(of(Map.of(Action.GET, done(entities, entities)), 0, null));

            assertThat(verdict)
                    .startsWith("No verdict, since nothing was demanded: one partition can do ")
                    .contains("--rate")
                    .doesNotContain("This key is");
        }
    }
}
