package cleave.deploy.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One of the demo's queries. Immutable.
 *
 * @param title its query class in the documentation, which the service should report too
 * @param filter as sent; for the point query, only as a description
 * @param point the entity to read by its address; null if this is a query with a filter
 * @param selects the cities that it should return
 */
record CityQuery(String title, String filter, @Nullable City point, Predicate<City> selects) {
    /**
     * The four query classes, on a data set in key order: the partition is the largest, and the row range lies within
     * it.
     */
    static List<CityQuery> fourClasses(List<City> cities) {
        List<City> partition = largestPartition(cities);
        String country = partition.get(0).country();
        City one = partition.get(partition.size() / 2);
        String low = partition.get(partition.size() / 4).id();
        String high = partition.get(partition.size() / 2).id();
        return List.of(
                new CityQuery("point", "(PartitionKey='" + country + "',RowKey='" + one.id() + "')", one, one::equals),
                new CityQuery(
                        "row-range",
                        String.format(
                                Locale.ROOT,
                                "PartitionKey eq '%s' and RowKey ge '%s' and RowKey lt '%s'",
                                country,
                                low,
                                high),
                        null,
                        city -> city.country().equals(country)
                                && city.id().compareTo(low) >= 0
                                && city.id().compareTo(high) < 0),
                new CityQuery(
                        "partition-range",
                        "PartitionKey eq '" + country + "' and Latitude ge 45.0",
                        null,
                        city -> city.country().equals(country) && city.latitude() >= 45.0),
                new CityQuery("table-scan", "Latitude ge 60.0", null, city -> city.latitude() >= 60.0),
                new CityQuery("table-scan", "", null, city -> true));
    }

    private static List<City> largestPartition(List<City> cities) {
        List<City> largest = List.of();
        List<City> open = new ArrayList<>();
        for (City city : cities) {
            if (!open.isEmpty() && !open.get(0).country().equals(city.country())) {
                open = new ArrayList<>();
            }
            open.add(city);
            if (open.size() > largest.size()) {
                largest = open;
            }
        }
        return List.copyOf(largest);
    }

    /** The keys that it should return, in order. */
    List<String> expected(List<City> cities) {
        return cities.stream()
                .filter(selects)
                .map(city -> city.country() + "/" + city.id())
                .toList();
    }
}
