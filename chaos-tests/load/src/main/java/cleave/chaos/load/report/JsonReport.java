package cleave.chaos.load.report;

import cleave.chaos.load.report.Summary.WarmUp;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Schedule.Phase;
import cleave.chaos.load.run.Step;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import cleave.client.JsonText;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A summary as JSON, which holds whole histograms, so that those of several processes can be added up. Stateless. Latencies are in milliseconds.
 */
public final class JsonReport {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};
    private static final double DIGITS = 1000;

    private JsonReport() {}

    public static String of(Summary summary) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter());
            json.writeStartObject();
            setting(json, summary.setting());
            warmUp(json, summary.warmUp());
            number(json, "seconds", summary.seconds());
            number(json, "requestsPerSecond", summary.throughput());
            number(json, "goodputPerSecond", summary.goodput());
            json.writeNumberField("failed", summary.total().failed());
            json.writeNumberField("cutOff", summary.total().cutOff());
            json.writeNumberField("neverSent", summary.neverSent());
            latencies(json, "latency", summary.latency());
            latencies(json, "service", summary.service());
            latencies(json, "failedLatency", summary.failedLatency());
            actions(json, summary);
            json.writeObjectFieldStart("problems");
            for (Map.Entry<String, Long> each : summary.problems().entrySet()) {
                json.writeNumberField(each.getKey(), each.getValue());
            }
            json.writeEndObject();
            strings(json, "failures", summary.failures());
            verified(json, summary.verification());
            judgements(json, summary.judgements());
            series(json, summary.series());
            steps(json, summary.steps());
            search(json, summary.search());
            marks(json, summary.marks());
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.append('\n').toString();
    }

    private static void setting(JsonGenerator json, Summary.Setting setting) throws IOException {
        json.writeStringField("started", setting.started().toString());
        json.writeStringField("endpoint", setting.endpoint());
        json.writeStringField("table", setting.table());
        json.writeStringField("workload", setting.workload());
        json.writeStringField("does", setting.does());
        json.writeStringField("loop", setting.loop());
        schedule(json, setting.schedule());
        json.writeNumberField("connections", setting.clients());
        json.writeStringField("retries", setting.retries());
        json.writeNumberField("processes", setting.processes());
        Provenance provenance = setting.provenance();
        json.writeStringField("machine", provenance.machine());
        number(json, "machineLoad", provenance.machineLoad());
        json.writeStringField("command", provenance.command());
        json.writeStringField("seed", provenance.seed());
    }

    private static void warmUp(JsonGenerator json, WarmUp warmUp) throws IOException {
        json.writeObjectFieldStart("warmUp");
        number(json, "seconds", warmUp.seconds());
        json.writeNumberField("operations", warmUp.operations());
        json.writeNumberField("failed", warmUp.failed());
        json.writeEndObject();
    }

    /** No phases: a closed loop. */
    private static void schedule(JsonGenerator json, @Nullable Schedule schedule) throws IOException {
        json.writeArrayFieldStart("schedule");
        for (Phase phase : schedule == null ? List.<Phase>of() : schedule.phases()) {
            json.writeStartObject();
            number(json, "seconds", phase.seconds());
            number(json, "from", phase.from());
            number(json, "to", phase.to());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void actions(JsonGenerator json, Summary summary) throws IOException {
        json.writeObjectFieldStart("operations");
        for (Map.Entry<Action, Count> each : summary.counts().entrySet()) {
            Count count = each.getValue();
            json.writeObjectFieldStart(each.getKey().id());
            json.writeNumberField("done", count.done());
            json.writeNumberField("failed", count.failed());
            json.writeNumberField("cutOff", count.cutOff());
            json.writeNumberField("attempts", count.attempts());
            json.writeNumberField("retries", count.retries());
            json.writeNumberField("entities", count.entities());
            json.writeNumberField("missing", count.missing());
            latencies(json, "latency", summary.latency(each.getKey()));
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void latencies(JsonGenerator json, String name, Histogram histogram) throws IOException {
        json.writeObjectFieldStart(name);
        json.writeNumberField("count", histogram.getTotalCount());
        for (double percentile : PERCENTILES) {
            String label = String.format(Locale.ROOT, "p%s", percentile).replaceFirst("\\.0$", "");
            number(json, label, Latencies.millis(histogram, percentile));
        }
        number(json, "max", Latencies.maxMillis(histogram));
        json.writeStringField("histogram", Latencies.encoded(histogram));
        json.writeEndObject();
    }

    private static void verified(JsonGenerator json, Summary.Verified verified) throws IOException {
        json.writeObjectFieldStart("verification");
        json.writeBooleanField("asked", verified.isAsked());
        json.writeStringField("failure", verified.failure());
        json.writeNumberField("entities", verified.entities());
        json.writeNumberField("wrong", verified.wrong());
        strings(json, "problems", verified.problems());
        json.writeEndObject();
    }

    private static void judgements(JsonGenerator json, List<Judgement> judgements) throws IOException {
        json.writeArrayFieldStart("conditions");
        for (Judgement each : judgements) {
            json.writeStartObject();
            json.writeStringField("failIf", each.condition());
            json.writeStringField("found", each.found());
            json.writeBooleanField("failed", each.isFailed());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void series(JsonGenerator json, List<Second> series) throws IOException {
        json.writeArrayFieldStart("series");
        for (Second each : series) {
            json.writeStartObject();
            number(json, "second", each.second());
            number(json, "length", each.length());
            number(json, "offered", each.offered());
            number(json, "done", each.done());
            number(json, "failed", each.failed());
            number(json, "retries", each.retries());
            number(json, "p50", each.p50());
            number(json, "p99", each.p99());
            number(json, "p99.9", each.p999());
            number(json, "max", each.max());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void steps(JsonGenerator json, List<Step> steps) throws IOException {
        json.writeArrayFieldStart("steps");
        for (Step each : steps) {
            json.writeStartObject();
            number(json, "rate", each.rate());
            number(json, "seconds", each.seconds());
            json.writeNumberField("due", each.due());
            json.writeNumberField("done", each.done());
            json.writeNumberField("failed", each.failed());
            latencies(json, "latency", each.latency());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void search(JsonGenerator json, @Nullable Search search) throws IOException {
        if (search == null) {
            return;
        }
        json.writeObjectFieldStart("search");
        strings(json, "keeps", search.conditions());
        number(json, "rate", search.rate());
        number(json, "broken", search.broken());
        json.writeArrayFieldStart("tries");
        for (Search.Try each : search.tries()) {
            json.writeStartObject();
            number(json, "rate", each.rate());
            json.writeBooleanField("kept", each.isKept());
            json.writeStringField("found", each.found());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void marks(JsonGenerator json, List<RangeMark> marks) throws IOException {
        json.writeArrayFieldStart("marks");
        for (RangeMark each : marks) {
            json.writeStartObject();
            number(json, "second", each.second());
            json.writeStringField("kind", each.kind());
            json.writeStringField("text", each.text());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void strings(JsonGenerator json, String name, List<String> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (String value : values) {
            json.writeString(value);
        }
        json.writeEndArray();
    }

    /** With three digits after the point, written alike by every Java. */
    private static void number(JsonGenerator json, String name, double value) throws IOException {
        json.writeFieldName(name);
        json.writeNumber(String.format(Locale.ROOT, "%.3f", Math.rint(value * DIGITS) / DIGITS));
    }

    /** Reads what {@link #of} wrote; IOException if it is something else. */
    public static Summary read(String text) throws IOException {
        try {
            return summary(JsonText.object(text.getBytes(StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException | DateTimeException | ClassCastException | NullPointerException wrong) {
            throw new IOException("no report of 'cleave load --json': " + wrong.getMessage(), wrong);
        }
    }

    private static Summary summary(Map<String, @Nullable Object> json) {
        Map<Action, Count> counts = new EnumMap<>(Action.class);
        Map<Action, Histogram> latencies = new EnumMap<>(Action.class);
        object(json, "operations").forEach((id, value) -> {
            Action action = Action.valueOf(id.toUpperCase(Locale.ROOT).replace('-', '_'));
            Map<String, @Nullable Object> of = asObject(value);
            counts.put(
                    action,
                    new Count(
                            whole(of, "done"),
                            whole(of, "failed"),
                            whole(of, "cutOff"),
                            whole(of, "retries"),
                            whole(of, "entities"),
                            whole(of, "missing")));
            latencies.put(action, Latencies.decoded(string(object(of, "latency"), "histogram")));
        });
        Map<String, Long> problems = new TreeMap<>();
        object(json, "problems").keySet().forEach(title -> problems.put(title, whole(object(json, "problems"), title)));
        Map<String, @Nullable Object> verified = object(json, "verification");
        return new Summary(
                new Summary.Setting(
                        Instant.parse(string(json, "started")),
                        string(json, "endpoint"),
                        string(json, "table"),
                        string(json, "workload"),
                        string(json, "does"),
                        schedule(objects(json, "schedule")),
                        (int) whole(json, "connections"),
                        string(json, "retries"),
                        (int) whole(json, "processes"),
                        new Provenance(
                                string(json, "machine"),
                                real(json, "machineLoad"),
                                string(json, "command"),
                                string(json, "seed"))),
                warmUp(object(json, "warmUp")),
                real(json, "seconds"),
                counts,
                latencies,
                Latencies.decoded(string(object(json, "service"), "histogram")),
                Latencies.decoded(string(object(json, "failedLatency"), "histogram")),
                problems,
                whole(json, "neverSent"),
                texts(json, "failures"),
                objects(json, "series").stream().map(JsonReport::second).toList(),
                objects(json, "steps").stream().map(JsonReport::step).toList(),
                objects(json, "marks").stream()
                        .map(mark -> new RangeMark(real(mark, "second"), string(mark, "kind"), string(mark, "text")))
                        .toList(),
                new Summary.Verified(
                        Boolean.TRUE.equals(verified.get("asked")),
                        string(verified, "failure"),
                        whole(verified, "entities"),
                        whole(verified, "wrong"),
                        texts(verified, "problems")),
                judgements(json),
                json.containsKey("search") ? search(object(json, "search")) : null);
    }

    /** None in a report of a version that knew no conditions. */
    private static List<Judgement> judgements(Map<String, @Nullable Object> json) {
        return json.containsKey("conditions")
                ? objects(json, "conditions").stream()
                        .map(each -> new Judgement(
                                string(each, "failIf"), string(each, "found"), Boolean.TRUE.equals(each.get("failed"))))
                        .toList()
                : List.of();
    }

    private static Search search(Map<String, @Nullable Object> of) {
        return new Search(
                texts(of, "keeps"),
                real(of, "rate"),
                real(of, "broken"),
                objects(of, "tries").stream()
                        .map(each -> new Search.Try(
                                real(each, "rate"), Boolean.TRUE.equals(each.get("kept")), string(each, "found")))
                        .toList());
    }

    private static @Nullable Schedule schedule(List<Map<String, @Nullable Object>> phases) {
        return phases.isEmpty()
                ? null
                : new Schedule(phases.stream()
                        .map(phase -> new Phase(real(phase, "seconds"), real(phase, "from"), real(phase, "to")))
                        .toList());
    }

    private static WarmUp warmUp(Map<String, @Nullable Object> of) {
        return new WarmUp(real(of, "seconds"), whole(of, "operations"), whole(of, "failed"));
    }

    private static Step step(Map<String, @Nullable Object> of) {
        return new Step(
                real(of, "rate"),
                real(of, "seconds"),
                whole(of, "due"),
                whole(of, "done"),
                whole(of, "failed"),
                Latencies.decoded(string(object(of, "latency"), "histogram")));
    }

    private static Second second(Map<String, @Nullable Object> of) {
        return new Second(
                real(of, "second"),
                real(of, "length"),
                real(of, "offered"),
                real(of, "done"),
                real(of, "failed"),
                real(of, "retries"),
                real(of, "p50"),
                real(of, "p99"),
                real(of, "p99.9"),
                real(of, "max"));
    }

    private static Object member(Map<String, @Nullable Object> of, String name) {
        Object value = of.get(name);
        if (value == null) {
            throw new IllegalArgumentException("it has no " + name);
        }
        return value;
    }

    private static String string(Map<String, @Nullable Object> of, String name) {
        return (String) member(of, name);
    }

    private static long whole(Map<String, @Nullable Object> of, String name) {
        return ((Number) member(of, name)).longValue();
    }

    private static double real(Map<String, @Nullable Object> of, String name) {
        return ((Number) member(of, name)).doubleValue();
    }

    private static Map<String, @Nullable Object> object(Map<String, @Nullable Object> of, String name) {
        return asObject(member(of, name));
    }

    @SuppressWarnings("unchecked") // JsonText makes no other maps.
    private static Map<String, @Nullable Object> asObject(@Nullable Object value) {
        return (Map<String, @Nullable Object>) Objects.requireNonNull(value);
    }

    private static List<Map<String, @Nullable Object>> objects(Map<String, @Nullable Object> of, String name) {
        List<Map<String, @Nullable Object>> objects = new ArrayList<>();
        ((List<?>) member(of, name)).forEach(each -> objects.add(asObject(each)));
        return objects;
    }

    private static List<String> texts(Map<String, @Nullable Object> of, String name) {
        return ((List<?>) member(of, name)).stream().map(String.class::cast).toList();
    }
}
