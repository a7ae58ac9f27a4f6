package cleave.chaos.conformance;

import cleave.chaos.conformance.Edm.Bytes;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.JsonText;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A table whose rows hold values of every type under the same names, with the test's own copy of them. V of one row or another has
 * each of {@link #VALUES} and is missing in some; W and Flag are drawn. Confined to one thread.
 */
final class FilterTable {
    static final List<String> PARTITIONS = List.of("", "B", "a", "a b", "b", "bB", "\uD83D\uDE00", "\uFFFD");
    static final List<String> ROWS = List.of(
            "", "%25+&", "10", "9", "Z", "a", "aa", "it's", "é", "東京", "\uD83D\uDE00", "\uD83D\uDE00x", "\uFFFD");

    /** Values of every type, with those next to them at which implementations go wrong. */
    static final List<Object> VALUES = List.of(
            "",
            " ",
            "10",
            "9",
            "B",
            "a455c695-df98-5678-aaaa-81d3367e5a34",
            "b",
            "bB",
            "it's",
            "true",
            "é",
            "e\u0301",
            "\uD83D\uDE00",
            "\uFFFD",
            new Bytes(""),
            new Bytes("00"),
            new Bytes("0000"),
            new Bytes("01FF"),
            new Bytes("7F"),
            new Bytes("80"),
            new Bytes("8000"),
            new Bytes("FF"),
            false,
            true,
            Integer.MIN_VALUE,
            -1,
            0,
            1,
            42,
            Integer.MAX_VALUE,
            Long.MIN_VALUE,
            -1L,
            0L,
            42L,
            2147483648L,
            9007199254740992L,
            9007199254740993L,
            Long.MAX_VALUE,
            Double.NEGATIVE_INFINITY,
            -Double.MAX_VALUE,
            -1.0,
            -0.0,
            0.0,
            Double.MIN_VALUE,
            0.1,
            1.0,
            42.0,
            2147483648.0,
            9007199254740992.0,
            9007199254740994.0,
            0x1p63,
            Double.MAX_VALUE,
            Double.POSITIVE_INFINITY,
            Double.NaN,
            Instant.parse("1601-01-01T00:00:00Z"),
            Instant.parse("1969-12-31T23:59:59.9999999Z"),
            Instant.parse("2008-07-10T00:00:00Z"),
            Instant.parse("2008-07-10T00:00:00.0000001Z"),
            Instant.parse("2008-07-10T00:00:00.1Z"),
            Instant.parse("9999-12-31T23:59:59.9999999Z"),
            UUID.fromString("00000000-0000-0000-0000-000000000000"),
            UUID.fromString("7fffffff-ffff-ffff-ffff-ffffffffffff"),
            UUID.fromString("80000000-0000-0000-0000-000000000000"),
            UUID.fromString("a455c695-df98-5678-7fff-81d3367e5a34"),
            UUID.fromString("a455c695-df98-5678-aaaa-81d3367e5a34"),
            UUID.fromString("a455c695-df98-8678-0000-000000000000"));

    private static final int WINDOW = 64;
    private static final Comparator<Map<String, Object>> BY_KEYS =
            by("PartitionKey").thenComparing(by("RowKey"));

    private final RawTable table;
    private final Connection connection;
    private final List<Map<String, Object>> rows = new ArrayList<>();
    private final Map<List<@Nullable Object>, Integer> indexes = new HashMap<>();

    private FilterTable(RawTable table) throws IOException {
        this.table = table;
        this.connection = table.connect();
    }

    static FilterTable filled(Endpoint endpoint) throws IOException {
        FilterTable filled = new FilterTable(RawTable.create(endpoint));
        filled.insert(new Random(1));
        filled.learnTimestamps();
        return filled;
    }

    String name() {
        return table.name();
    }

    Answer query(String... options) throws IOException {
        return table.query(options);
    }

    /** The properties of each row, in the order of their keys. */
    List<Map<String, Object>> rows() {
        return rows;
    }

    private void insert(Random random) throws IOException {
        for (String partitionKey : PARTITIONS) {
            for (String rowKey : ROWS) {
                Map<String, Object> row = new TreeMap<>(Map.of("PartitionKey", partitionKey, "RowKey", rowKey));
                if (rows.size() < VALUES.size()) {
                    row.put("V", VALUES.get(rows.size()));
                }
                if (random.nextInt(4) > 0) {
                    row.put("W", VALUES.get(random.nextInt(VALUES.size())));
                }
                if (random.nextInt(4) > 0) {
                    row.put(
                            "Flag",
                            List.<Object>of(true, true, false, "true", 1).get(random.nextInt(5)));
                }
                rows.add(row);
                Answer inserted = connection.exchange(table.requests().insert(name(), Edm.object(row)));
                if (inserted.status() != 204) {
                    throw new IOException(Edm.object(row) + ": " + inserted);
                }
            }
        }
        rows.sort(BY_KEYS);
        for (Map<String, Object> row : rows) {
            indexes.put(keys(row), indexes.size());
        }
    }

    private void learnTimestamps() throws IOException {
        for (Map<String, @Nullable Object> read : JsonText.entities(
                table.query("$select=PartitionKey,RowKey,Timestamp").body())) {
            String stamp = String.valueOf(read.get("Timestamp"));
            rows.get(index(read)).put("Timestamp", Edm.typed("Edm.DateTime", stamp));
        }
    }

    private static Comparator<Map<String, Object>> by(String name) {
        return Comparator.comparing(
                row -> (String) Objects.requireNonNull(row.get(name)), Condition.Operator::orderOfKeys);
    }

    private static List<@Nullable Object> keys(Map<String, ? extends @Nullable Object> row) {
        List<@Nullable Object> keys = new ArrayList<>();
        keys.add(row.get("PartitionKey"));
        keys.add(row.get("RowKey"));
        return keys;
    }

    private int index(Map<String, @Nullable Object> read) {
        return Objects.requireNonNull(indexes.get(keys(read)), () -> "an unknown row " + read);
    }

    /** The answers of the service that differ from the oracle's; every second filter is sent with {@code +} for blanks. */
    List<String> differences(List<Condition> conditions, String... options) throws IOException {
        List<String> differences = new ArrayList<>();
        for (int start = 0; start < conditions.size(); start += WINDOW) {
            List<Condition> window = conditions.subList(start, Math.min(start + WINDOW, conditions.size()));
            for (int i = 0; i < window.size(); i++) {
                String option = Requests.option("$filter", window.get(i).text());
                List<String> all = new ArrayList<>(List.of(options));
                all.add(i % 2 == 0 ? option : option.replace("%20", "+"));
                connection.send(table.requests().query(name(), all));
            }
            for (Condition condition : window) {
                difference(condition, connection.receive()).ifPresent(differences::add);
            }
        }
        return differences;
    }

    private Optional<String> difference(Condition condition, Answer answer) throws IOException {
        if (answer.status() != 200) {
            return Optional.of(condition.text() + ": " + answer);
        }
        return difference(condition, indexes(answer));
    }

    /** The answer of the service over pages of this number of rows, if it differs from the oracle's. */
    Optional<String> differenceByPages(Condition condition, int top) throws IOException {
        List<Integer> found = new ArrayList<>();
        for (Answer page : table.pages(connection, Requests.option("$filter", condition.text()), "$top=" + top)) {
            found.addAll(indexes(page));
        }
        return difference(condition, found);
    }

    private List<Integer> indexes(Answer answer) throws IOException {
        return JsonText.entities(answer.body()).stream().map(this::index).toList();
    }

    private Optional<String> difference(Condition condition, List<Integer> found) {
        List<Integer> expected = IntStream.range(0, rows.size())
                .filter(index -> condition.holds(rows.get(index)))
                .boxed()
                .toList();
        if (found.equals(expected)) {
            return Optional.empty();
        }
        return Optional.of(condition.text() + "\n    gives not " + without(expected, found) + "\n    but gives "
                + without(found, expected) + (found.size() == expected.size() ? ", or in another order" : ""));
    }

    private List<String> without(List<Integer> indexes, List<Integer> others) {
        return indexes.stream()
                .filter(index -> !others.contains(index))
                .map(index -> rows.get(index).toString())
                .limit(5)
                .toList();
    }
}
