package cleave.frontend.protocol.odata;

import cleave.model.Ticks;
import cleave.model.Utf8;
import cleave.model.entity.EdmType;
import cleave.model.entity.Property;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts raw values to their types: the annotated one, or the one that the form of the value implies. Texts are read as .NET's parsers do,
 * which the service is built on: white space around a value is passed over, and that within base64.
 */
final class ValueReader {
    private static final DateTimeFormatter SHOWN = DateTimeFormatter.ofPattern("MM/dd/yyyy HH:mm:ss", Locale.ROOT);

    private static final Map<String, Double> NOT_FINITE =
            Map.of("NaN", Double.NaN, "Infinity", Double.POSITIVE_INFINITY, "-Infinity", Double.NEGATIVE_INFINITY);

    private ValueReader() {}

    /** @param annotated null: the form of the value implies the type; an integer beyond Int32 is a Double */
    static Property property(String name, Object raw, @Nullable EdmType annotated) {
        EdmType type = annotated == null ? implied(raw) : annotated;
        Object value = value(name, raw, type);
        if (value == null) {
            throw Body.malformed(
                    "The value of '" + Text.withoutLoneSurrogates(name) + "' is no " + EdmNames.of(type) + ".");
        }
        return new Property(name, type, value);
    }

    private static EdmType implied(Object raw) {
        if (raw instanceof String) {
            return EdmType.STRING;
        }
        if (raw instanceof Boolean) {
            return EdmType.BOOLEAN;
        }
        return raw instanceof Long number && number.intValue() == number ? EdmType.INT32 : EdmType.DOUBLE;
    }

    /** Null if the raw value does not have the type. */
    private static @Nullable Object value(String name, Object raw, EdmType type) {
        return switch (type) {
            case STRING -> raw instanceof String text && Utf8.isWhole(text) ? text : null;
            case BOOLEAN -> bool(raw);
            case INT32 -> int32(raw);
            case INT64 -> int64(raw);
            case DOUBLE -> real(raw);
            case DATETIME -> raw instanceof String text ? dateTime(name, text) : null;
            case GUID -> raw instanceof String text ? GuidText.parse(text) : null;
            case BINARY -> raw instanceof String text ? binary(text) : null;
        };
    }

    private static @Nullable Boolean bool(Object raw) {
        if (raw instanceof String text) {
            String name = Text.trimmed(text);
            return name.equalsIgnoreCase("true") ? Boolean.TRUE : name.equalsIgnoreCase("false") ? Boolean.FALSE : null;
        }
        return raw instanceof Boolean value ? value : null;
    }

    private static @Nullable Integer int32(Object raw) {
        Long value = int64(raw);
        return value != null && value.intValue() == value ? (Integer) value.intValue() : null;
    }

    private static @Nullable Long int64(Object raw) {
        if (raw instanceof String text) {
            String number = Text.trimmed(text);
            return Numbers.parseLong(number.startsWith("+") && !number.startsWith("+-") ? number.substring(1) : number);
        }
        return raw instanceof Long value ? value : null;
    }

    private static @Nullable Double real(Object raw) {
        if (raw instanceof String text) {
            String number = Text.trimmed(text);
            Double named = NOT_FINITE.get(number);
            return named == null ? Numbers.parseDouble(number) : named;
        }
        return raw instanceof Number number ? (Double) number.doubleValue() : null;
    }

    private static @Nullable Long dateTime(String name, String text) {
        Long ticks = DateTimeText.parse(Text.trimmed(text));
        if (ticks != null && ticks < Ticks.MIN) {
            throw ServiceError.of(
                    ServiceCode.OUT_OF_RANGE_INPUT,
                    "The '" + name + "' parameter of value '" + shown(ticks) + "' is out of range.");
        }
        return ticks;
    }

    private static String shown(long ticks) {
        return SHOWN.format(LocalDateTime.ofEpochSecond(Math.floorDiv(ticks, Ticks.PER_SECOND), 0, ZoneOffset.UTC));
    }

    /** The white space that .NET's decoder of base64 passes over. */
    private static String withoutWhite(String text) {
        return text.chars().noneMatch(ValueReader::isPassedOver)
                ? text
                : text.chars()
                        .filter(unit -> !isPassedOver(unit))
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
    }

    private static boolean isPassedOver(int unit) {
        return unit == ' ' || unit == '\t' || unit == '\r' || unit == '\n';
    }

    private static byte @Nullable [] binary(String text) {
        String digits = withoutWhite(text);
        if (digits.length() % 4 != 0) {
            return null; // Java's decoder does not require padding.
        }
        try {
            return Base64.getDecoder().decode(digits);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
