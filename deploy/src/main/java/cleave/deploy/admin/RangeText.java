package cleave.deploy.admin;

import cleave.deploy.terminal.TextTable;
import cleave.model.Key;
import cleave.model.Ticks;
import cleave.wire.Figure;
import cleave.wire.HotPartition;
import cleave.wire.RangeLoad;
import cleave.wire.RangeState;
import cleave.wire.SplitCandidate;
import cleave.wire.WhyNot;
import com.fasterxml.jackson.core.JsonGenerator;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** What the leader knows of one range: its load, and what stands against its split, merge and move. Pure. */
final class RangeText {
    private static final List<String> KINDS = List.of("split", "merge", "move");

    private RangeText() {}

    /** For people, below the line of the range. */
    static String of(RangeState state) {
        return (state.hasLoad() ? load(state.getLoad()) : "The leader does not know its load.\n") + reasons(state);
    }

    private static String load(RangeLoad load) {
        StringBuilder text = new StringBuilder();
        line(
                text,
                "%.0f entities/s over about a second (%.0f over 30 s, %.0f over 5 min): %.0f written, %.0f read, %.0f looked"
                        + " at by scans; %.0f requests/s.",
                load.getEntitiesPerSecond(),
                load.getEntitiesPerSecond30S(),
                load.getEntitiesPerSecond5M(),
                load.getWritten(),
                load.getRead(),
                load.getScanned(),
                load.getRequests());
        line(
                text,
                "%.2f cores; %.1f ms from the arrival of a request to its execution; %.1f MiB/s moved in and out.",
                load.getCpu(),
                load.getQueueWaitMillis(),
                mib(load.getBytesMoved()));
        if (load.hasMiddle()) {
            line(
                    text,
                    "%.1f MiB, %s.",
                    mib((double) load.getBytes()),
                    load.getMiddle().getAt().isEmpty()
                            ? "of which one partition holds most"
                            : "which halve best at " + key(load.getMiddle().getAt()) + " ("
                                    + percent(load.getMiddle().getLeft()) + " below it)");
        }
        if (load.hasHottest()) {
            HotPartition hottest = load.getHottest();
            line(
                    text,
                    "The hottest partition is %s, with %.0f%% of %d samples.",
                    key(hottest.getFirst()),
                    100 * hottest.getPart(),
                    Integer.toUnsignedLong(hottest.getSamples()));
        }
        if (!load.getLastPartition().isEmpty()) {
            line(
                    text,
                    "Of its inserts %.0f%% go beyond the last key, and %.0f%% below the first.",
                    100 * load.getInsertedBehind(),
                    100 * load.getInsertedBefore());
        }
        return text + candidates(load);
    }

    private static void line(StringBuilder text, String form, Object... values) {
        text.append(Prose.oneLine(String.format(Locale.ROOT, form, values))).append('\n');
    }

    private static double mib(double bytes) {
        return bytes / (1 << 20);
    }

    private static String candidates(RangeLoad load) {
        if (load.getCandidatesCount() == 0) {
            return "";
        }
        TextTable table = new TextTable("SAMPLED BOUND", "BELOW", "CROSSED", "HITS");
        for (SplitCandidate each : load.getCandidatesList()) {
            table.row(
                    Prose.oneLine(key(each.getAt())),
                    percent(left(each)),
                    percent(crossed(each)),
                    Integer.toUnsignedString(each.getHits()));
        }
        return table.text();
    }

    private static String percent(double share) {
        return Math.round(100 * share) + "%";
    }

    /** Of all entities that were asked for, the share below the bound. */
    private static double left(SplitCandidate each) {
        return share(Integer.toUnsignedLong(each.getLeft()), each);
    }

    /** The share of requests that a split there would divide. */
    private static double crossed(SplitCandidate each) {
        return share(Integer.toUnsignedLong(each.getSpanning()), each);
    }

    private static double share(long part, SplitCandidate each) {
        long all = Integer.toUnsignedLong(each.getLeft()) + Integer.toUnsignedLong(each.getRight());
        return all == 0 ? 0 : (double) part / all;
    }

