package cleave.deploy.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A place of the GeoNames sample (CC BY 4.0; see NOTICE.md next to the data). Immutable.
 *
 * @param country ISO code: the PartitionKey
 * @param id of seven digits: the RowKey
 */
record City(String country, String id, String name, double latitude, double longitude, String admin1, String admin2) {
    private static final int COLUMNS = 7;

    /** The sample, in key order. */
    static List<City> all() {
        List<City> cities = new ArrayList<>();
        try (InputStream in = City.class.getResourceAsStream("cities.tsv")) {
            if (in == null) {
                throw new IllegalStateException("cities.tsv is not on the class path");
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            lines.readLine(); // The header.
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                cities.add(parse(line));
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return List.copyOf(cities);
    }

    static City parse(String line) {
        String[] cells = line.split("\t", -1);
        if (cells.length != COLUMNS) {
            throw new IllegalArgumentException(cells.length + " columns in: " + line);
        }
        return new City(
                cells[0],
                cells[1],
                cells[2],
                Double.parseDouble(cells[3]),
                Double.parseDouble(cells[4]),
                cells[5],
                cells[6]);
    }
}
