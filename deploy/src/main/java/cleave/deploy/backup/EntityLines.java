package cleave.deploy.backup;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entities as lines of OData JSON, with type annotations wherever JSON alone does not show the type, so that an import
 * restores them exactly. Stateless.
 */
final class EntityLines {
    /** Far more than the largest entity needs, which is 1 MiB, escaped. */
    static final int CHARACTERS_MAX = 8 << 20;

    private static final JsonFactory JSON = new JsonFactory();

    private EntityLines() {}

    /** The entities of one page, one line each, without the properties that the service adds. */
    static List<String> ofPage(byte[] page) throws IOException {
        List<String> lines = new ArrayList<>();
        try (JsonParser json = JSON.createParser(page)) {
            while (json.nextToken() != null) {
                if (json.currentToken() == JsonToken.START_ARRAY && "value".equals(json.currentName())) {
                    while (json.nextToken() == JsonToken.START_OBJECT) {
                        lines.add(line(json));
                    }
                }
            }
        }
        return lines;
    }

    private static String line(JsonParser json) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator line = JSON.createGenerator(text)) {
            line.writeStartObject();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (name.startsWith("odata.") || name.equals("Timestamp") || name.equals("Timestamp@odata.type")) {
                    continue;
                }
                line.writeFieldName(name);
                if (value.isNumeric()) {
                    line.writeNumber(json.getText()); // Unchanged, because 5.0 is a double.
                } else {
                    line.copyCurrentEvent(json);
                }
            }
            line.writeEndObject();
        }
        return text.toString();
    }

    /** The key in an entity's line. Immutable. */
    record Keys(String partitionKey, String rowKey) {}

    /** IOException if the line is not an entity. */
    static Keys keys(String line) throws IOException {
        String partitionKey = null;
        String rowKey = null;
        try (JsonParser json = JSON.createParser(line)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("it is no JSON object");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (name.equals("PartitionKey") && value == JsonToken.VALUE_STRING) {
                    partitionKey = json.getText();
                } else if (name.equals("RowKey") && value == JsonToken.VALUE_STRING) {
                    rowKey = json.getText();
                } else if (value.isStructStart()) {
                    throw new IOException("property " + name + " is no single value");
                }
            }
            if (json.nextToken() != null) {
                throw new IOException("something follows the entity");
            }
        }
        if (partitionKey == null || rowKey == null) {
            throw new IOException("it has no " + (partitionKey == null ? "PartitionKey" : "RowKey"));
        }
        return new Keys(partitionKey, rowKey);
    }

    /** A line that is too long to be an entity. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1;

        TooLong() {
            super("it is longer than " + CHARACTERS_MAX + " characters");
        }
    }

    /** The next line; null at the end. TooLong if it is too long to be an entity. */
    static @Nullable String next(Reader in) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (line.length() >= CHARACTERS_MAX) {
                throw new TooLong();
            }
            line.append((char) next);
        }
        return line.toString();
    }
}
