package cleave.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.client.RetryPolicy.Strategy;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The numbers are those of Azure's guide: z 30 s, zmin 3 s, zmax 90 s, 0.8 to 1.2. */
class RetryPolicyTest {
    private static final RetryPolicy GUIDE = new RetryPolicy(Strategy.EXPONENTIAL, 5, 30, 3, 90, 0.8, 1.2);

    private static double[] waits(int before) {
        Random random = new Random(1);
        return IntStream.range(0, 10_000)
                .mapToDouble(i -> GUIDE.waitSeconds(before, random))
                .sorted()
                .toArray();
    }

    @Test
    void theFirstRetryComesAfterTheLeastWait() {
        assertThat(waits(0)).containsOnly(3);
    }

    @Test
    void theSecondWaitsThreeSecondsMoreThanThirtyByChance() {
        double[] waits = waits(1);

        assertThat(Arrays.stream(waits)).allMatch(wait -> wait >= 3 + 0.8 * 30 && wait <= 3 + 1.2 * 30);
        assertThat(waits[0]).isLessThan(27.1);
        assertThat(waits[waits.length - 1]).isGreaterThan(38.9);
    }

    @Test
    void theThirdWaitsThreeTimesThatAndNoneLongerThanTheLongest() {
        assertThat(Arrays.stream(waits(2)))
                .allMatch(wait -> wait >= 3 + 0.8 * 30 * 3 && wait <= 90)
                .contains(90.0);
        assertThat(waits(3)).containsOnly(90);
        assertThat(GUIDE.waitSeconds(5, new Random(1))).as("no sixth retry").isEqualTo(-1);
    }

    @Test
    void fixedWaitsAlwaysTheSameAndNoneDoesNotWait() {
        RetryPolicy fixed = new RetryPolicy(Strategy.FIXED, 2, 30, 3, 90, 0.8, 1.2);

        assertThat(IntStream.range(0, 4).mapToDouble(i -> fixed.waitSeconds(i, new Random(i))))
                .containsExactly(30.0, 30.0, -1.0, -1.0);
        assertThat(RetryPolicy.NONE.waitSeconds(0, new Random(1))).isEqualTo(-1);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> new RetryPolicy(Strategy.FIXED, -1, 30, 3, 90, 0.8, 1.2))
                .hasMessageContaining("negative");
        assertThatThrownBy(() -> new RetryPolicy(Strategy.FIXED, 1, 30, 91, 90, 0.8, 1.2))
                .hasMessageContaining("shorter");
        assertThatThrownBy(() -> new RetryPolicy(Strategy.FIXED, 1, 30, 3, 90, 1.2, 0.8))
                .hasMessageContaining("1.2..0.8");
    }
}
