package cleave.board.frame;

import cleave.board.frame.Told.Event;
import cleave.board.frame.Told.Hot;
import cleave.board.frame.Told.Note;
import cleave.board.frame.Told.Why;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes headers and frames as lines of JSON, without the line end. Pure. */
public final class FrameWriter {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .build();
    private static final double THOUSANDTHS = 1000;

    private final JsonGenerator json;

    private FrameWriter(JsonGenerator json) {
        this.json = json;
    }

    /** Fields of an object. */
    public interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    /** An object in one line. */
    public static byte[] object(Fields fields) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        try (JsonGenerator json = FACTORY.createGenerator(line)) {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return line.toByteArray();
    }

    public static byte[] line(Header header) {
        return object(json -> {
            json.writeNumberField("recording", Header.VERSION);
            json.writeStringField("by", header.by());
            json.writeStringField("cluster", header.cluster());
            json.writeStringField("title", header.title());
            json.writeBooleanField("hashed", header.hashed());
            json.writeNumberField("period", header.period());
        });
    }

    /** @param withAxis so that a reader may begin here */
    public static byte[] line(Frame frame, boolean withAxis) {
        return object(json -> new FrameWriter(json).write(frame, withAxis));
    }

    private void write(Frame frame, boolean withAxis) throws IOException {
        json.writeNumberField("n", frame.n());
        json.writeNumberField("t", frame.t());
        json.writeNumberField("span", frame.span());
        if (frame.isStale()) {
            json.writeStringField("stale", frame.stale());
            return;
        }
        if (withAxis) {
            write(frame.axis());
        }
        write(frame.cells());
        write(frame.parties());
        json.writeNumberField("ranges", frame.ranges());
        write(frame.told());
    }

    private void write(Axis axis) throws IOException {
        json.writeObjectFieldStart("axis");
        json.writeNumberField("id", axis.id());
        objects("tables", axis.tables(), table -> {
            json.writeNumberField("id", table.id());
            json.writeStringField("name", table.name());
            json.writeStringField("state", table.state());
        });
        writeCuts(json, axis.cuts());
        json.writeEndObject();
    }

