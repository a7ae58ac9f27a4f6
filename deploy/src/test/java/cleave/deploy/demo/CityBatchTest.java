package cleave.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

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
    void theBodyIsOneChangesetOfUpserts() {
        String body = new CityBatch(List.of(city("IT", 7))).body("http://h:1/a", "cities");

        assertThat(body)
                .isEqualTo(String.join(
                        "\r\n",
                        "--batch_cities",
                        "Content-Type: multipart/mixed; boundary=changeset_cities",
                        "",
                        "--changeset_cities",
                        "Content-Type: application/http",
                        "Content-Transfer-Encoding: binary",
                        "",
                        "PUT http://h:1/a/cities(PartitionKey='IT',RowKey='0000007') HTTP/1.1",
                        "Content-Type: application/json",
                        "Accept: application/json;odata=nometadata",
                        "DataServiceVersion: 3.0",
                        "",
                        "{\"PartitionKey\":\"IT\",\"RowKey\":\"0000007\",\"Name\":\"L'Aquila \\\"é\\\"\","
                                + "\"Latitude@odata.type\":\"Edm.Double\",\"Latitude\":42.0,"
                                + "\"Longitude@odata.type\":\"Edm.Double\",\"Longitude\":13.5,"
                                + "\"Admin1\":\"01\",\"Admin2\":\"\"}",
                        "--changeset_cities--",
                        "--batch_cities--",
                        ""));
    }
}
