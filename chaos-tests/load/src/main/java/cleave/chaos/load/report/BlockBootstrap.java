package cleave.chaos.load.report;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleBinaryOperator;

/**
 * How a figure of one time series relates to that of another, with a nominal 99 % interval: a circular block bootstrap. It draws blocks of
 * neighbours with replacement, because neighbouring seconds of a load resemble each other, and a test that takes each as a sample of its own
 * would find differences where there are none. Of several runs it draws runs first, so that the interval also has what differs between them.
 * Of equal loads of a minute whose deviations halve from one second to the next, about 4 in 100
 * still differ by it; of half a minute, 6. Stateless, and the same for the same series.
 */
final class BlockBootstrap {
    /** Values that are drawn together. */
    static final int BLOCK = 5;

    static final int ROUNDS = 10_000;
    private static final double TAIL = 0.005;
    private static final long SEED = 1;

    private BlockBootstrap() {}

    /** A relation, and the bounds of its interval. Immutable. */
    record Interval(double estimate, double low, double high) {}

    /** The ratio of the second's mean to the first's, each of one run or several. */
    static Interval ratioOfMeans(List<double[]> first, List<double[]> second) {
        return interval(first, second, (one, other) -> other / one);
    }

    /** The same of geometric means, in which one long stall counts less; all values must be above 0. */
    static Interval ratioOfGeometricMeans(List<double[]> first, List<double[]> second) {
        return interval(logarithms(first), logarithms(second), (one, other) -> Math.exp(other - one));
    }

    private static List<double[]> logarithms(List<double[]> runs) {
        return runs.stream()
                .map(values -> Arrays.stream(values).map(Math::log).toArray())
                .toList();
    }

    private static Interval interval(List<double[]> first, List<double[]> second, DoubleBinaryOperator ofMeans) {
        SplittableRandom random = new SplittableRandom(SEED);
        double[] drawn = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            drawn[round] = ofMeans.applyAsDouble(drawnMean(first, random), drawnMean(second, random));
        }
        Arrays.sort(drawn);
        int tail = (int) (ROUNDS * TAIL);
        return new Interval(ofMeans.applyAsDouble(mean(first), mean(second)), drawn[tail], drawn[ROUNDS - 1 - tail]);
    }

    /** Of the runs' means, so that a longer run counts no more. */
    private static double mean(List<double[]> runs) {
        return runs.stream()
                .mapToDouble(values -> Arrays.stream(values).average().orElse(Double.NaN))
                .average()
                .orElse(Double.NaN);
    }

    private static double drawnMean(List<double[]> runs, SplittableRandom random) {
        double sum = 0;
        for (int run = 0; run < runs.size(); run++) {
            sum += drawnMean(runs.get(random.nextInt(runs.size())), random);
        }
        return sum / runs.size();
    }

    private static double drawnMean(double[] values, SplittableRandom random) {
        double sum = 0;
        int begin = 0;
        for (int i = 0; i < values.length; i++) {
            begin = i % BLOCK == 0 ? random.nextInt(values.length) : begin;
            sum += values[(begin + i % BLOCK) % values.length];
        }
        return sum / values.length;
    }
}
