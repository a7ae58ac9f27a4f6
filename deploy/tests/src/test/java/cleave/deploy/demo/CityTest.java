package cleave.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Key;
import java.util.List;
import org.junit.jupiter.api.Test;

class CityTest {
    private final List<City> cities = City.all();

    @Test
    void theSampleIsWholeAndEachIdIsThereOnce() {
        assertThat(cities).hasSize(24_440);
        assertThat(cities.stream().map(City::id).distinct()).hasSize(24_440);
        assertThat(cities.get(0)).isEqualTo(new City("AD", "0000000", "Vila", 42.53176, 1.56654, "03", ""));
    }

    @Test
    void theSampleIsInKeyOrder() {
        List<Key> keys = cities.stream()
                .map(city -> Key.of(1, city.country(), city.id()))
                .toList();

        assertThat(keys).isSorted();
    }

    @Test
    void theNoticeThatItsLicenceAsksForIsThereToo() {
        assertThat(City.class.getResource("NOTICE.md")).isNotNull();
    }

    @Test
    void aLineOfAnotherShapeIsRefused() {
        assertThatThrownBy(() -> City.parse("AD\t1\tVila")).isInstanceOf(IllegalArgumentException.class);
    }
}
