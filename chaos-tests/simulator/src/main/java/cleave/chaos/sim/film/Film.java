package cleave.chaos.sim.film;

import cleave.chaos.history.Operation;
import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.cluster.SimWorkload;
import cleave.chaos.sim.dfs.SimDfs;
import cleave.chaos.sim.world.Camera;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.Message;
import cleave.chaos.sim.world.Node;
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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One run, recorded for {@link FilmPage}: processes, messages, the map, what each server believes of its ranges, logs, operations and
 * violations. It only looks, so a run with a film is the same as one without. Confined to the simulation.
 */
public final class Film implements Camera {
    private static final long LOOK_NANOS = 1_000_000;
    /** To look at a log may be to read all of it. */
    private static final long LOG_LOOK_NANOS = 5_000_000;

    private static final long BEFORE_NANOS = 2_000_000_000;
    /** Heartbeats and the syncs of a disk would hide what matters. */
    private static final Set<String> CHATTER = Set.of("Heartbeat", "NoOp", "sync");

    /** Machines, clients and the DFS; not the judges that check when all is over. */
    private static final Pattern PARTICIPANT = Pattern.compile("[dfms]\\d+(\\.\\d+)?|c\\d{1,2}|" + SimDfs.NODE);

    private final String title;
    private final SimCluster cluster;
    private final SimWorkload workload;
    private final List<Sent> messages = new ArrayList<>();
    private final List<Event> nodes = new ArrayList<>();
    private final List<Event> faults = new ArrayList<>();
    private final List<Event> leaders = new ArrayList<>();
    private final List<Event> findings = new ArrayList<>();
    private final List<Event> sentences = new ArrayList<>();
    private final List<Block> blocks = new ArrayList<>();
    private final List<Seen<MasterState>> maps = new ArrayList<>();
    private final Map<String, List<Seen<List<Belief>>>> beliefs = new TreeMap<>();
    private final Map<String, List<Seen<LogEnd>>> logs = new LinkedHashMap<>();
    private final Set<String> up = new TreeSet<>();
    private final Map<String, Long> pausedUntil = new TreeMap<>();
    /** Which process is, or was, an incarnation. */
    private final Map<Incarnation, String> processes = new HashMap<>();

    private long nextLook;
    private long nextLookAtLogs;
    private long begin;
    private long end;
    private boolean isOver;

    /** A message and its fate. */
    private record Sent(long sentNanos, long nanos, Message message, boolean isLost) {}

    private record Event(long nanos, String subject, String text) {}

    /** How something looked from this moment on. */
    private record Seen<T>(long nanos, T what) {}

    private record Block(long nanos, String from, String to, boolean isBlocked) {}

    private record LogEnd(long bytes, boolean isSealed) {}

    public Film(String title, SimCluster cluster, SimWorkload workload) {
        this.title = title;
        this.cluster = cluster;
        this.workload = workload;
    }

    /**
     * Where it begins to play, in virtual nanoseconds: a story at its beginning, a run shortly before what went wrong. A history is judged
     * at the end, but went wrong by the last of the operations that fit no order together.
     */
    long startNanos() {
        if (isStory() || findings.isEmpty()) {
            return begin;
        }
        long wrong = workload.history().operations().stream()
                .filter(this::isWrong)
                .mapToLong(operation -> operation.call().invoked())
                .max()
                .orElse(findings.get(0).nanos());
        return Math.max(begin, wrong - BEFORE_NANOS);
    }

    /** True for an operation that a violation names. */
    private boolean isWrong(Operation operation) {
        String call = operation.call().toString();
        return findings.stream().anyMatch(each -> each.text().contains(call));
    }

    boolean isStory() {
        return begin > 0;
    }

    /** What follows a story repairs and checks; of that, it shows what was found. */
    @Override
    public void scene(long nanos, boolean begins) {
        if (begins) {
            begin = nanos;
            messages.clear();
        } else {
            isOver = true;
            end = nanos;
        }
    }

    @Override
    public void arrived(long sentNanos, long nanos, Message message) {
        add(new Sent(sentNanos, nanos, message, false));
    }

    @Override
    public void lost(long sentNanos, long nanos, Message message) {
        add(new Sent(sentNanos, nanos, message, true));
    }

    private void add(Sent sent) {
        if (!isOver && !CHATTER.contains(sent.message().what())) {
            messages.add(sent);
        }
    }

