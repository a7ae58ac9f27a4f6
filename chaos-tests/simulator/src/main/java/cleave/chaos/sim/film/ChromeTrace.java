package cleave.chaos.sim.film;

import cleave.chaos.history.Operation;
import cleave.master.state.MasterState;
import cleave.model.Row;
import cleave.server.range.Belief;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A run in Chrome's trace event format, which Perfetto ({@code ui.perfetto.dev}) opens: processes with their states, what each server
 * believes of its ranges, owners in the map, operations as slices, messages as arrows from slice to slice. Times are microseconds of
 * virtual time. Confined to its caller.
 */
final class ChromeTrace {
    private static final double NANOS_PER_MICRO = 1e3;
    private static final long SLICE_NANOS = 1_000;
    private static final String THE_RUN = "the run";
    private static final String THE_MAP = "the map";

    private final Film film;
    private final JsonGenerator json;
    /** Numbers of processes by name, and of their threads by name. */
    private final Map<String, Integer> processes = new LinkedHashMap<>();

    private final Map<String, Map<String, Integer>> threads = new LinkedHashMap<>();

    /** One end of a message. */
    private record Point(long nanos, Film.Sent sent, int number, boolean isStart) {}

    private ChromeTrace(Film film, JsonGenerator json) {
        this.film = film;
        this.json = json;
    }