    /** The field {@code cuts}. */
    public static void writeCuts(JsonGenerator json, List<Cut> cuts) throws IOException {
        json.writeArrayFieldStart("cuts");
        for (Cut cut : cuts) {
            write(json, cut);
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, Cut cut) throws IOException {
        json.writeStartArray();
        json.writeNumber(cut.table());
        json.writeString(cut.key());
        json.writeEndArray();
    }

    /** A field with a bound; null: the beginning or the end of the key space. */
    public static void writeCut(JsonGenerator json, String name, @Nullable Cut cut) throws IOException {
        json.writeFieldName(name);
        if (cut == null) {
            json.writeNull();
        } else {
            write(json, cut);
        }
    }

    /** The number of one bucket. */
    private interface Cell {
        long of(int bucket);
    }

    private void write(Cells cells) throws IOException {
        json.writeObjectFieldStart("cells");
        int buckets = cells.buckets();
        numbers("range", buckets, cells::range);
        numbers("owner", buckets, cells::owner);
        numbers("state", buckets, cells::state);
        for (Measure measure : Measure.values()) {
            numbers(measure.word(), buckets, bucket -> cells.value(measure, bucket));
        }
        json.writeEndObject();
    }

    private void numbers(String name, int count, Cell cell) throws IOException {
        json.writeArrayFieldStart(name);
        for (int bucket = 0; bucket < count; bucket++) {
            json.writeNumber(cell.of(bucket));
        }
        json.writeEndArray();
    }

    private void write(Parties parties) throws IOException {
        objects("servers", parties.servers(), server -> {
            json.writeStringField("id", server.id());
            json.writeNumberField("number", server.number());
            json.writeStringField("address", server.address());
            json.writeStringField("admin", server.admin());
            json.writeStringField("state", server.state());
            json.writeNumberField("ranges", server.ranges());
            json.writeNumberField("entities", server.entities());
            json.writeNumberField("cpu", server.cpu());
            json.writeNumberField("free", server.free());
            json.writeNumberField("reserve", server.reserve());
            json.writeNumberField("store", server.store());
            json.writeNumberField("silent", server.silent());
            json.writeNumberField("clock", server.clock());
        });
        objects("masters", parties.masters(), master -> {
            json.writeStringField("id", master.id());
            json.writeStringField("address", master.address());
            json.writeStringField("role", master.role());
            json.writeNumberField("behind", master.behind());
        });
        json.writeStringField("leader", parties.leader());
        json.writeNumberField("term", parties.term());
        objects("frontEnds", parties.frontEnds(), frontEnd -> {
            json.writeStringField("id", frontEnd.id());
            json.writeStringField("admin", frontEnd.admin());
            json.writeBooleanField("up", frontEnd.up());
            real(json, "rate", frontEnd.rate());
            real(json, "errors", frontEnd.errors());
            json.writeNumberField("p50", frontEnd.p50());
            json.writeNumberField("p99", frontEnd.p99());
        });
        objects("dfs", parties.dfs(), part -> {
            json.writeStringField("id", part.id());
            json.writeStringField("kind", part.kind());
            json.writeBooleanField("up", part.up());
            json.writeStringField("state", part.state());
            json.writeNumberField("free", part.free());
            json.writeNumberField("appended", part.appended());
        });
        objects("handoffs", parties.handoffs(), handoff -> {
            json.writeStringField("id", handoff.id());
            json.writeStringField("kind", handoff.kind());
            texts(json, "ranges", handoff.ranges());
            json.writeStringField("from", handoff.from());
            texts(json, "to", handoff.to());
            json.writeStringField("step", handoff.step());
            json.writeNumberField("ms", handoff.ms());
            json.writeStringField("asker", handoff.asker());
            json.writeStringField("reason", handoff.reason());
            json.writeArrayFieldStart("steps");
            for (Parties.Step step : handoff.steps()) {
                json.writeStartArray();
                json.writeString(step.step());
                json.writeNumber(step.ms());
                json.writeEndArray();
            }
            json.writeEndArray();
        });
    }

    private void write(Told told) throws IOException {
        writeEvents(json, told.events());
        objects("hottest", told.hottest(), this::write);
        objects("notes", told.notes(), note -> write(note));
    }

    /** The field {@code events}. */
    public static void writeEvents(JsonGenerator json, List<Event> events) throws IOException {
        objects(json, "events", events, event -> {
            json.writeNumberField("n", event.n());
            json.writeNumberField("t", event.t());
            json.writeStringField("kind", event.kind());
            texts(json, "ranges", event.ranges());
            texts(json, "servers", event.servers());
            if (!event.handoff().isEmpty()) {
                json.writeStringField("handoff", event.handoff());
            }
            json.writeStringField("reason", event.reason());
            writeFigures(json, event.figures());
            texts(json, "rejected", event.rejected());
        });
    }

    /** The field {@code figures}: arrays of name, number or text, and unit. */
    private static void writeFigures(JsonGenerator json, List<Figure> figures) throws IOException {
        json.writeArrayFieldStart("figures");
        for (Figure figure : figures) {
            json.writeStartArray();
            json.writeString(figure.name());
            if (figure.text().isEmpty()) {
                number(json, figure.value());
            } else {
                json.writeString(figure.text());
            }
            json.writeString(figure.unit());
            json.writeEndArray();
        }
        json.writeEndArray();
    }

    private void write(Hot hot) throws IOException {
        json.writeNumberField("range", hot.range());
        json.writeNumberField("table", hot.table());
        writeCut(json, "from", hot.from());
        writeCut(json, "to", hot.to());
        json.writeStringField("owner", hot.owner());
        json.writeNumberField("entities", hot.entities());
        json.writeNumberField("written", hot.written());
        json.writeNumberField("read", hot.read());
        json.writeNumberField("scanned", hot.scanned());
        json.writeNumberField("cpu", hot.cpu());
        json.writeNumberField("queue", hot.queue());
        json.writeNumberField("bytes", hot.bytes());
        json.writeStringField("window", hot.window());
        if (hot.partition() != null) {
            json.writeObjectFieldStart("partition");
            writeCut(json, "key", hot.partition().key());
            real(json, "part", hot.partition().part());
            json.writeEndObject();
        }
        writeWhy(json, hot.why());
    }

    /** The field {@code why}. */
    public static void writeWhy(JsonGenerator json, List<Why> all) throws IOException {
        objects(json, "why", all, why -> {
            json.writeStringField("of", why.of());
            json.writeStringField("reason", why.reason());
            json.writeStringField("text", why.text());
        });
    }

    private void write(Note note) throws IOException {
        json.writeStringField("kind", note.kind());
        if (note.range() != 0) {
            json.writeNumberField("range", note.range());
        }
        json.writeStringField("text", note.text());
        json.writeStringField("lab", note.lab());
        json.writeStringField("runbook", note.runbook());
    }

    /** The fields of one of several objects. */
    public interface Element<T> {
        void write(T value) throws IOException;
    }

    private <T> void objects(String name, List<T> values, Element<T> fields) throws IOException {
        objects(json, name, values, fields);
    }

    public static <T> void objects(JsonGenerator json, String name, List<T> values, Element<T> fields)
            throws IOException {
        json.writeArrayFieldStart(name);
        for (T value : values) {
            json.writeStartObject();
            fields.write(value);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void texts(JsonGenerator json, String name, List<String> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }

    /** A field with a {@link #number}. */
    public static void real(JsonGenerator json, String name, double value) throws IOException {
        json.writeFieldName(name);
        number(json, value);
    }

    /** To three places behind the point; what is no number is 0. */
    public static void number(JsonGenerator json, double value) throws IOException {
        double rounded = Double.isFinite(value) ? Math.rint(value * THOUSANDTHS) / THOUSANDTHS : 0;
        if (rounded == Math.rint(rounded) && Math.abs(rounded) < Long.MAX_VALUE) {
            json.writeNumber((long) rounded);
        } else {
            json.writeNumber(rounded);
        }
    }
}