    @Override
    public void noted(long nanos, String node, String what, String detail) {
        if (isOver) {
            return;
        }
        switch (what) {
            case "starts" -> {
                nodes.add(new Event(nanos, node, "up"));
                up.add(node);
            }
            case "crashes" -> {
                nodes.add(new Event(nanos, node, "down"));
                up.remove(node);
                pausedUntil.remove(node);
            }
            case "leads" -> leaders.add(new Event(nanos, node, detail));
            default -> {
                if (node.equals("fault") || (node.equals("operator") && !what.startsWith("->"))) {
                    faults.add(new Event(nanos, node, (what + " " + detail).strip()));
                }
            }
        }
    }

    @Override
    public void paused(long nanos, String node, long untilNanos) {
        if (!isOver && up.contains(node)) {
            if (untilNanos > nanos) {
                nodes.add(new Event(nanos, node, "paused"));
            }
            pausedUntil.put(node, untilNanos); // It goes on at the next look after that.
        }
    }

    @Override
    public void blocked(long nanos, String from, String to, boolean isBlocked) {
        if (!isOver) {
            blocks.add(new Block(nanos, from, to, isBlocked));
        }
    }

    @Override
    public void said(long nanos, String sentence) {
        sentences.add(new Event(nanos, "", sentence));
    }

    @Override
    public void violated(long nanos, Finding finding) {
        findings.add(new Event(isOver ? end : nanos, finding.by().name(), finding.what()));
    }

    @Override
    public void looks(long nanos) {
        if (isOver) {
            return;
        }
        end = nanos;
        MasterState map = cluster.audited();
        if (maps.isEmpty() || maps.get(maps.size() - 1).what().mapVersion() != map.mapVersion()) {
            maps.add(new Seen<>(nanos, map));
        }
        if (nanos < nextLook) {
            return;
        }
        nextLook = nanos + LOOK_NANOS;
        pausedUntil.entrySet().removeIf(each -> {
            boolean isOver = each.getValue() <= nanos;
            if (isOver) {
                nodes.add(new Event(nanos, each.getKey(), "running"));
            }
            return isOver;
        });
        for (Node server : cluster.servers()) {
            beliefs.computeIfAbsent(server.name(), first -> new ArrayList<>());
        }
        beliefs.forEach((server, seen) -> {
            note(seen, nanos, cluster.roles().beliefs(server)); // Also of those that were replaced.
            Incarnation incarnation = cluster.roles().incarnation(server);
            if (incarnation != null) {
                processes.put(incarnation, server);
            }
        });
        if (cluster.dfs().isVisible() && nanos >= nextLookAtLogs) {
            nextLookAtLogs = nanos + LOG_LOOK_NANOS;
            lookAtLogs(nanos);
        }
    }

    private void lookAtLogs(long nanos) {
        for (String path : cluster.auditor().reachable()) {
            if (path.contains("-log-")) {
                logs.computeIfAbsent(path, first -> new ArrayList<>());
            }
        }
        logs.forEach((path, ends) -> note(
                ends,
                nanos,
                cluster.dfs().exists(path)
                        ? new LogEnd(
                                cluster.dfs().durableLength(path), cluster.dfs().isSealed(path))
                        : new LogEnd(-1, true)));
    }

    private static <T> void note(List<Seen<T>> seen, long nanos, T what) {
        if (seen.isEmpty() || !seen.get(seen.size() - 1).what().equals(what)) {
            seen.add(new Seen<>(nanos, what));
        }
    }

