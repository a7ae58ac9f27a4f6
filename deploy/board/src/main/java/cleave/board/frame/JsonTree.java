package cleave.board.frame;

import cleave.model.Damaged;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A line of JSON as maps, lists, texts and numbers, of which a reader takes the fields that it knows. What is missing is empty or 0; what is
 * of another type is {@link Damaged}. Immutable.
 *
 * <p>An array that begins with a whole number, and holds no other values, is an array of long: most of a recording is those.
 */
final class JsonTree {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final long[] NO_NUMBERS = {};

    private final Map<String, Object> fields;

    private JsonTree(Map<String, Object> fields) {
        this.fields = fields;
    }

    static JsonTree parse(byte[] line) {
        try (JsonParser parser = FACTORY.createParser(line)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new Damaged("a line is no JSON object");
            }
            return new JsonTree(object(parser));
        } catch (JsonProcessingException malformed) {
            throw new Damaged("a line is not JSON: " + malformed.getOriginalMessage(), malformed);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static Map<String, Object> object(JsonParser parser) throws IOException {
        Map<String, Object> fields = new TreeMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            Object value = value(parser, parser.nextToken());
            if (value != null) {
                fields.put(name, value);
            }
        }
        return fields;
    }

    private static @Nullable Object value(JsonParser parser, JsonToken token) throws IOException {
        return switch (token) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    private static Object array(JsonParser parser) throws IOException {
        long[] numbers = new long[16];
        int count = 0;
        JsonToken token = parser.nextToken();
        for (; token == JsonToken.VALUE_NUMBER_INT; token = parser.nextToken()) {
            if (count == numbers.length) {
                numbers = Arrays.copyOf(numbers, 2 * count);
            }
            numbers[count++] = parser.getLongValue();
        }
        if (token == JsonToken.END_ARRAY) {
            return Arrays.copyOf(numbers, count);
        }
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(numbers[i]);
        }
        for (; token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            Object value = value(parser, token);
            if (value != null) {
                values.add(value);
            }
        }
        return values;
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    String text(String name) {
        return as(String.class, fields.getOrDefault(name, ""));
    }

    long number(String name, long otherwise) {
        return as(Number.class, fields.getOrDefault(name, otherwise)).longValue();
    }

    long number(String name) {
        return number(name, 0);
    }

    double real(String name) {
        return as(Number.class, fields.getOrDefault(name, 0L)).doubleValue();
    }

    boolean flag(String name) {
        return as(Boolean.class, fields.getOrDefault(name, false));
    }

    long[] numbers(String name) {
        return as(long[].class, fields.getOrDefault(name, NO_NUMBERS));
    }

    @SuppressWarnings("unchecked") // Only this class makes maps, and their keys are texts.
    JsonTree object(String name) {
        return new JsonTree(as(Map.class, fields.getOrDefault(name, Map.of())));
    }

    /** The objects of an array. */
    @SuppressWarnings("unchecked")
    List<JsonTree> objects(String name) {
        return list(name).stream()
                .map(each -> new JsonTree(as(Map.class, each)))
                .toList();
    }

    List<String> texts(String name) {
        return list(name).stream().map(each -> as(String.class, each)).toList();
    }

    /** The arrays of an array, each with values of several types. */
    List<List<?>> rows(String name) {
        List<List<?>> rows = new ArrayList<>();
        for (Object each : list(name)) {
            rows.add(as(List.class, each));
        }
        return rows;
    }

    /** The values of an array of several types. */
    List<?> list(String name) {
        Object value = fields.getOrDefault(name, List.of());
        return value instanceof long[] numbers && numbers.length == 0 ? List.of() : as(List.class, value);
    }

    static String textAt(List<?> row, int place) {
        return place < row.size() && row.get(place) instanceof String text ? text : "";
    }

    static double numberAt(List<?> row, int place) {
        return place < row.size() && row.get(place) instanceof Number number ? number.doubleValue() : 0;
    }

    private static <T> T as(Class<T> type, Object value) {
        if (!type.isInstance(value)) {
            throw new Damaged(
                    "a field holds " + value.getClass().getSimpleName() + " in place of " + type.getSimpleName());
        }
        return type.cast(value);
    }
}
