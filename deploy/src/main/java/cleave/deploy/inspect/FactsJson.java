package cleave.deploy.inspect;

import cleave.model.Facts;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Facts as JSON. Stateless. */
public final class FactsJson {
    private static final JsonFactory FACTORY = new JsonFactory();

    private FactsJson() {}

    /** An object over several lines. */
    public static String document(Facts facts) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter());
            write(json, facts);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.append('\n').toString();
    }

    private static void write(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Facts facts) {
            json.writeStartObject();
            for (Map.Entry<String, Object> each : facts.values().entrySet()) {
                json.writeFieldName(each.getKey());
                write(json, each.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object each : list) {
                write(json, each);
            }
            json.writeEndArray();
        } else if (value instanceof Long number) {
            json.writeNumber(number);
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else {
            json.writeString(String.valueOf(value));
        }
    }
}
