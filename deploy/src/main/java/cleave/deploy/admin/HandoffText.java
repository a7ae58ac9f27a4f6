package cleave.deploy.admin;

import cleave.model.HandoffNumber;
import cleave.model.Row;
import cleave.wire.HandoffState;
import java.util.List;

/** Handoffs that are under way, one line each for people, and as JSON for programs. Pure. */
final class HandoffText {
    private HandoffText() {}

    static String text(List<HandoffState> handoffs, boolean figures) {
        if (handoffs.isEmpty()) {
            return "No handoff is under way.\n";
        }
        StringBuilder text = new StringBuilder();
        for (HandoffState handoff : handoffs) {
            text.append(Prose.oneLine(line(handoff))).append('\n');
            if (figures) {
                text.append("    step=").append(Prose.oneLine(handoff.getStep()));
                text.append("  millis=").append(handoff.getMillis());
                handoff.getStepsList()
                        .forEach(each -> text.append("  ")
                                .append(Prose.oneLine(each.getStep()))
                                .append(" from ")
                                .append(each.getMillis()));
                text.append('\n');
            }
        }
        return text.toString();
    }

    private static String line(HandoffState handoff) {
        return HandoffNumber.text(handoff.getHandoff()) + "  "
                + what(handoff.getKind(), ranges(handoff), handoff.getFrom(), handoff.getToList()) + ", "
                + doing(handoff.getStep()) + ". " + Prose.why(handoff.getAsker(), handoff.getReason());
    }

    private static List<String> ranges(HandoffState handoff) {
        return handoff.getRangesList().stream().map(Row::idText).toList();
    }

    /** {@code Move of range 9.0 from s1 to s2}. */
    static String what(String kind, List<String> ranges, String from, List<String> to) {
        String subject = Prose.counted("range", ranges);
        return switch (kind) {
            case "split" -> "Split of " + subject + " of " + from + " into ranges at " + Prose.list(to);
            case "merge" -> "Merge of " + subject + " at " + Prose.list(to);
            case "move" -> "Move of " + subject + " from " + from + " to " + Prose.list(to);
            default ->
                "Handoff of " + subject + (from.isEmpty() ? "" : " of " + from)
                        + (to.isEmpty() ? "" : " to " + Prose.list(to));
        };
    }

    private static String doing(String step) {
        return switch (step) {
            case "ordered" -> "just ordered";
            case "prepare" -> "which the targets prepare while the sources serve";
            case "commit" -> "which is being committed to the map";
            case "switch" -> "which switches now: requests wait";
            case "finish" -> "which is committed and being finished";
            case "cancelling" -> "which is being cancelled";
            default -> step.isEmpty() ? "under way" : step;
        };
    }

    static String json(List<HandoffState> handoffs) {
        return Json.document(json -> {
            Json.objects(json, "handoffs", handoffs, handoff -> {
                json.writeStringField("handoff", HandoffNumber.text(handoff.getHandoff()));
                json.writeStringField("kind", handoff.getKind());
                Json.strings(json, "ranges", ranges(handoff));
                json.writeStringField("from", handoff.getFrom());
                Json.strings(json, "to", handoff.getToList());
                json.writeStringField("step", handoff.getStep());
                json.writeNumberField("millis", handoff.getMillis());
                Json.objects(json, "steps", handoff.getStepsList(), each -> {
                    json.writeStringField("step", each.getStep());
                    json.writeNumberField("millis", each.getMillis());
                });
                json.writeStringField("asker", handoff.getAsker());
                json.writeStringField("reason", handoff.getReason());
            });
        });
    }
}