    static void write(Film film, Writer out) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            new ChromeTrace(film, json).write();
        }
    }

    private void write() throws IOException {
        json.writeStartObject();
        json.writeStringField("displayTimeUnit", "ms");
        json.writeObjectFieldStart("otherData");
        json.writeStringField("run", film.title());
        json.writeEndObject();
        json.writeArrayFieldStart("traceEvents");
        instants("faults", film.faults());
        instants("findings", film.findings());
        instants("story", film.sentences());
        map();
        operations();
        states();
        beliefs();
        messages();
        json.writeEndArray();
        json.writeEndObject();
    }

    private void begin(String phase, String process, String thread, String name, long nanos) throws IOException {
        int pid = number(process);
        int tid = number(process, thread, pid);
        json.writeStartObject();
        json.writeStringField("ph", phase);
        json.writeNumberField("pid", pid);
        json.writeNumberField("tid", tid);
        json.writeStringField("name", name);
        json.writeNumberField("ts", nanos / NANOS_PER_MICRO);
    }

    private int number(String process) throws IOException {
        Integer known = processes.get(process);
        if (known != null) {
            return known;
        }
        int pid = processes.size() + 1;
        processes.put(process, pid);
        metadata("process_name", pid, 0, process);
        return pid;
    }

    private int number(String process, String thread, int pid) throws IOException {
        Map<String, Integer> of = threads.computeIfAbsent(process, first -> new TreeMap<>());
        Integer known = of.get(thread);
        if (known != null) {
            return known;
        }
        int tid = of.size() + 1;
        of.put(thread, tid);
        metadata("thread_name", pid, tid, thread);
        return tid;
    }

    private void metadata(String what, int pid, int tid, String name) throws IOException {
        json.writeStartObject();
        json.writeStringField("ph", "M");
        json.writeStringField("name", what);
        json.writeNumberField("pid", pid);
        json.writeNumberField("tid", tid);
        json.writeObjectFieldStart("args");
        json.writeStringField("name", name);
        json.writeEndObject();
        json.writeEndObject();
    }

    private void slice(String process, String thread, String name, long from, long to, Map<String, String> args)
            throws IOException {
        begin("X", process, thread, name, from);
        json.writeNumberField("dur", (to - from) / NANOS_PER_MICRO);
        json.writeObjectFieldStart("args");
        for (Map.Entry<String, String> each : args.entrySet()) {
            json.writeStringField(each.getKey(), each.getValue());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private void instants(String thread, List<Film.Event> events) throws IOException {
        for (Film.Event event : events) {
            String subject = event.subject().isEmpty() || event.subject().equals("fault") ? "" : event.subject() + ": ";
            begin("i", THE_RUN, thread, subject + event.text(), event.nanos());
            json.writeStringField("s", "p");
            json.writeEndObject();
        }
    }

    /** Who owns each range, for as long as it does. */
    private void map() throws IOException {
        Map<Long, Film.Seen<Row>> open = new TreeMap<>();
        for (Film.Seen<MasterState> map : film.maps()) {
            Map<Long, Row> rows = new TreeMap<>();
            map.what().rows().all().forEach(row -> rows.put(row.id(), row));
            for (Film.Seen<Row> before : List.copyOf(open.values())) {
                Row now = rows.get(before.what().id());
                if (now == null || !owner(now).equals(owner(before.what()))) {
                    owned(before, map.nanos());
                    open.remove(before.what().id());
                }
            }
            rows.forEach((id, row) -> open.putIfAbsent(id, new Film.Seen<>(map.nanos(), row)));
        }
        for (Film.Seen<Row> last : open.values()) {
            owned(last, film.end());
        }
    }

    private String owner(Row row) {
        return (row.owner() == null ? "nobody" : film.process(row.owner())) + ", epoch " + row.epoch();
    }

    private void owned(Film.Seen<Row> row, long until) throws IOException {
        Map<String, String> args = Map.of("range", row.what().range().toString());
        slice(THE_MAP, "range " + Row.idText(row.what().id()), owner(row.what()), row.nanos(), until, args);
    }

    private void operations() throws IOException {
        Set<Operation> wrong = Set.copyOf(film.wrong());
        Map<String, Lanes> lanes = new TreeMap<>();
        List<Operation> operations = new ArrayList<>(film.operations());
        operations.sort(Comparator.comparingLong(operation -> operation.call().invoked()));
        operations.removeIf(operation -> operation.call().invoked() > film.end());
        for (Operation operation : operations) {
            String client = Film.client(operation);
            long from = operation.call().invoked();
            long to = operation.call().returned();
            int lane = lanes.computeIfAbsent(client, first -> new Lanes()).lane(from, to);
            String thread = "operations" + (lane == 0 ? "" : " " + (lane + 1));
            Map<String, String> args = new TreeMap<>();
            args.put("outcome", operation.outcome().name());
            if (wrong.contains(operation)) {
                args.put("violation", "names it");
            }
            slice(client, thread, operation.told(), from, to, args);
        }
    }

    private void states() throws IOException {
        Map<String, Film.Event> last = new TreeMap<>();
        for (Film.Event event : film.nodes()) {
            Film.Event before = last.put(event.subject(), event);
            if (before != null) {
                state(before, event.nanos());
            }
        }
        for (Film.Event event : last.values()) {
            state(event, film.end());
        }
    }

    private void state(Film.Event event, long until) throws IOException {
        String name = event.text().equals("running") ? "up" : event.text();
        slice(event.subject(), "process", name, event.nanos(), Math.max(event.nanos(), until), Map.of());
    }

    /** Each range by a server's belief, phase by phase: openings and handoffs are phases. */
    private void beliefs() throws IOException {
        for (Map.Entry<String, List<Film.Seen<List<Belief>>>> server :
                film.beliefs().entrySet()) {
            Map<String, Film.Seen<String>> open = new TreeMap<>();
            for (Film.Seen<List<Belief>> seen : server.getValue()) {
                Map<String, String> now = new TreeMap<>();
                seen.what()
                        .forEach(belief -> now.put(Row.idText(belief.ownership().range()), phase(belief)));
                for (Map.Entry<String, Film.Seen<String>> before : List.copyOf(open.entrySet())) {
                    if (!before.getValue().what().equals(now.get(before.getKey()))) {
                        believed(server.getKey(), before.getKey(), before.getValue(), seen.nanos());
                        open.remove(before.getKey());
                    }
                }
                now.forEach((range, phase) -> open.putIfAbsent(range, new Film.Seen<>(seen.nanos(), phase)));
            }
            for (Map.Entry<String, Film.Seen<String>> last : open.entrySet()) {
                believed(server.getKey(), last.getKey(), last.getValue(), film.end());
            }
        }
    }

    private static String phase(Belief belief) {
        return belief.serves() ? "serves" : belief.phase();
    }

    private void believed(String server, String range, Film.Seen<String> phase, long until) throws IOException {
        slice(server, "range " + range, phase.what(), phase.nanos(), until, Map.of());
    }

    private void messages() throws IOException {
        Set<String> names = film.names();
        Map<String, List<Point>> points = new TreeMap<>();
        int number = 0;
        for (Film.Sent sent : film.messages()) {
            if (names.contains(sent.from()) && names.contains(sent.to())) {
                number++;
                points.computeIfAbsent(sent.from(), first -> new ArrayList<>())
                        .add(new Point(sent.sentNanos(), sent, number, true));
                if (sent.fate() == Film.Fate.ARRIVED) {
                    points.computeIfAbsent(sent.to(), first -> new ArrayList<>())
                            .add(new Point(sent.nanos(), sent, number, false));
                }
            }
        }
        for (Map.Entry<String, List<Point>> process : points.entrySet()) {
            List<Point> all = process.getValue();
            all.sort(Comparator.comparingLong(Point::nanos));
            for (int i = 0; i < all.size(); i++) {
                message(process.getKey(), all.get(i), next(all, i));
            }
        }
    }

    /** The next moment at which there is a message: a slice ends before, because slices of a thread lie within each other or apart. */
    private static long next(List<Point> all, int from) {
        long nanos = all.get(from).nanos();
        for (int i = from + 1; i < all.size(); i++) {
            if (all.get(i).nanos() > nanos) {
                return all.get(i).nanos();
            }
        }
        return Long.MAX_VALUE;
    }

    private void message(String process, Point point, long next) throws IOException {
        Film.Sent sent = point.sent();
        String what =
                (sent.message().isAnswer() ? "answer: " : "") + sent.message().what();
        Map<String, String> args = new TreeMap<>();
        args.put("from", sent.from());
        args.put("to", sent.to());
        if (!sent.message().about().isEmpty()) {
            args.put("about", sent.message().about());
        }
        if (sent.fate() != Film.Fate.ARRIVED) {
            args.put("fate", sent.fate().toString());
        }
        slice(process, "messages", what, point.nanos(), Math.min(point.nanos() + SLICE_NANOS, next), args);
        if (sent.fate() == Film.Fate.ARRIVED) {
            begin(point.isStart() ? "s" : "f", process, "messages", "message", point.nanos());
            json.writeStringField("cat", "message");
            json.writeNumberField("id", point.number());
            if (!point.isStart()) {
                json.writeStringField("bp", "e"); // The end belongs to the slice around it, not to the next one.
            }
            json.writeEndObject();
        }
    }
}
