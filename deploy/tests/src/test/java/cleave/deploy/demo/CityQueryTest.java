package cleave.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CityQueryTest {
    private static final List<City> CITIES = City.all();
    private final List<CityQuery> queries = CityQuery.fourClasses(CITIES);

    @Test
    void allFourClassesAreThereAndSelectSomething() {
        assertThat(queries)
                .extracting(CityQuery::title)
                .containsExactly("point", "row-range", "partition-range", "table-scan", "table-scan");
        assertThat(queries)
                .extracting(query -> query.expected(CITIES).size())
                .containsExactly(1, 620, 161, 284, 24_440);
    }

    @Test
    void theRowRangeIsAQuarterOfTheLargestPartition() {
        CityQuery rowRange = queries.get(1);

        assertThat(rowRange.filter()).startsWith("PartitionKey eq 'US' and RowKey ge '");
        assertThat(rowRange.expected(CITIES)).isSorted().allMatch(key -> key.startsWith("US/"));
    }
}
