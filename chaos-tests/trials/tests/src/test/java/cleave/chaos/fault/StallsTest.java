package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.history.Call;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Get;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import cleave.model.Key;
import cleave.model.KeyRange;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class StallsTest {
    private static final KeyRange A = new KeyRange(Key.MIN, Key.beforePartition(7, "b"));
    private static final KeyRange B = new KeyRange(Key.beforePartition(7, "b"), null);
    private static final Stalls STALLS =
            new Stalls(List.of(read("a", 0, 10), read("a", 20, 25), read("b", 0, 40), read("a", 30, 31)), 7);

    private static Get read(String partition, long from, long until) {
        return new Get(new Call(1, from, until), new EntityKey("T", partition, "r"), Result.of(Outcome.MISSING, ""));
    }

    @Test
    void aStallIsTheLongestWaitThatReachesIntoTheTimeOnTheInterval() {
        assertThat(STALLS.longest(A, 0, 100)).isEqualTo(10);
        assertThat(STALLS.longest(A, 11, 100)).isEqualTo(5);
        assertThat(STALLS.longest(A, 26, 100)).isEqualTo(1);
        assertThat(STALLS.longest(B, 35, 36)).isEqualTo(40);
    }

    @Test
    void aTimeWithoutRequestsHasNoStall() {
        assertThat(STALLS.longest(A, 12, 15)).isNegative();
    }

    @Test
    void theDistributionCoversAllOperations() {
        Histogram all = STALLS.distribution(0);
        assertThat(all.getTotalCount()).isEqualTo(4);
        assertThat(all.getValueAtPercentile(50)).isEqualTo(5);
        assertThat(all.getMaxValue()).isEqualTo(40);
        assertThat(STALLS.distribution(20).getTotalCount())
                .as("that began then or later")
                .isEqualTo(2);
    }
}
