package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class LatenciesTest {
    @Test
    void nothingHasNoQuantile() {
        assertThat(new Latencies().quantileNanos(0.5)).isZero();
    }

    @Test
    void smallDurationsAreExact() {
        Latencies latencies = new Latencies();
        for (int i = 1; i <= 100; i++) {
            latencies.add(i);
        }
        assertThat(latencies.quantileNanos(0.5)).isEqualTo(50);
        assertThat(latencies.quantileNanos(1)).isEqualTo(100);
        assertThat(latencies.count()).isEqualTo(100);
    }

    @Property
    void quantilesAreNearlyExact(
            @ForAll @Size(min = 1, max = 200) List<@LongRange(min = 0, max = 60_000_000_000L) Long> nanos) {
        Latencies one = new Latencies();
        Latencies two = new Latencies();
        for (int i = 0; i < nanos.size(); i++) {
            (i % 2 == 0 ? one : two).add(nanos.get(i));
        }
        one.addAll(two);
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        for (double share : new double[] {0.01, 0.5, 0.99, 1}) {
            long exact = sorted[(int) Math.max(1, Math.ceil(share * sorted.length)) - 1];
            assertThat(one.quantileNanos(share)).isCloseTo(exact, Offset.offset(exact / 60 + 1));
        }
        assertThat(one.maxNanos()).isEqualTo(sorted[sorted.length - 1]);
    }
}
