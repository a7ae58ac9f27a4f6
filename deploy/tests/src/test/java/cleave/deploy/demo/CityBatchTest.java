package cleave.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Requests;
import cleave.deploy.access.TableAccount;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CityBatchTest {
    private static City city(String country, int id) {
        return new City(country, String.format("%07d", id), "L'Aquila \"é\"", 42, 13.5, "01", "");
    }

    @Test
    void batchesHoldOnePartitionAndAtMostAHundredOperations() {
        List<City> cities = IntStream.range(0, 253)
                .mapToObj(id -> city(id < 203 ? "IT" : "JP", id))
                .toList();

        List<CityBatch> batches = CityBatch.cut(cities);

        assertThat(batches).extracting(batch -> batch.cities().size()).containsExactly(100, 100, 3, 50);
        assertThat(batches)
                .allSatisfy(batch -> assertThat(
                                batch.cities().stream().map(City::country).distinct())
                        .hasSize(1));
        assertThat(batches.stream().flatMap(batch -> batch.cities().stream())).containsExactlyElementsOf(cities);
    }

    @Test
    void nothingIsCutIntoNothing() {
        assertThat(CityBatch.cut(List.of())).isEmpty();
    }

    @Test
    void itsPartsAreUpserts() {
        Requests requests = new Requests(TableAccount.at("http://h:1", "a", "a2V5"));

        assertThat(new CityBatch(List.of(city("IT", 7))).parts(requests, "cities"))
                .singleElement()
                .satisfies(part -> {
                    assertThat(part).hasToString("PUT /a/cities(PartitionKey='IT',RowKey='0000007')");
                    assertThat(part.header("If-Match")).isEmpty();
                    assertThat(new String(part.body(), StandardCharsets.UTF_8))
                            .isEqualTo(
                                    "{\"PartitionKey\":\"IT\",\"RowKey\":\"0000007\",\"Name\":\"L'Aquila \\\"é\\\"\","
                                            + "\"Latitude@odata.type\":\"Edm.Double\",\"Latitude\":42.0,"
                                            + "\"Longitude@odata.type\":\"Edm.Double\",\"Longitude\":13.5,"
                                            + "\"Admin1\":\"01\",\"Admin2\":\"\"}");
                });
    }
}
