package cleave.deploy.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** Answers as JSON. Stateless. */
final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** The fields of an object. */
    interface Content {
        void write(JsonGenerator json) throws IOException;
    }

    /** An object over several lines. */
    static String document(Content content) {
        return written(content, true);
    }

    /** An object in one line. */
    static String line(Content content) {
        return written(content, false);
    }

    private static String written(Content content, boolean pretty) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            if (pretty) {
                json.setPrettyPrinter(new DefaultPrettyPrinter());
            }
            json.writeStartObject();
            content.write(json);
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.append('\n').toString();
    }

    /** One element of an array. */
    interface Element<T> {
        void write(T value) throws IOException;
    }

    /** An array of objects. */
    static <T> void objects(JsonGenerator json, String name, Iterable<T> values, Element<T> fields) throws IOException {
        json.writeArrayFieldStart(name);
        for (T value : values) {
            json.writeStartObject();
            fields.write(value);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    static void strings(JsonGenerator json, String name, Iterable<String> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }
}
