package cleave.chaos.load.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.load.report.Comparison.Change;
import cleave.chaos.load.report.MergedSummary.Part;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    private static Part part(
            String name, Summary.Setting setting, int seconds, double p99, double rate, long neverSent) {
        Random random = new Random(name.hashCode());
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount((long) (p99 * 1e6), (long) (rate * seconds));
        long done = latency.getTotalCount();
        return new Part(
                name,
                new Summary(
                        setting,
                        Summary.WarmUp.NONE,
                        seconds,
                        Map.of(Action.GET, new Count(done, 3, 0, 0, done, 0)),
                        Map.of(Action.GET, latency),
                        latency,
                        new Histogram(3),
                        Map.of(),
                        neverSent,
                        List.of(),
                        IntStream.range(1, seconds + 1)
                                .mapToObj(second -> {
                                    double noise = Math.exp(0.1 * random.nextGaussian());
                                    return new Second(
                                            second, 1, 0, rate, 0, 0, 1, p99 * noise, 2 * p99 * noise, 3 * p99 * noise);
                                })
                                .toList(),
                        List.of(),
                        List.of(),
                        Summary.Verified.NOT,
                        List.of(),
                        null));
    }

    private static Part closed(String name, double p99, double rate) {
        return part(name, TestSettings.of("get", null, 16), 60, p99, rate, 0);
    }

    private static Comparison compared(Part first, Part second, double tolerance) {
        return Comparison.of(List.of(first), List.of(second), tolerance);
    }

    /** The worst of three runs is as bad as one that would be worse alone. */
    @Test
    void aRunThatDiffersFromTheOthersOfItsLoadMakesNoDifferenceSure() {
        List<Part> steady = List.of(closed("a1", 10, 2000), closed("a2", 10, 2000), closed("a3", 10, 2000));
        List<Part> uneven = List.of(closed("b1", 10, 2000), closed("b2", 30, 2000), closed("b3", 10, 2000));

        Comparison comparison = Comparison.of(steady, uneven, 0.05);

        assertThat(comparison.rows().get(1).change()).isEqualTo(Change.UNCLEAR);
        assertThat(comparison.toString())
                .contains("\nA: a3, ", "\nB: b1, ", "bootstrap over the runs and the seconds")
                .doesNotContain("give several of each");
        assertThat(compared(steady.get(0), uneven.get(1), 0.05).isWorse()).isTrue();
    }

    @Test
    void whatIsSlowerByMoreThanChanceAndToleranceIsWorse() {
        Comparison comparison = compared(closed("a.json", 10, 2000), closed("b.json", 14, 2000), 0.05);

        assertThat(comparison.rows())
                .extracting(Comparison.Row::change)
                .containsExactly(Change.SAME, Change.WORSE, Change.WORSE, Change.SAME);
        assertThat(comparison.isWorse()).isTrue();
        assertThat(comparison.toString())
                .contains(
                        "A: a.json, begun at 1970-01-01T00:00:00Z on http://h:1/a, sent by cleave 1, load average 0.5")
                .containsPattern(
                        "\np99 +10\\.\\d\\d ms +14\\.\\d\\d ms   1\\.\\d\\d \\(1\\.\\d\\d to 1\\.\\d\\d\\)  WORSE\n")
                .containsPattern("\nrate +2,000.0/s +2,000.0/s   1.00 \\(1.00 to 1.00\\)  the same\n")
                .containsPattern("\nerrors +3 +3 ");
    }

    @Test
    void aLowerRateIsWorseAndAHigherOneBetter() {
        Comparison worse = compared(closed("a", 10, 2000), closed("b", 10, 1500), 0.05);
        Comparison better = compared(closed("b", 14, 1500), closed("a", 10, 2000), 0.05);

        assertThat(worse.rows().get(3).change()).isEqualTo(Change.WORSE);
        assertThat(better.rows())
                .extracting(Comparison.Row::change)
                .containsExactly(Change.SAME, Change.BETTER, Change.BETTER, Change.BETTER);
        assertThat(better.isWorse()).isFalse();
    }

    @Test
    void aDifferenceWithinTheToleranceIsNone() {
        assertThat(compared(closed("a", 10, 2000), closed("b", 14, 2000), 0.8).isWorse())
                .isFalse();
    }

    @Test
    void differentLoadsAreRefusedWithWhatDiffers() {
        Part one = closed("a.json", 10, 2000);
        Part other = part("b.json", TestSettings.of("insert", Schedule.constant(500, 60), 32), 60, 10, 500, 0);

        assertThatThrownBy(() -> compared(one, other, 0.05))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a.json and b.json cannot be compared, since they are of different loads: workload get (100%"
                                + " get) and insert (100% get); pace a closed loop and 500/s; connections 16 and 32");
    }

    @Test
    void theDurationMayDifferButNotTheRate() {
        Part half = part("a", TestSettings.of("get", Schedule.constant(500, 30), 16), 30, 10, 500, 0);
        Part whole = part("b", TestSettings.of("get", Schedule.constant(500, 60), 16), 60, 10, 500, 0);
        Part faster = part("c", TestSettings.of("get", Schedule.constant(600, 60), 16), 60, 10, 600, 0);

        assertThat(compared(half, whole, 0.05).isWorse()).isFalse();
        assertThatThrownBy(() -> compared(half, faster, 0.05)).hasMessageContaining("pace 500/s and 600/s");
    }

    @Test
    void whatSaysTooLittleIsRefused() {
        Part brief = part("a", TestSettings.of("get", null, 16), 29, 10, 500, 0);
        Part late = part("b", TestSettings.of("get", Schedule.constant(500, 60), 16), 60, 10, 500, 5000);
        Part steps = part("c", TestSettings.of("get", Schedule.steps(List.of(5.0, 6.0), 30), 16), 60, 10, 500, 0);

        assertThatThrownBy(() -> compared(brief, brief, 0.05)).hasMessageStartingWith("a has 29 whole seconds");
        assertThatThrownBy(() -> compared(late, late, 0.05)).hasMessageStartingWith("b did not reach its rate");
        assertThatThrownBy(() -> compared(steps, steps, 0.05)).hasMessageStartingWith("c is of several rates");
    }
}
