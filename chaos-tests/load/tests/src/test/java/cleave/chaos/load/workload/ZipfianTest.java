package cleave.chaos.load.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZipfianTest {
    /** YCSB's ScrambledZipfianGenerator has this number as a constant. */
    @Test
    void theSumOverTenBillionItemsIsThatOfYcsb() {
        assertThat(Zipfian.zeta(Zipfian.SCRAMBLED_ITEMS, 0.99)).isEqualTo(26.46902820178302, within(1e-6));
    }

    @ParameterizedTest
    @CsvSource({"1, 0.99", "2, 0.99", "100, 0.5", "101, 0.99", "5000, 0.99", "5000, 0.2"})
    void theSumIsThatOfItsTerms(long items, double constant) {
        double sum = 0;
        for (long k = 1; k <= items; k++) {
            sum += 1 / Math.pow((double) k, constant);
        }

        assertThat(Zipfian.zeta(items, constant)).isEqualTo(sum, within(1e-6));
    }

    @Test
    void theFirstNumbersAreAsFrequentAsTheLawSays() {
        Zipfian zipfian = new Zipfian(1000, 0.99);
        Random random = new Random(1);
        int draws = 200_000;
        int[] seen = new int[1000];
        for (int i = 0; i < draws; i++) {
            seen[(int) zipfian.next(random)]++;
        }

        double first = 1 / Zipfian.zeta(1000, 0.99);
        assertThat(seen[0] / (double) draws).isEqualTo(first, within(0.005));
        assertThat(seen[1] / (double) draws).isEqualTo(first / Math.pow(2, 0.99), within(0.005));
        assertThat(seen[0]).isGreaterThan(seen[10]);
        assertThat(seen[10]).isGreaterThan(seen[500]);
    }

    @Test
    void hashesAreNeverNegativeAndScatterNeighbours() {
        assertThat(Zipfian.hash(1)).isNotNegative();
        assertThat(Math.abs(Zipfian.hash(1) - Zipfian.hash(2))).isGreaterThan(1L << 32);
    }
}
