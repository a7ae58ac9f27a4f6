package cleave.deploy.backup;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The columns of a CSV file, from its first line, as Azure Storage Explorer writes them: PartitionKey, RowKey, and
 * {@code Name} and {@code Name@type} for each property. Immutable.
 *
 * @param count the number of all columns
 * @param properties in column order, including the keys
 */
record CsvColumns(int count, List<Property> properties) {
    static final String PARTITION_KEY = "PartitionKey";
    static final String ROW_KEY = "RowKey";
    static final String TYPE = "@type";
    /** Written by the service only. */
    private static final Set<String> IGNORED = Set.of("Timestamp", "Timestamp@type", "odata.etag");

    /** @param type column with the type of the value; -1: all values are strings */
    record Property(String name, int value, int type) {
        boolean isKey() {
            return name.equals(PARTITION_KEY) || name.equals(ROW_KEY);
        }
    }

    CsvColumns {
        properties = List.copyOf(properties);
    }

    /** IllegalArgumentException with a message for operators if these are not column names. */
    static CsvColumns of(List<String> names) {
        Map<String, Integer> places = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (name.isEmpty() && names.size() > 1) {
                throw new IllegalArgumentException("column " + (i + 1) + " has no name");
            }
            if (places.put(name, i) != null) {
                throw new IllegalArgumentException("there are two columns " + name);
            }
        }
        for (String key : Arrays.asList(PARTITION_KEY, ROW_KEY)) {
            if (!places.containsKey(key)) {
                throw new IllegalArgumentException("there is no column " + key
                        + "; the first line must name the columns: PartitionKey,RowKey,Name,Name@type,...");
            }
        }
        Set<String> typed = new HashSet<>();
        List<Property> properties = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (!IGNORED.contains(name) && !name.endsWith(TYPE) && !isTag(name, places)) {
                properties.add(new Property(name, i, places.getOrDefault(name + TYPE, -1)));
                typed.add(name + TYPE);
            }
        }
        for (String name : names) {
            if (name.endsWith(TYPE) && !typed.contains(name) && !IGNORED.contains(name)) {
                throw new IllegalArgumentException(
                        "there is a column " + name + ", but none " + name.substring(0, name.length() - TYPE.length()));
            }
        }
        return new CsvColumns(names.size(), properties);
    }

    /** Other programs write the ETag into this column; a property of that name would have a type. */
    private static boolean isTag(String name, Map<String, Integer> places) {
        return name.equals("etag") && !places.containsKey(name + TYPE);
    }
}
