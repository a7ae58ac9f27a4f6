package cleave.deploy.admin;

import cleave.model.HandoffNumber;
import cleave.model.Ticks;
import cleave.wire.Event;
import cleave.wire.Setting;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Events, one sentence each for people, and one object each for programs. Immutable. */
public final class EventText {
    private static final String FIGURES = "    ";

    private final DateTimeFormatter time;
    private final boolean figures;

    /** @param figures whether what an event rests on follows below it */
    EventText(ZoneId zone, boolean figures) {
        this.time =
                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(zone);
        this.figures = figures;
    }

    /** A line, and others below it for the figures. */
    String of(Event event) {
        return time.format(Ticks.toInstant(event.getTicks())) + "  " + line(event) + '\n'
                + (figures ? figures(event) : "");
    }

    /** The evidence of an event, in indented lines. */
    public static String figures(Event event) {
        StringBuilder text = new StringBuilder();
        if (event.getEvidenceCount() > 0) {
            text.append(FIGURES)
                    .append(Prose.oneLine(String.join("  ", pairs(event))))
                    .append('\n');
        }
        for (String rejected : event.getRejectedList()) {
            text.append(FIGURES)
                    .append("not done: ")
                    .append(Prose.oneLine(rejected))
                    .append('\n');
        }
        return text.toString();
    }

    private static List<String> pairs(Event event) {
        List<String> pairs = new ArrayList<>();
        for (Setting pair : event.getEvidenceList()) {
            pairs.add(pair.getName() + "=" + pair.getValue());
        }
        return pairs;
    }

    /** An event without its time, in one line. */
    public static String line(Event event) {
        return Prose.oneLine(sentence(event));
    }

    private static String sentence(Event event) {
        String reason = event.getReason();
        return switch (event.getKind()) {
            case "leader-begun" -> "Master " + servers(event) + " leads.";
            case "server-dead" ->
                server(event)
                        + (event.getServersCount() > 1 ? " were" : " was")
                        + " declared dead (" + reason + "): other servers take over the ranges.";
            case "takeover-ordered" ->
                server(event) + " is to take over " + ranges(event) + ", because " + Prose.sentence(reason);
            case "takeover-ended" -> server(event) + " took over " + ranges(event) + ".";
            case "open-failed" ->
                server(event) + " failed to open " + ranges(event) + ", which is retried: " + Prose.sentence(reason);
            case "handoff-asked" -> "An operator requested: " + Prose.sentence(orElse(figure(event, "goal"), reason));
            case "handoff-begun" -> handoff(event) + " begins. " + why(event);
            case "handoff-ended" -> handoff(event) + " is done. " + why(event);
            case "handoff-given-up" ->
                handoff(event) + " was given up: " + Prose.sentence(orElse(figure(event, "ended"), "unknown"));
            case "handoff-refused" ->
                "Not carried out: " + orElse(figure(event, "goal"), ranges(event)) + ". "
                        + Prose.capital(Prose.sentence(String.join("; ", event.getRejectedList()))) + " " + why(event);
            case "verdict" -> verdict(event);
            case "drain-begun" -> server(event) + " is draining as requested: its ranges move to other servers.";
            case "drain-ended" -> server(event) + " owns no ranges any more: it can be stopped.";
            case "drain-undone" -> server(event) + " is no longer draining, as requested.";
            case "settings-changed" -> "Settings were changed: " + String.join(", ", pairs(event)) + ".";
            case "level-raised" -> "The cluster's feature level was raised: " + Prose.sentence(reason);
            case "masters-changing" ->
                "The masters are changing: " + reason + "; they are " + servers(event) + " so far.";
            case "masters-changed" ->
                "The masters were changed: " + Prose.afterTag(reason) + "; they are now " + servers(event) + ".";
            case "masters-unchanged" -> "The masters were not changed: " + Prose.sentence(reason);
            case "swept" -> swept(event);
            case "restored" ->
                "A backup was restored" + within(event, "ranges", " to %s ranges")
                        + ", which replaced an empty cluster's.";
            case "clock-off" -> Prose.capital(Prose.sentence(reason));
            case "clock-right" -> "Corrected: " + Prose.sentence(reason);
            case "halted" -> "The leader is halted: " + Prose.sentence(reason);
            default -> raw(event);
        };
    }

