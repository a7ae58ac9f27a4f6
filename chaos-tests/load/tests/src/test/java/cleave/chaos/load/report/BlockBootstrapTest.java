package cleave.chaos.load.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import cleave.chaos.load.report.BlockBootstrap.Interval;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BlockBootstrapTest {
    /** Seconds of which each resembles the one before, as those of a load do. */
    private static double[] seconds(int count, double center, Random random) {
        double[] values = new double[count];
        double deviation = 0;
        for (int i = 0; i < count; i++) {
            deviation = 0.5 * deviation + 0.2 * random.nextGaussian();
            values[i] = center * Math.exp(deviation);
        }
        return values;
    }

    private static long differences(double ratio) {
        return IntStream.range(0, 200)
                .filter(seed -> {
                    Random random = new Random(seed);
                    Interval interval = BlockBootstrap.ratioOfGeometricMeans(
                            List.of(seconds(60, 10, random)), List.of(seconds(60, 10 * ratio, random)));
                    return interval.low() > 1 || interval.high() < 1;
                })
                .count();
    }

    @Test
    void loadsThatAreTheSameRarelyDifferAndOthersMostlyDo() {
        assertThat(differences(1)).isLessThan(14);
        assertThat(differences(1.5)).isGreaterThan(190);
    }

    @Test
    void theIntervalIsAroundTheEstimateAndTheSameEachTime() {
        Random random = new Random(1);
        List<double[]> one = List.of(seconds(60, 10, random));
        List<double[]> other = List.of(seconds(60, 20, random));

        Interval interval = BlockBootstrap.ratioOfMeans(one, other);

        assertThat(interval.estimate()).isEqualTo(2, within(0.3)).isBetween(interval.low(), interval.high());
        assertThat(BlockBootstrap.ratioOfMeans(one, other)).isEqualTo(interval);
    }

    @Test
    void constantSeriesHaveAnIntervalWithoutWidth() {
        double[] one = IntStream.range(0, 30).mapToDouble(i -> 4).toArray();
        double[] other = IntStream.range(0, 47).mapToDouble(i -> 6).toArray();

        assertThat(BlockBootstrap.ratioOfMeans(List.of(one), List.of(other))).isEqualTo(new Interval(1.5, 1.5, 1.5));
    }

    /** Each run is steady, but at a level of its own, so that seconds alone would be sure of a difference. */
    @Test
    void whatDiffersBetweenRunsIsInTheIntervalOfSeveral() {
        Random random = new Random(1);
        List<double[]> runs = List.of(seconds(60, 10, random), seconds(60, 20, random), seconds(60, 40, random));
        List<double[]> others = List.of(seconds(60, 12, random), seconds(60, 24, random), seconds(60, 44, random));

        Interval ofSeveral = BlockBootstrap.ratioOfGeometricMeans(runs, others);
        Interval ofOne = BlockBootstrap.ratioOfGeometricMeans(runs.subList(0, 1), runs.subList(1, 2));

        assertThat(ofSeveral.low()).isLessThan(0.7);
        assertThat(ofSeveral.high()).isGreaterThan(1.5);
        assertThat(ofOne.low()).isGreaterThan(1.4);
    }
}
