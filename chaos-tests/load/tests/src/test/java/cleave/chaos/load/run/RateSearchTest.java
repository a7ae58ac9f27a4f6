package cleave.chaos.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.DoublePredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateSearchTest {
    private static final double LIMIT_MILLIS = 20;

    private final List<Double> rates = new ArrayList<>();

    private RateSearch ended(double first, DoublePredicate isKept) {
        RateSearch search = RateSearch.from(first);
        while (!search.isEnded()) {
            rates.add(search.rate());
            search = search.after(isKept.test(search.rate()));
        }
        return search;
    }

    @Test
    void theRateIsDoubledUntilItBreaksTwiceAndThenBisected() {
        RateSearch search = ended(100, rate -> rate <= 730);

        assertThat(rates).containsExactly(100.0, 200.0, 400.0, 800.0, 800.0, 600.0, 700.0, 750.0, 750.0, 725.0);
        assertThat(search.kept()).isEqualTo(725);
        assertThat(search.broken()).isEqualTo(750);
    }

    @Test
    void aFirstRateThatBreaksIsHalved() {
        RateSearch search = ended(1000, rate -> rate <= 260);

        assertThat(rates).startsWith(1000.0, 1000.0, 500.0, 500.0, 250.0);
        assertThat(search.kept()).isEqualTo(257.8125);
        assertThat(search.broken()).isEqualTo(265.625);
    }

    @Test
    void aServiceThatKeepsNoRateEndsTheSearchAtATenthOfTheFirst() {
        RateSearch search = ended(100, rate -> false);

        assertThat(rates).containsExactly(100.0, 100.0, 50.0, 50.0, 25.0, 25.0, 12.5, 12.5);
        assertThat(search.kept()).isZero();
        assertThat(search.broken()).isEqualTo(12.5);
    }

    @Test
    void aRateThatBreaksOnceByChanceIsKept() {
        int[] steps = {0};
        RateSearch search = ended(100, rate -> ++steps[0] != 3 && rate <= 1000);

        assertThat(rates).startsWith(100.0, 200.0, 400.0, 400.0, 800.0);
        assertThat(search.kept()).isBetween(1000 / 1.05, 1000.0);
    }

    /** The p99 of a queue with exponential times, as it is measured: with an error of 15 %, and a pause in one step of fifty. */
    private static double measuredMillis(double rate, double capacity, Random random) {
        double wait = rate < capacity ? 1000 * Math.log(100) / (capacity - rate) : 10_000;
        double pause = random.nextInt(50) == 0 ? 20 : 1;
        return wait * pause * Math.exp(0.15 * random.nextGaussian());
    }

    @ParameterizedTest
    @ValueSource(doubles = {1000, 3000, 20_000, 250_000})
    void noiseAndPausesHideTheRateRarely(double capacity) {
        double truth = capacity - 1000 * Math.log(100) / LIMIT_MILLIS;
        long close = LongStream.range(0, 400)
                .filter(seed -> {
                    Random random = new Random(seed);
                    RateSearch search = ended(100, rate -> measuredMillis(rate, capacity, random) < LIMIT_MILLIS);
                    return Math.abs(search.kept() / truth - 1) < 0.2;
                })
                .count();

        assertThat(close).isGreaterThan(380);
        assertThat(rates.size() / 400).isLessThan(30);
    }
}
