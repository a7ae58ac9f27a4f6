package cleave.chaos.sim.film;

import cleave.chaos.history.Operation;
import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.server.range.Belief;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The data of a film, as {@code film.html} reads them. Confined to its caller. */
final class FilmJson {
    private final Film film;
    private final JsonGenerator json;
    /** All bounds of ranges, in the order of the keys. */
    private final List<Key> bounds;

    private FilmJson(Film film, JsonGenerator json) {
        this.film = film;
        this.json = json;
        this.bounds = bounds(film);
    }

    static void write(Film film, JsonGenerator json) throws IOException {
        new FilmJson(film, json).write();
    }

    private void write() throws IOException {
        json.writeStartObject();
        json.writeStringField("title", film.title());
        json.writeNumberField("begin", seconds(film.begin()));
        json.writeNumberField("end", seconds(film.end()));
        json.writeArrayFieldStart("names");
        for (String name : film.names()) {
            json.writeString(name);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("messages");
        for (Film.Sent sent : film.messages()) {
            json.writeStartArray();
            json.writeString(sent.from());
            json.writeString(sent.to());
            json.writeString(
                    (sent.message().isAnswer() ? "<" : "") + sent.message().what());
            json.writeNumber(seconds(sent.sentNanos()));
            json.writeNumber(seconds(sent.nanos()));
            json.writeString(sent.fate().toString());
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("blocks");
        for (Film.Block block : film.blocks()) {
            json.writeStartArray();
            json.writeNumber(seconds(block.nanos()));
            json.writeString(block.from());
            json.writeString(block.to());
            json.writeBoolean(block.isBlocked());
            json.writeEndArray();
        }
        json.writeEndArray();
        write("nodes", film.nodes(), true);
        write("leaders", film.leaders(), true);
        write("faults", film.faults(), false);
        write("findings", film.findings(), true);
        write("said", film.sentences(), false);
        writeMaps();
        writeBeliefs();
        writeLogs();
        writeOperations();
        json.writeEndObject();
    }

    private static double seconds(long nanos) {
        return Math.round(nanos / 1e3) / 1e6;
    }

    private void write(String field, List<Film.Event> events, boolean withSubject) throws IOException {
        json.writeArrayFieldStart(field);
        for (Film.Event event : events) {
            json.writeStartArray();
            json.writeNumber(seconds(event.nanos()));
            if (withSubject) {
                json.writeString(event.subject());
            }
            json.writeString(event.text());
            json.writeEndArray();
        }
        json.writeEndArray();
    }

    private void writeMaps() throws IOException {
        json.writeArrayFieldStart("maps");
        Map<Long, Row> before = Map.of();
        for (Film.Seen<MasterState> map : film.maps()) {
            Map<Long, Row> rows = new TreeMap<>();
            map.what().rows().all().forEach(row -> rows.put(row.id(), row));
            String change = change(before, rows);
            if (!change.isEmpty()) {
                json.writeStartObject();
                json.writeNumberField("t", seconds(map.nanos()));
                json.writeStringField("change", change);
                json.writeArrayFieldStart("ranges");
                for (Row row : map.what().rows().all()) {
                    json.writeStartObject();
                    json.writeStringField("id", Row.idText(row.id()));
                    writeBounds(row.range());
                    json.writeNumberField("epoch", row.epoch());
                    json.writeStringField("owner", row.owner() == null ? "" : film.process(row.owner()));
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            before = rows;
        }
        json.writeEndArray();
    }

    /** What a viewer sees of a new map: new ranges and new owners, not versions. */
    private String change(Map<Long, Row> before, Map<Long, Row> after) {
        List<String> changes = new ArrayList<>();
        after.forEach((id, row) -> {
            Row old = before.get(id);
            if (old == null) {
                changes.add("range " + Row.idText(id) + " is new, with " + named(row.owner()));
            } else if (!Objects.equals(old.owner(), row.owner())) {
                changes.add(
                        "range " + Row.idText(id) + " goes from " + named(old.owner()) + " to " + named(row.owner()));
            }
        });
        before.keySet().stream()
                .filter(id -> !after.containsKey(id))
                .forEach(id -> changes.add("range " + Row.idText(id) + " is gone"));
        return String.join(", ", changes);
    }

    private String named(@Nullable Incarnation owner) {
        return owner == null ? "nobody" : film.process(owner) + " (" + owner + ")";
    }

    /** All bounds of ranges, in the order of the keys. */
    private static List<Key> bounds(Film film) {
        TreeSet<Key> bounds = new TreeSet<>();
        for (Film.Seen<MasterState> map : film.maps()) {
            map.what().rows().all().forEach(row -> bounds.add(row.range().start()));
        }
        film.beliefs().values().stream()
                .flatMap(List::stream)
                .flatMap(seen -> seen.what().stream())
                .forEach(belief -> bounds.add(belief.ownership().interval().start()));
        return List.copyOf(bounds);
    }

    /** Writes the bounds by their places among all; the end of the last range is one behind them. */
    private void writeBounds(KeyRange range) throws IOException {
        Key end = range.end();
        int at = end == null ? -1 : Collections.binarySearch(bounds, end);
        json.writeNumberField("start", Collections.binarySearch(bounds, range.start()));
        json.writeNumberField("end", at < 0 ? bounds.size() : at);
    }

    private void writeBeliefs() throws IOException {
        json.writeObjectFieldStart("beliefs");
        for (Map.Entry<String, List<Film.Seen<List<Belief>>>> server :
                film.beliefs().entrySet()) {
            json.writeArrayFieldStart(server.getKey());
            for (Film.Seen<List<Belief>> seen : server.getValue()) {
                json.writeStartObject();
                json.writeNumberField("t", seconds(seen.nanos()));
                json.writeArrayFieldStart("ranges");
                for (Belief belief : seen.what()) {
                    json.writeStartObject();
                    json.writeStringField("id", Row.idText(belief.ownership().range()));
                    writeBounds(belief.ownership().interval());
                    json.writeStringField("phase", belief.phase());
                    json.writeBooleanField("serves", belief.serves());
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private void writeLogs() throws IOException {
        json.writeObjectFieldStart("logs");
        for (Map.Entry<String, List<Film.Seen<Film.LogEnd>>> log : film.logs().entrySet()) {
            json.writeArrayFieldStart(log.getKey().replaceFirst("^ranges/", "").replaceAll("/\\d+-", "/"));
            for (Film.Seen<Film.LogEnd> seen : log.getValue()) {
                json.writeStartArray();
                json.writeNumber(seconds(seen.nanos()));
                json.writeNumber(seen.what().bytes());
                json.writeBoolean(seen.what().isSealed());
                json.writeEndArray();
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private void writeOperations() throws IOException {
        Set<Operation> wrong = Set.copyOf(film.wrong());
        json.writeArrayFieldStart("operations");
        for (Operation operation : film.operations()) {
            if (operation.call().invoked() > film.end()) {
                continue;
            }
            json.writeStartObject();
            json.writeStringField("client", Film.client(operation));
            json.writeNumberField("t", seconds(operation.call().invoked()));
            json.writeNumberField("until", seconds(operation.call().returned()));
            json.writeStringField("outcome", operation.outcome().name());
            json.writeStringField("what", operation.told());
            json.writeBooleanField("wrong", wrong.contains(operation));
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
