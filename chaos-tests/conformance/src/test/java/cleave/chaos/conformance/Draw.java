package cleave.chaos.conformance;

import cleave.chaos.conformance.Edm.Bytes;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Draws keys, names and values that the contract allows, with a preference for its edges. The same seed draws the same. */
final class Draw {
    /** The longest key, in UTF-16 units. */
    static final int KEY_UNITS_MAX = 512;

    private static final String FORBIDDEN_IN_KEYS = "/\\#?";

    /** Letters of many kinds, combining ones, the last before and the first after the surrogates, and pairs of them. */
    private static final List<String> RARE = List.of(
            "\u0301",
            "ß",
            "İ",
            "Ω",
            "東",
            "\u200B",
            "\u2028",
            "\uD7FF",
            "\uE000",
            "\uFEFF",
            "\uFFFD",
            "\uFFFF",
            "\uD800\uDC00",
            "\uD83D\uDE00",
            "\uDBFF\uDFFF",
            "e\u0301",
            "%25",
            "''",
            "&amp;",
            "..",
            "+ +",
            "%",
            "'");

    /** Every character of ASCII and Latin-1 that a key may hold, and those of {@link #RARE}. */
    static final List<String> CHARACTERS = Stream.concat(
                    IntStream.rangeClosed(' ', 0xFF)
                            .filter(c -> c < 0x7F || c > 0x9F)
                            .mapToObj(Character::toString)
                            .filter(c -> !FORBIDDEN_IN_KEYS.contains(c)),
                    RARE.stream())
            .toList();

    /** Names that are nearly those of system properties are names like any other. */
    private static final List<String> NAMES = List.of(
            "A",
            "a",
            "_",
            "_1",
            "É",
            "Ωμέγα",
            "名前",
            "partitionKey",
            "rowkey",
            "timestamp",
            "ETag",
            "value",
            "TableName",
            "n".repeat(255),
            "ж".repeat(255),
            "x_y",
            "Z9");

    private static final List<Object> EDGES = List.of(
            "",
            " ",
            "  x  ",
            "\u0000",
            "\t\r\n",
            "\"\\/\b",
            "null",
            "1601-01-01T00:00:00Z",
            "x".repeat(32768),
            "東".repeat(32768),
            "\uD83D\uDE00".repeat(16384),
            new Bytes(""),
            new Bytes("00".repeat(65536)),
            new Bytes("FF".repeat(65536)),
            true,
            false,
            Integer.MIN_VALUE,
            0,
            Integer.MAX_VALUE,
            Long.MIN_VALUE,
            0L,
            Long.MAX_VALUE,
            0.0,
            -0.0,
            1.0,
            1e15,
            1e16,
            1e21,
            0.1,
            Double.MIN_VALUE,
            -Double.MIN_VALUE,
            Double.MIN_NORMAL,
            Math.nextDown(Double.MIN_NORMAL),
            Double.MAX_VALUE,
            -Double.MAX_VALUE,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            Instant.parse("1601-01-01T00:00:00Z"),
            Instant.parse("1601-01-01T00:00:00.0000001Z"),
            Instant.parse("1969-12-31T23:59:59.9999999Z"),
            Instant.EPOCH,
            Instant.parse("2024-02-29T12:00:00.1Z"),
            Instant.parse("9999-12-31T23:59:59.9999999Z"),
            new UUID(0, 0),
            new UUID(-1, -1));

    private static final long FIRST_SECOND =
            Instant.parse("1601-01-01T00:00:00Z").getEpochSecond();
    private static final long END_SECOND = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond() + 1;

    private final Random random;

    Draw(long seed) {
        random = new Random(seed);
    }

    static List<Object> edges() {
        return EDGES;
    }

    Row row() {
        Map<String, Object> properties = new TreeMap<>();
        for (int i = random.nextInt(7); i > 0; i--) {
            properties.put(one(NAMES), value());
        }
        return new Row(key(), key(), properties);
    }

    /** Mostly short; now and then empty, or as long as can be. */
    String key() {
        int units = switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> KEY_UNITS_MAX - random.nextInt(2);
            default -> 1 + random.nextInt(8);
        };
        StringBuilder key = new StringBuilder();
        for (String next = one(CHARACTERS); key.length() + next.length() <= units; next = one(CHARACTERS)) {
            key.append(next);
        }
        return key.toString();
    }

    Object value() {
        List<Supplier<Object>> kinds = List.of(
                () -> one(EDGES),
                this::key,
                () -> random.ints(random.nextInt(20), 0, 0xD800)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString(),
                random::nextBoolean,
                random::nextInt,
                random::nextLong,
                () -> Double.longBitsToDouble(random.nextLong()),
                () -> random.nextInt(1000) / 10.0,
                () -> Instant.ofEpochSecond(
                        random.nextLong(FIRST_SECOND, END_SECOND), random.nextInt(10_000_000) * 100L),
                () -> new UUID(random.nextLong(), random.nextLong()),
                this::bytes);
        return one(kinds).get();
    }

    private Object bytes() {
        byte[] bytes = new byte[random.nextInt(40)];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    <T> T one(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** An entity as a client has it. Immutable. */
    record Row(String partitionKey, String rowKey, Map<String, Object> properties) implements Comparable<Row> {
        /** The properties as members of JSON, the keys with them. */
        String json() {
            return Edm.object(withKeys());
        }

        private Map<String, Object> withKeys() {
            Map<String, Object> all = new TreeMap<>(properties);
            all.put("PartitionKey", partitionKey);
            all.put("RowKey", rowKey);
            return all;
        }

        Row with(Map<String, Object> others) {
            return new Row(partitionKey, rowKey, others);
        }

        @Override
        public int compareTo(Row other) {
            int byPartition = Condition.Operator.orderOfKeys(partitionKey, other.partitionKey);
            return byPartition != 0 ? byPartition : Condition.Operator.orderOfKeys(rowKey, other.rowKey);
        }
    }
}
