package cleave.chaos.conformance;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The types of the protocol as values of Java, and how each is written: String, {@link Bytes}, Boolean, Integer (Edm.Int32), Long
 * (Edm.Int64), Double, Instant (Edm.DateTime) and UUID (Edm.Guid). It shares no code with the service.
 */
final class Edm {
    private static final DateTimeFormatter SHORTEST = dateTime(0);
    private static final DateTimeFormatter LONGEST = dateTime(7);
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private Edm() {}

    /** Binary, by its digits of upper-case hexadecimal, whose order is the order of the bytes. Immutable. */
    record Bytes(String hex) implements Comparable<Bytes> {
        static Bytes of(byte[] bytes) {
            return new Bytes(HEX.formatHex(bytes));
        }

        byte[] array() {
            return HEX.parseHex(hex);
        }

        @Override
        public int compareTo(Bytes other) {
            return hex.compareTo(other.hex);
        }
    }

    private static DateTimeFormatter dateTime(int fractionDigitsMin) {
        return new DateTimeFormatterBuilder()
                .appendPattern("uuuu-MM-dd'T'HH:mm:ss")
                .appendFraction(ChronoField.NANO_OF_SECOND, fractionDigitsMin, 7, true)
                .appendLiteral('Z')
                .toFormatter(Locale.ROOT)
                .withZone(ZoneOffset.UTC);
    }

    /** A JSON object of these properties. */
    static String object(Map<String, Object> properties) {
        return properties.entrySet().stream()
                .map(property -> members(property.getKey(), property.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    /** The value as read without type annotations. */
    static Object untyped(Object value) {
        boolean told = value instanceof Boolean || value instanceof Integer || isFinite(value);
        return told ? value : text(value);
    }

    /** The members of a JSON object that give a property this value. */
    static String members(String name, Object value) {
        if (value instanceof String || value instanceof Boolean || value instanceof Integer) {
            return member(name, value);
        }
        return member(name, value) + "," + quoted(name + "@odata.type") + ":" + quoted(type(value));
    }

    private static String member(String name, Object value) {
        Object untyped = untyped(value);
        return quoted(name) + ":" + (untyped instanceof String text ? quoted(text) : untyped.toString());
    }

    private static boolean isFinite(Object value) {
        return value instanceof Double number && Double.isFinite(number);
    }

    /** In quotes, escaped as JSON requires; an unpaired surrogate as a single escape. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(point -> {
            boolean lone = Character.MIN_SURROGATE <= point && point <= Character.MAX_SURROGATE;
            if (point < ' ' || point == '"' || point == '\\' || lone) {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", point));
            } else {
                quoted.appendCodePoint(point);
            }
        });
        return quoted.append('"').toString();
    }

    private static String text(Object value) {
        if (value instanceof Bytes bytes) {
            return Base64.getEncoder().encodeToString(bytes.array());
        }
        return value instanceof Instant instant ? SHORTEST.format(instant) : value.toString();
    }

    private static String type(Object value) {
        if (value instanceof Instant) {
            return "Edm.DateTime";
        }
        if (value instanceof UUID) {
            return "Edm.Guid";
        }
        if (value instanceof Bytes) {
            return "Edm.Binary";
        }
        return value instanceof Long ? "Edm.Int64" : "Edm." + value.getClass().getSimpleName();
    }

    /** The value of a property in an answer that annotates types; null if it has none. */
    static @Nullable Object read(Map<String, @Nullable Object> entity, String name) {
        Object value = entity.get(name);
        Object type = entity.getOrDefault(name + "@odata.type", "");
        if (value instanceof String text && type instanceof String annotation) {
            return typed(annotation, text);
        }
        return value instanceof Long integer ? Integer.valueOf(Math.toIntExact(integer)) : value;
    }

    /** The value of a text under an annotation. */
    static Object typed(String annotation, String text) {
        return switch (annotation) {
            case "Edm.Int64" -> Long.valueOf(text);
            case "Edm.Double" -> Double.valueOf(text);
            case "Edm.DateTime" -> OffsetDateTime.parse(text).toInstant();
            case "Edm.Guid" -> UUID.fromString(text);
            case "Edm.Binary" -> Bytes.of(Base64.getDecoder().decode(text));
            case "" -> text;
            default -> throw new IllegalArgumentException(annotation);
        };
    }

    /** Every way to write a value in a filter; none for the doubles that no literal can say. */
    static List<String> literals(Object value) {
        if (value instanceof String text) {
            return List.of("'" + text.replace("'", "''") + "'");
        }
        if (value instanceof Bytes bytes) {
            String lower = bytes.hex().toLowerCase(Locale.ROOT);
            return List.of("X'" + bytes.hex() + "'", "x'" + lower + "'", "binary'" + bytes.hex() + "'");
        }
        if (value instanceof Instant instant) {
            return List.of("datetime'" + LONGEST.format(instant) + "'", "datetime'" + SHORTEST.format(instant) + "'");
        }
        if (value instanceof UUID guid) {
            String text = guid.toString();
            return List.of("guid'" + text + "'", "guid'" + text.toUpperCase(Locale.ROOT) + "'");
        }
        if (value instanceof Long integer) {
            boolean beyondInt32 = integer != integer.intValue();
            return beyondInt32 ? List.of(integer + "L", integer.toString()) : List.of(integer + "L");
        }
        return value instanceof Double number ? literals(number) : List.of(value.toString());
    }

    private static List<String> literals(Double number) {
        if (!Double.isFinite(number)) {
            return List.of();
        }
        String text = number.toString();
        if (text.contains("E")) {
            return List.of(text.replace('E', 'e'), text, new BigDecimal(text).toPlainString() + "D");
        }
        return text.endsWith(".0") ? List.of(text, text.substring(0, text.length() - 2) + "D") : List.of(text);
    }
}
