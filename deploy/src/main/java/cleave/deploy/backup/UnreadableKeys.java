package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the keys that the pages of a salvage could not read, one interval a line. Confined to one thread. */
final class UnreadableKeys {
    private static final JsonFactory JSON = new JsonFactory();
    /** The most intervals that the command prints; the file has all of them. */
    private static final int SHOWN_MAX = 10;

    private final Writer out;
    private final List<String> shown = new ArrayList<>();
    private @Nullable Interval last;
    private long count;

    /** @param out takes the lines; not closed here */
    UnreadableKeys(Writer out) {
        this.out = out;
    }

    /** One end of an interval. {@code isBehind}: it lies just after this key, or else just before it. Immutable. */
    private record Bound(String partitionKey, String rowKey, boolean isBehind) {}

    /** Null: the beginning of the table, or its end. Immutable. */
    private record Interval(@Nullable Bound start, @Nullable Bound end) {
        String text() throws IOException {
            StringWriter text = new StringWriter();
            try (JsonGenerator json = JSON.createGenerator(text)) {
                json.writeStartObject();
                write(json, start, "from", "after");
                write(json, end, "before", "through");
                json.writeEndObject();
            }
            return text.toString();
        }

        private static void write(JsonGenerator json, @Nullable Bound bound, String at, String behind)
                throws IOException {
            if (bound != null) {
                json.writeArrayFieldStart(bound.isBehind ? behind : at);
                json.writeString(bound.partitionKey);
                json.writeString(bound.rowKey);
                json.writeEndArray();
            }
        }
    }

    /** Takes the value of a page's header. */
    void add(String header) throws IOException {
        for (Interval each : intervals(header)) {
            add(each);
        }
    }

    private static List<Interval> intervals(String header) {
        List<Interval> all = new ArrayList<>();
        try (JsonParser json = JSON.createParser(header)) {
            expect(json, JsonToken.START_ARRAY);
            while (json.nextToken() == JsonToken.START_OBJECT) {
                all.add(interval(json));
            }
            return all;
        } catch (IOException unknown) {
            throw CommandFailure.failed(
                    "the front end says in an unknown way what it cannot read; is it of another version? "
                            + unknown.getMessage() + ": " + header);
        }
    }

    private static Interval interval(JsonParser json) throws IOException {
        Bound start = null;
        Bound end = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            switch (json.currentName()) {
                case "from" -> start = bound(json, false);
                case "after" -> start = bound(json, true);
                case "before" -> end = bound(json, false);
                case "through" -> end = bound(json, true);
                default -> throw new IOException("an interval with '" + json.currentName() + "'");
            }
        }
        return new Interval(start, end);
    }

    private static Bound bound(JsonParser json, boolean isBehind) throws IOException {
        expect(json, JsonToken.START_ARRAY);
        expect(json, JsonToken.VALUE_STRING);
        String partitionKey = json.getText();
        expect(json, JsonToken.VALUE_STRING);
        Bound bound = new Bound(partitionKey, json.getText(), isBehind);
        expect(json, JsonToken.END_ARRAY);
        return bound;
    }

    private static void expect(JsonParser json, JsonToken token) throws IOException {
        if (json.nextToken() != token) {
            throw new IOException(json.currentToken() + " where " + token + " is due");
        }
    }

    /** A page may end within an interval, with which the next one begins. */
    private void add(Interval next) throws IOException {
        Interval before = last;
        if (before != null && before.end != null && before.end.equals(next.start)) {
            last = new Interval(before.start, next.end);
        } else {
            write();
            last = next;
        }
    }

    private void write() throws IOException {
        Interval interval = last;
        last = null;
        if (interval != null) {
            String line = interval.text();
            out.write(line + '\n');
            count++;
            if (shown.size() < SHOWN_MAX) {
                shown.add(line);
            }
        }
    }

    /** Writes the rest, and answers the number of lines. */
    long end() throws IOException {
        write();
        out.flush();
        return count;
    }

    /** The first lines. */
    String shown() {
        return String.join("\n", shown) + (count > shown.size() ? "\n... and " + (count - shown.size()) + " more" : "");
    }

    /** The answer of a front end that passed nothing over, though it was asked to. */
    static CommandFailure unknown(String place) {
        return CommandFailure.failed("the front end at " + place
                + " does not say what it cannot read: it is of a version that cannot salvage. Upgrade it first");
    }
}