    void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("title", title);
        json.writeNumberField("begin", seconds(begin));
        json.writeNumberField("end", seconds(end));
        List<String> names = new ArrayList<>(names());
        json.writeArrayFieldStart("names");
        for (String name : names) {
            json.writeString(name);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("messages");
        for (Sent sent : messages) {
            json.writeStartArray();
            json.writeString(place(sent.message().from()));
            json.writeString(place(sent.message().to()));
            json.writeString(
                    (sent.message().isAnswer() ? "<" : "") + sent.message().what());
            json.writeNumber(seconds(sent.sentNanos()));
            json.writeNumber(seconds(sent.nanos()));
            json.writeString(sent.isLost() ? "lost" : "ok");
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("blocks");
        for (Block block : blocks) {
            json.writeStartArray();
            json.writeNumber(seconds(block.nanos()));
            json.writeString(block.from());
            json.writeString(block.to());
            json.writeBoolean(block.isBlocked());
            json.writeEndArray();
        }
        json.writeEndArray();
        write(json, "nodes", nodes, true);
        write(json, "leaders", leaders, true);
        write(json, "faults", faults, false);
        write(json, "findings", findings, true);
        write(json, "said", sentences, false);
        List<Key> bounds = bounds();
        writeMaps(json, bounds);
        writeBeliefs(json, bounds);
        writeLogs(json);
        writeOperations(json);
        json.writeEndObject();
    }

    private Set<String> names() {
        TreeSet<String> names = new TreeSet<>((one, other) -> {
            int byLength = Integer.compare(one.length(), other.length());
            return byLength != 0 ? byLength : one.compareTo(other);
        });
        cluster.nodes().forEach(node -> names.add(node.name()));
        nodes.forEach(event -> names.add(event.subject()));
        for (Sent sent : messages) {
            names.add(place(sent.message().from()));
            names.add(place(sent.message().to()));
        }
        names.removeIf(name -> !PARTICIPANT.matcher(name).matches());
        return names;
    }

    /** Disks are drawn at the DFS. */
    private static String place(String node) {
        return node.equals("disk") ? SimDfs.NODE : node;
    }

    private static String client(Operation operation) {
        return "c" + operation.call().client();
    }

    private static double seconds(long nanos) {
        return Math.round(nanos / 1e3) / 1e6;
    }

    private static void write(JsonGenerator json, String field, List<Event> events, boolean withSubject)
            throws IOException {
        json.writeArrayFieldStart(field);
        for (Event event : events) {
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

    private void writeMaps(JsonGenerator json, List<Key> bounds) throws IOException {
        json.writeArrayFieldStart("maps");
        Map<Long, Row> before = Map.of();
        for (Seen<MasterState> map : maps) {
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
                    writeBounds(json, row.range(), bounds);
                    json.writeNumberField("epoch", row.epoch());
                    json.writeStringField("owner", row.owner() == null ? "" : process(row.owner()));
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

    private String process(Incarnation owner) {
        return processes.getOrDefault(owner, owner.server());
    }

    private String named(@Nullable Incarnation owner) {
        return owner == null ? "nobody" : process(owner) + " (" + owner + ")";
    }

    /** All bounds of ranges, in the order of the keys. */
    private List<Key> bounds() {
        TreeSet<Key> bounds = new TreeSet<>();
        for (Seen<MasterState> map : maps) {
            map.what().rows().all().forEach(row -> bounds.add(row.range().start()));
        }
        beliefs.values().stream()
                .flatMap(List::stream)
                .flatMap(seen -> seen.what().stream())
                .forEach(belief -> bounds.add(belief.ownership().interval().start()));
        return List.copyOf(bounds);
    }

    /** Writes the bounds by their places among all; the end of the last range is one behind them. */
    private static void writeBounds(JsonGenerator json, KeyRange range, List<Key> bounds) throws IOException {
        Key end = range.end();
        int at = end == null ? -1 : Collections.binarySearch(bounds, end);
        json.writeNumberField("start", Collections.binarySearch(bounds, range.start()));
        json.writeNumberField("end", at < 0 ? bounds.size() : at);
    }

    private void writeBeliefs(JsonGenerator json, List<Key> bounds) throws IOException {
        json.writeObjectFieldStart("beliefs");
        for (Map.Entry<String, List<Seen<List<Belief>>>> server : beliefs.entrySet()) {
            json.writeArrayFieldStart(server.getKey());
            for (Seen<List<Belief>> seen : server.getValue()) {
                json.writeStartObject();
                json.writeNumberField("t", seconds(seen.nanos()));
                json.writeArrayFieldStart("ranges");
                for (Belief belief : seen.what()) {
                    json.writeStartObject();
                    json.writeStringField("id", Row.idText(belief.ownership().range()));
                    writeBounds(json, belief.ownership().interval(), bounds);
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

    private void writeLogs(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("logs");
        for (Map.Entry<String, List<Seen<LogEnd>>> log : logs.entrySet()) {
            json.writeArrayFieldStart(log.getKey().replaceFirst("^ranges/", "").replaceAll("/\\d+-", "/"));
            for (Seen<LogEnd> seen : log.getValue()) {
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

    private void writeOperations(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("operations");
        for (Operation operation : workload.history().operations()) {
            if (operation.call().invoked() > end) {
                continue;
            }
            json.writeStartObject();
            json.writeStringField("client", client(operation));
            json.writeNumberField("t", seconds(operation.call().invoked()));
            json.writeNumberField("until", seconds(operation.call().returned()));
            json.writeStringField("outcome", operation.outcome().name());
            json.writeStringField("what", operation.told());
            json.writeBooleanField("wrong", isWrong(operation));
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