    private static String servers(Event event) {
        return orElse(Prose.list(event.getServersList()), "unknown");
    }

    private static String server(Event event) {
        return event.getServersCount() == 0
                ? "A server"
                : Prose.capital(Prose.counted("server", event.getServersList()));
    }

    private static String ranges(Event event) {
        return Prose.counted("range", event.getRangesList());
    }

    private static String handoff(Event event) {
        String to = figure(event, "to");
        return HandoffText.what(
                        figure(event, "kind"),
                        event.getRangesList(),
                        figure(event, "from"),
                        to.isEmpty() ? event.getServersList() : List.of(to.split(",")))
                + " (handoff " + HandoffNumber.text(event.getHandoff()) + ")";
    }

    private static String why(Event event) {
        String reason = event.getReason();
        int colon = reason.indexOf(": ");
        return colon < 0 ? Prose.why("", reason) : Prose.why(reason.substring(0, colon), reason.substring(colon + 2));
    }

    private static String verdict(Event event) {
        return "The balancer cannot improve " + ranges(event) + within(event, "partition", " (partition %s)") + ": "
                + Prose.sentence(Prose.afterTag(Prose.afterTag(event.getReason())));
    }

    private static String swept(Event event) {
        String deleted = figure(event, "deleted");
        if (deleted.isEmpty()) {
            return "A sweep of the DFS was " + Prose.sentence(event.getReason());
        }
        String failed = figure(event, "not-deleted");
        String rest = failed.isEmpty() || failed.equals("0") ? "" : "; " + failed + " could not be deleted";
        return "A sweep of the DFS deleted " + deleted + " files that nothing references" + rest + ".";
    }

    /** An event of a kind that only a newer master knows. */
    private static String raw(Event event) {
        StringBuilder text = new StringBuilder(event.getKind());
        if (event.getHandoff() != 0) {
            text.append(" handoff=").append(HandoffNumber.text(event.getHandoff()));
        }
        if (event.getRangesCount() > 0) {
            text.append(" ranges=").append(String.join(",", event.getRangesList()));
        }
        if (event.getServersCount() > 0) {
            text.append(" servers=").append(String.join(",", event.getServersList()));
        }
        text.append(": ").append(event.getReason());
        pairs(event).forEach(pair -> text.append("; ").append(pair));
        event.getRejectedList().forEach(rejected -> text.append("; not done: ").append(rejected));
        return text.toString();
    }

    private static String within(Event event, String name, String form) {
        String value = figure(event, name);
        return value.isEmpty() ? "" : form.replace("%s", value);
    }

    private static String figure(Event event, String name) {
        for (Setting pair : event.getEvidenceList()) {
            if (pair.getName().equals(name)) {
                return pair.getValue();
            }
        }
        return "";
    }

    private static String orElse(String text, String other) {
        return text.isEmpty() ? other : text;
    }

    /** One line. */
    static String json(Event event) {
        return Json.line(json -> {
            json.writeNumberField("number", event.getNumber());
            json.writeStringField("time", Ticks.format(event.getTicks()));
            json.writeStringField("kind", event.getKind());
            if (event.getHandoff() != 0) {
                json.writeStringField("handoff", HandoffNumber.text(event.getHandoff()));
            }
            Json.strings(json, "ranges", event.getRangesList());
            Json.strings(json, "servers", event.getServersList());
            json.writeStringField("reason", event.getReason());
            Json.objects(json, "evidence", event.getEvidenceList(), pair -> {
                json.writeStringField("name", pair.getName());
                json.writeStringField("value", pair.getValue());
            });
            RangeText.figuresJson(json, event.getFiguresList());
            Json.strings(json, "rejected", event.getRejectedList());
        });
    }
}
