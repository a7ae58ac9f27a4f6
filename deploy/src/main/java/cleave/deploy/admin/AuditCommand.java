package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.model.Ticks;
import cleave.wire.ActsReply;
import cleave.wire.ActsRequest;
import cleave.wire.OperatorAct;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cleave admin audit}. */
@Command(
        name = "audit",
        mixinStandardHelpOptions = true,
        header = "what operators had the masters do: who, when, with what outcome",
        description = {
            "One line per act, the oldest first, in local time: splits, merges, moves, drains, cancelled handoffs, settings, changes of the"
                    + " masters, restores. The masters replicate the last 1,000 of at most 256 KiB, so they outlast any leader.",
            "",
            "The caller is the name in its certificate, or 'loopback' or 'network' without one; what follows in parentheses is what the"
                    + " caller's environment says (user@host, or CLEAVE_OPERATOR), which nobody has verified. An act without an"
                    + " outcome is under way, or its leader lost its office before the end: 'cleave admin ranges' and 'servers' show what"
                    + " became of it."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave admin audit",
            "  cleave admin audit --since 2h",
            "  cleave admin audit --since 2026-03-01T08:00:00Z --json"
        })
final class AuditCommand extends AdminAction {
    private static final Pattern AGO = Pattern.compile("(\\d{1,6})([smhd])");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "only what began since then: 90s, 15m, 2h or 7d ago, or an instant such as 2026-03-01T08:00:00Z")
    private String since = "";

    @Option(names = "--json", description = "as JSON, one object a line, in UTC")
    private boolean json;

    @Override
    void act(AdminClient client) {
        long from = since.isEmpty() ? 0 : read(() -> Ticks.of(since(since, Instant.now())));
        ActsReply reply =
                client.acts(ActsRequest.newBuilder().setSinceTicks(from).build());
        if (!reply.getRecorded()) {
            throw CommandFailure.failed(
                    "the cluster records nothing yet: it is below feature level 7 ('cleave admin leader'"
                            + " shows what holds it back); the leader's log has the acts, under cleave.acts");
        }
        StringBuilder lines = new StringBuilder();
        if (!json && since.isEmpty() && reply.getForgotten() > 0) {
            lines.append("# ").append(reply.getForgotten()).append(" older ones are forgotten\n");
        }
        reply.getActsList().forEach(act -> lines.append(json ? json(act) : text(act, ZoneId.systemDefault())));
        mustPrint(lines.toString());
    }

    /** IllegalArgumentException if it is no time. */
    static Instant since(String text, Instant now) {
        Matcher ago = AGO.matcher(text);
        try {
            if (!ago.matches()) {
                return Instant.parse(text);
            }
            long count = Long.parseLong(ago.group(1));
            return now.minus(
                    switch (ago.group(2)) {
                        case "s" -> Duration.ofSeconds(count);
                        case "m" -> Duration.ofMinutes(count);
                        case "h" -> Duration.ofHours(count);
                        default -> Duration.ofDays(count);
                    });
        } catch (DateTimeParseException none) {
            throw new IllegalArgumentException(
                    "--since takes 90s, 15m, 2h, 7d or an instant such as 2026-03-01T08:00:00Z, but got '" + text
                            + "'");
        } catch (DateTimeException tooLongAgo) {
            throw new IllegalArgumentException("--since is too long ago: '" + text + "'");
        }
    }

    static String text(OperatorAct act, ZoneId zone) {
        return TIME.format(Ticks.toInstant(act.getTicks()).atZone(zone)) + "  " + caller(act) + "  " + act.getWhat()
                + " " + act.getArguments() + "  " + (act.getOutcome().isEmpty() ? "no outcome" : act.getOutcome())
                + "\n";
    }

    private static String caller(OperatorAct act) {
        return act.getTold().isEmpty() ? act.getCaller() : act.getCaller() + " (unverified: " + act.getTold() + ")";
    }

    static String json(OperatorAct act) {
        return Json.line(json -> write(json, act));
    }

    private static void write(JsonGenerator json, OperatorAct act) throws IOException {
        json.writeNumberField("number", act.getNumber());
        json.writeStringField("time", Ticks.toInstant(act.getTicks()).toString());
        json.writeStringField("caller", act.getCaller());
        json.writeStringField("unverified", act.getTold());
        json.writeStringField("act", act.getWhat());
        json.writeStringField("arguments", act.getArguments());
        json.writeStringField("outcome", act.getOutcome());
    }
}
