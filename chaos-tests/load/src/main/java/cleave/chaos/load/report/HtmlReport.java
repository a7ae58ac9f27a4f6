package cleave.chaos.load.report;

import cleave.chaos.load.run.Step;
import cleave.chaos.load.workload.Action;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** A summary as one page for a browser, which holds all that it needs: script, style and data. Stateless. */
public final class HtmlReport {
    private static final String POM = "/META-INF/maven/org.webjars.npm/uplot/pom.properties";
    private static final String FOLDER = "/META-INF/resources/webjars/uplot/";
    /** A percentile is drawn at 1/(1-p): 50% at 2, 90% at 10, 99% at 100, so that each nine is as wide as the next. */
    private static final List<Integer> NINES = List.of(1, 2, 10, 100, 1000, 10_000, 100_000);

    private static final int STEPS_OF_NINE = 20;

    private HtmlReport() {}

    public static String of(Summary summary) {
        String page = resource("/cleave/chaos/load/report/page.html");
        return page.replace(
                        "{{title}}",
                        text(summary.setting().workload() + " on "
                                + summary.setting().endpoint()))
                .replace("{{about}}", about(summary))
                .replace("{{notes}}", notes(summary))
                .replace("{{table}}", table(Table.ofOperations(summary)))
                .replace("{{steps}}", steps(summary.steps()))
                .replace("{{basis}}", basis(summary))
                .replace("{{marks}}", marks(summary.marks()))
                .replace("{{uplot.css}}", uplot("uPlot.min.css"))
                .replace("{{uplot.js}}", uplot("uPlot.iife.min.js"))
                .replace("{{data}}", data(summary));
    }

