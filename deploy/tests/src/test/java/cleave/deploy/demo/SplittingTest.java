package cleave.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SplittingTest {
    private static final List<City> CITIES = City.all();

    @Property(tries = 60)
    void thereIsOneCutFewerThanRangesAndEachBeginsAPartition(@ForAll @IntRange(min = 1, max = 128) int ranges) {
        List<String> keys = Splitting.keys(CITIES, ranges);

        assertThat(keys).hasSize(ranges - 1).isSorted().doesNotHaveDuplicates();
        assertThat(CITIES).extracting(City::country).containsAll(keys);
    }

    @Test
    void eightRangesAreNeverMoreThanHalfAgainAsLargeAsTheirShare() {
        List<String> keys = Splitting.keys(CITIES, 8);

        long[] sizes = new long[8];
        for (City city : CITIES) {
            int range = 0;
            while (range < 7 && city.country().compareTo(keys.get(range)) >= 0) {
                range++;
            }
            sizes[range]++;
        }
        assertThat(java.util.Arrays.stream(sizes).boxed())
                .allSatisfy(size -> assertThat(size).isBetween(1_000L, 4_600L));
    }

    @Test
    void moreRangesThanPartitionsGiveAsManyAsThereAre() {
        List<City> two = List.of(CITIES.get(0), CITIES.get(CITIES.size() - 1));

        assertThat(Splitting.keys(two, 8)).containsExactly(two.get(1).country());
        assertThat(Splitting.keys(List.of(), 8)).isEmpty();
    }
}
