package cleave.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON into maps, lists, strings, booleans, longs and doubles, where null stays null, and writes objects. Stateless. */
public final class JsonText {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonText() {}

    /** Writes the members of a JSON object. */
    public interface Members {
        void write(JsonGenerator json) throws IOException;
    }

    /** The text of a JSON object. */
    public static String of(Members members) {
        StringWriter text = new StringWriter(256);
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            members.write(json);
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    /** The members of a JSON object, in the order of the text. */
    public static Map<String, @Nullable Object> object(byte[] json) throws IOException {
        try (JsonParser parser = FACTORY.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("no JSON object");
            }
            Map<String, @Nullable Object> object = members(parser);
            if (parser.nextToken() != null) {
                throw new IOException("more than one JSON value");
            }
            return object;
        }
    }

    /** The objects in the list that a member named {@code value} holds, as queries answer. */
    public static List<Map<String, @Nullable Object>> entities(byte[] json) throws IOException {
        List<Map<String, @Nullable Object>> entities = new ArrayList<>();
        if (!(object(json).get("value") instanceof List<?> values)) {
            throw new IOException("no list named value");
        }
        for (Object value : values) {
            entities.add(asObject(value));
        }
        return entities;
    }

    @SuppressWarnings("unchecked") // Only members() makes maps here.
    private static Map<String, @Nullable Object> asObject(@Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            return (Map<String, @Nullable Object>) map;
        }
        throw new IOException("no JSON object in the list");
    }

    private static Map<String, @Nullable Object> members(JsonParser parser) throws IOException {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            if (members.containsKey(name)) {
                throw new IOException("the member " + name + " stands there twice");
            }
            members.put(name, value(parser));
        }
        return members;
    }

    private static List<@Nullable Object> items(JsonParser parser) throws IOException {
        List<@Nullable Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(parser));
        }
        return items;
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> members(parser);
            case START_ARRAY -> items(parser);
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new IOException("no JSON value: " + parser.currentToken());
        };
    }
}