    private static String uplot(String file) {
        Properties pom = new Properties();
        try (InputStream in = open(POM)) {
            pom.load(in);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return resource(FOLDER + pom.getProperty("version") + "/dist/" + file);
    }

    private static InputStream open(String path) {
        InputStream in = HtmlReport.class.getResourceAsStream(path);
        if (in == null) {
            throw new IllegalStateException("the class path lacks " + path);
        }
        return in;
    }

    private static String resource(String path) {
        try (InputStream in = open(path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String about(Summary summary) {
        Summary.Setting setting = summary.setting();
        return Stream.of(
                        setting.does(),
                        setting.loop() + ", " + setting.clients() + " in flight"
                                + (setting.processes() == 1 ? "" : " of " + setting.processes() + " processes")
                                + "; retries: " + setting.retries(),
                        "table " + setting.table() + ", begun at " + setting.started() + "; " + summary.warmUp(),
                        String.format(
                                Locale.ROOT,
                                "throughput %,.0f requests/s, goodput %,.0f operations/s, %,d of %,d operations failed",
                                summary.throughput(),
                                summary.goodput(),
                                summary.total().failed(),
                                summary.total().operations()),
                        "sent by " + setting.provenance().machine() + TerminalReport.load(setting.provenance())
                                + "; seed "
                                + setting.provenance().seed() + "; "
                                + setting.provenance().command())
                .map(line -> "<p class=\"about\">" + text(line) + "</p>")
                .collect(Collectors.joining("\n"));
    }

    private static String notes(Summary summary) {
        List<String> bad = new ArrayList<>();
        if (summary.neverSent() > 0) {
            bad.add(String.format(
                    Locale.ROOT,
                    "%,d operations were due and never sent, since others were waiting for answers; no latency"
                            + " counts them.",
                    summary.neverSent()));
        }
        if (summary.total().cutOff() > 0) {
            bad.add(String.format(
                    Locale.ROOT,
                    "%,d operations were waiting for a retry when the run ended; they count neither as done nor as"
                            + " failed.",
                    summary.total().cutOff()));
        }
        summary.problems()
                .forEach((title, count) ->
                        bad.add(String.format(Locale.ROOT, "%,d attempts ended with %s.", count, title)));
        Summary.Verified verified = summary.verification();
        if (!verified.failure().isEmpty()) {
            bad.add("The verification failed, since the table could not be read back: " + verified.failure());
        }
        bad.addAll(verified.problems());
        summary.judgements().stream()
                .filter(Judgement::isFailed)
                .map(TerminalReport::told)
                .forEach(bad::add);
        String text = (bad.isEmpty() ? "" : "<p class=\"bad\">" + text(String.join("\n", bad)) + "</p>")
                + failures(summary.failures());
        List<String> good = new ArrayList<>();
        if (verified.isAsked() && verified.isRight()) {
            good.add(String.format(
                    Locale.ROOT,
                    "%,d entities were read back and are as they were acknowledged.",
                    verified.entities()));
        }
        Search search = summary.search();
        if (search != null) {
            (search.isFound() ? good : bad).add(search.result());
        }
        summary.judgements().stream()
                .filter(each -> !each.isFailed())
                .map(TerminalReport::told)
                .forEach(good::add);
        return good.isEmpty() ? text : text + "<p class=\"good\">" + text(String.join("\n", good)) + "</p>";
    }

    private static String failures(List<String> failures) {
        return failures.isEmpty()
                ? ""
                : "\n<details><summary>The first failures</summary><p class=\"bad\">"
                        + text(String.join("\n", failures)) + "</p></details>";
    }

    private static String basis(Summary summary) {
        return "Of operations that succeeded, since they were "
                + (summary.setting().isOpen() ? "due, whenever they were sent." : "sent.")
                + (summary.total().failed() > 0 ? " (failed): of the others." : "");
    }

    private static String table(Table table) {
        return row("th", table.heads())
                + table.rows().stream()
                        .map(row -> row("td", row.cells("%,.2f")))
                        .collect(Collectors.joining());
    }

    private static String row(String tag, List<String> cells) {
        return cells.stream()
                .map(cell -> "<" + tag + ">" + cell + "</" + tag + ">")
                .collect(Collectors.joining("", "<tr>", "</tr>"));
    }

    /** A table, and places for two charts; nothing if there are no steps. */
    private static String steps(List<Step> steps) {
        return steps.isEmpty()
                ? ""
                : "<h2>Steps</h2>\n<div class=\"scrolled\"><table class=\"figures\">" + table(Table.ofSteps(steps))
                        + "</table></div>\n<h2>Latency by rate, in ms</h2>\n<div id=\"rates\"></div>\n"
                        + "<h2>Latency by percentile of each step, in ms</h2>\n<div id=\"steps\"></div>";
    }

    private static String marks(List<RangeMark> marks) {
        if (marks.isEmpty()) {
            return "";
        }
        return marks.stream()
                .map(mark -> String.format(
                        Locale.ROOT,
                        "<li><span class=\"at\">%1$.1f s</span><b class=\"%2$s\">%2$s</b>%3$s</li>",
                        mark.second(),
                        text(mark.kind()),
                        text(mark.text())))
                .collect(Collectors.joining(
                        "\n", "<h2>What happened to ranges</h2>\n<ul class=\"marks\">\n", "\n</ul>"));
    }

    private static String data(Summary summary) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            write(json, summary);
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, Summary summary) throws IOException {
        List<Double> ladder = ladder();
        List<Second> series = summary.series();
        numbers(json, "seconds", series, second -> second.second() - second.length() / 2);
        json.writeFieldName("end");
        number(json, Math.max(1e-3, summary.seconds()));
        numbers(json, "p50", series, Second::p50);
        numbers(json, "p99", series, Second::p99);
        numbers(json, "p999", series, Second::p999);
        numbers(json, "max", series, Second::max);
        numbers(json, "done", series, Second::done);
        numbers(json, "offered", series, Second::offered);
        numbers(json, "failed", series, Second::failed);
        numbers(json, "retries", series, Second::retries);
        json.writeArrayFieldStart("nines");
        for (int nine : nines(summary)) {
            json.writeNumber(nine);
        }
        json.writeEndArray();
        numbers(json, "ladder", ladder, each -> each);
        json.writeArrayFieldStart("percentiles");
        for (Map.Entry<Action, Histogram> each : summary.latencies().entrySet()) {
            curve(json, each.getKey().id(), each.getValue(), ladder);
        }
        if (summary.latencies().size() > 1) {
            curve(json, "all", summary.latency(), ladder);
        }
        if (summary.failedLatency().getTotalCount() > 0) {
            curve(json, "(failed)", summary.failedLatency(), ladder);
        }
        json.writeEndArray();
        steps(json, summary.steps(), ladder);
        json.writeArrayFieldStart("marks");
        for (RangeMark mark : summary.marks()) {
            json.writeStartObject();
            json.writeFieldName("second");
            number(json, mark.second());
            json.writeStringField("kind", mark.kind());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** By rate, which is not always the order in which they were taken. */
    private static void steps(JsonGenerator json, List<Step> steps, List<Double> ladder) throws IOException {
        List<Step> byRate =
                steps.stream().sorted(Comparator.comparingDouble(Step::rate)).toList();
        json.writeObjectFieldStart("steps");
        numbers(json, "rate", byRate, Step::rate);
        numbers(json, "p50", byRate, step -> Latencies.millis(step.latency(), 50));
        numbers(json, "p99", byRate, step -> Latencies.millis(step.latency(), 99));
        numbers(json, "p999", byRate, step -> Latencies.millis(step.latency(), 99.9));
        numbers(json, "max", byRate, step -> Latencies.maxMillis(step.latency()));
        json.writeArrayFieldStart("percentiles");
        for (Step step : steps) {
            curve(json, Table.name(step), step.latency(), ladder);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Draws the series as far as there are values. */
    private static List<Integer> nines(Summary summary) {
        long values = Math.max(
                summary.latency().getTotalCount(), summary.failedLatency().getTotalCount());
        int shown = 2;
        while (shown < NINES.size() - 1 && NINES.get(shown) < values) {
            shown++;
        }
        return NINES.subList(0, shown + 1);
    }

    /** Where percentiles are drawn, evenly on a logarithmic axis. */
    private static List<Double> ladder() {
        List<Double> ladder = new ArrayList<>();
        int last = NINES.get(NINES.size() - 1);
        for (int step = 0; step <= STEPS_OF_NINE * Math.log10(last); step++) {
            ladder.add(Math.pow(10, step / (double) STEPS_OF_NINE));
        }
        return ladder;
    }

    /** Beyond the percentile of its last value a curve would be flat, and ends. */
    private static void curve(JsonGenerator json, String name, Histogram latencies, List<Double> ladder)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("name", name);
        json.writeArrayFieldStart("millis");
        for (double at : ladder) {
            if (at > latencies.getTotalCount()) {
                json.writeNull();
            } else {
                number(json, Math.max(1e-4, Latencies.millis(latencies, 100 - 100 / at)));
            }
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static <T> void numbers(JsonGenerator json, String name, List<T> values, ToDoubleFunction<T> of)
            throws IOException {
        json.writeArrayFieldStart(name);
        for (T value : values) {
            number(json, of.applyAsDouble(value));
        }
        json.writeEndArray();
    }

    private static void number(JsonGenerator json, double value) throws IOException {
        json.writeNumber(String.format(Locale.ROOT, "%.4f", value));
    }

    /** Nothing that an endpoint answers becomes part of the page's markup. */
    private static String text(String plain) {
        return plain.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
