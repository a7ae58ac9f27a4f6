package cleave.deploy.admin;

import cleave.deploy.terminal.TextTable;
import cleave.model.HandoffNumber;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.wire.Event;
import cleave.wire.HandoffState;
import cleave.wire.Setting;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Handoffs, events and settings, written for people. Pure. */
final class AdminText {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private AdminText() {}

    static String handoffs(List<HandoffState> handoffs) {
        if (handoffs.isEmpty()) {
            return "No handoff is under way.\n";
        }
        TextTable table =
                new TextTable("HANDOFF", "KIND", "RANGES", "FROM", "TO", "STEP", "SECONDS", "ASKER", "REASON");
        for (HandoffState handoff : handoffs) {
            List<String> ranges =
                    handoff.getRangesList().stream().map(Row::idText).toList();
            table.row(
                    HandoffNumber.text(handoff.getHandoff()),
                    orDash(handoff.getKind()),
                    orDash(String.join(",", ranges)),
                    handoff.getFrom(),
                    orDash(String.join(",", handoff.getToList())),
                    orDash(handoff.getStep()),
                    String.format(Locale.ROOT, "%.1f", handoff.getMillis() / 1e3),
                    orDash(handoff.getAsker()),
                    orDash(handoff.getReason()));
        }
        return table.text();
    }

    /** One line. */
    static String event(Event event) {
        StringBuilder line = new StringBuilder(TIME.format(Ticks.toInstant(event.getTicks())))
                .append(' ')
                .append(event.getKind());
        if (event.getHandoff() != 0) {
            line.append(" handoff=").append(HandoffNumber.text(event.getHandoff()));
        }
        if (event.getRangesCount() > 0) {
            line.append(" ranges=").append(String.join(",", event.getRangesList()));
        }
        if (event.getServersCount() > 0) {
            line.append(" servers=").append(String.join(",", event.getServersList()));
        }
        line.append(": ").append(event.getReason());
        for (Setting pair : event.getEvidenceList()) {
            line.append("; ").append(pair.getName()).append('=').append(pair.getValue());
        }
        for (String rejected : event.getRejectedList()) {
            line.append("; not done: ").append(rejected);
        }
        return line.append('\n').toString();
    }

    static String settings(List<Setting> settings) {
        StringBuilder text = new StringBuilder();
        settings.forEach(setting -> text.append(setting.getName())
                .append('=')
                .append(setting.getValue())
                .append('\n'));
        return text.toString();
    }

    private static String orDash(String text) {
        return text.isEmpty() ? "-" : text;
    }
}