    private static String reasons(RangeState state) {
        if (state.getWhyNotCount() == 0) {
            return "The leader does not say what stands against its split, merge and move.\n";
        }
        StringBuilder text = new StringBuilder();
        for (String kind : KINDS) {
            List<WhyNot> against = state.getWhyNotList().stream()
                    .filter(each -> each.getOf().equals(kind))
                    .toList();
            if (against.isEmpty()) {
                text.append(Prose.capital(kind)).append(": the balancer has just decided it.\n");
            }
            for (WhyNot each : against) {
                text.append("No ")
                        .append(kind)
                        .append(" (")
                        .append(Prose.oneLine(each.getReason()))
                        .append("): ")
                        .append(Prose.oneLine(Prose.sentence(each.getText())))
                        .append('\n');
            }
        }
        return text.toString();
    }

    /** The fields {@code load}, which is null if it is not known, and {@code whyNot}. */
    static void json(JsonGenerator json, RangeState state) throws IOException {
        if (state.hasLoad()) {
            json.writeObjectFieldStart("load");
            loadJson(json, state.getLoad());
            json.writeEndObject();
        } else {
            json.writeNullField("load");
        }
        Json.objects(json, "whyNot", state.getWhyNotList(), each -> {
            json.writeStringField("of", each.getOf());
            json.writeStringField("reason", each.getReason());
            json.writeStringField("text", each.getText());
            figuresJson(json, each.getFiguresList());
            json.writeStringField("until", each.getUntilTicks() == 0 ? null : Ticks.format(each.getUntilTicks()));
        });
    }

    private static void loadJson(JsonGenerator json, RangeLoad load) throws IOException {
        number(json, "entitiesPerSecond", load.getEntitiesPerSecond());
        number(json, "entitiesPerSecond30s", load.getEntitiesPerSecond30S());
        number(json, "entitiesPerSecond5m", load.getEntitiesPerSecond5M());
        number(json, "written", load.getWritten());
        number(json, "read", load.getRead());
        number(json, "scanned", load.getScanned());
        number(json, "requests", load.getRequests());
        number(json, "bytesMoved", load.getBytesMoved());
        number(json, "cpu", load.getCpu());
        number(json, "queueWaitMillis", load.getQueueWaitMillis());
        json.writeNumberField("bytes", load.getBytes());
        json.writeStringField(
                "middle",
                load.getMiddle().getAt().isEmpty() ? null : key(load.getMiddle().getAt()));
        number(json, "middleLeft", load.getMiddle().getLeft());
        number(json, "insertedBehind", load.getInsertedBehind());
        number(json, "insertedBefore", load.getInsertedBefore());
        if (load.hasHottest()) {
            json.writeObjectFieldStart("hottest");
            json.writeStringField("at", key(load.getHottest().getFirst()));
            number(json, "part", load.getHottest().getPart());
            json.writeNumberField(
                    "samples", Integer.toUnsignedLong(load.getHottest().getSamples()));
            json.writeEndObject();
        } else {
            json.writeNullField("hottest");
        }
        Json.objects(json, "bounds", load.getCandidatesList(), each -> {
            json.writeStringField("at", key(each.getAt()));
            number(json, "left", left(each));
            number(json, "spanning", crossed(each));
            json.writeNumberField("hits", Integer.toUnsignedLong(each.getHits()));
        });
    }

    /** The field {@code figures}: each a number with a unit, or a text. */
    static void figuresJson(JsonGenerator json, List<Figure> figures) throws IOException {
        Json.objects(json, "figures", figures, each -> {
            json.writeStringField("name", each.getName());
            if (each.getText().isEmpty()) {
                number(json, "value", each.getValue());
                json.writeStringField("unit", each.getUnit());
            } else {
                json.writeStringField("text", each.getText());
            }
        });
    }

    /** In thousandths: what has faded away is 0. */
    static void number(JsonGenerator json, String name, double value) throws IOException {
        json.writeNumberField(name, Math.round(value * 1_000) / 1_000.0);
    }

    private static String key(ByteString wire) {
        return Key.fromWire(wire).toString();
    }
}
