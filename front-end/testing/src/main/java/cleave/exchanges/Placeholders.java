package cleave.exchanges;

import cleave.client.Request;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Names for texts that differ from run to run. A name is bound to the text that an answer has in its place, and means it from
 * then on: a name that ends in a digit for the scene, another one for its exchange. Confined to one scene.
 */
final class Placeholders {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{((?:times|each) \\d+ [^{}]+|[a-z][a-zA-Z0-9+%-]*)}");
    private static final Pattern OFFSET = Pattern.compile("(now|utc|day)(?:([+-])(\\d+)([smhd]))?");
    private static final Pattern REPEAT = Pattern.compile("(times|each) (\\d+) (.+)", Pattern.DOTALL);
    /** Behind a name: the text has this character percent-encoded. */
    private static final Pattern ENCODED = Pattern.compile("%(?:3A|21)$");

    private static final String GUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
    private static final String SECOND = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d";
    private static final Map<String, String> FORMS = Map.of(
            "id",
            GUID,
            "batch",
            GUID,
            "changeset",
            GUID,
            "time",
            SECOND + "(?:\\.\\d{0,6}[1-9])?Z",
            "instant",
            SECOND + "\\.\\d{7}Z",
            "date",
            "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT",
            "token",
            "1!\\d+![A-Za-z0-9._-]*");

    private final Map<String, String> known = new TreeMap<>();
    private final Instant now;

    /** @param given names and what they mean in all exchanges */
    Placeholders(Map<String, String> given, Instant now) {
        known.putAll(given);
        this.now = now;
    }

    /** Forgets what was bound for one exchange. */
    void nextExchange() {
        known.keySet().removeIf(name -> FORMS.containsKey(name));
    }

    /** A text to send. */
    String filled(String template) {
        return PLACEHOLDER.matcher(template).replaceAll(found -> Matcher.quoteReplacement(value(found.group(1))));
    }

    /** The expected text, as far as it is known. */
    String shown(String template) {
        return PLACEHOLDER
                .matcher(template)
                .replaceAll(found -> Matcher.quoteReplacement(
                        unbound(found.group(1)) == null ? value(found.group(1)) : found.group()));
    }

    private String value(String name) {
        Matcher offset = OFFSET.matcher(name);
        if (offset.matches()) {
            Instant at = offset.group(2) == null ? now : now.plus(duration(offset));
            return switch (offset.group(1)) {
                case "now" -> Request.date(at);
                case "utc" -> at.truncatedTo(ChronoUnit.SECONDS).toString();
                default -> at.toString().substring(0, "2024-05-01".length());
            };
        }
        Matcher repeat = REPEAT.matcher(name);
        if (repeat.matches()) {
            return IntStream.range(0, Integer.parseInt(repeat.group(2)))
                    .mapToObj(i -> repeat.group(3).replace("#", Integer.toString(i)))
                    .collect(Collectors.joining(repeat.group(1).equals("each") ? "," : ""));
        }
        if (name.startsWith("u+")) {
            return Character.toString(Integer.parseInt(name.substring(2), 16));
        }
        String bound = known.get(plain(name));
        if (bound == null) {
            throw new IllegalArgumentException("nothing is known of {" + name + "}");
        }
        return name.endsWith("%3A")
                ? bound.replace(":", "%3A")
                : name.endsWith("%21") ? bound.replace("!", "%21") : bound;
    }

    private static Duration duration(Matcher offset) {
        Duration length = Duration.parse(
                offset.group(4).equals("d")
                        ? "P" + offset.group(3) + "D"
                        : "PT" + offset.group(3) + offset.group(4).toUpperCase(Locale.ROOT));
        return offset.group(2).equals("-") ? length.negated() : length;
    }

    /** True if this text is what was expected; then the names that were not bound before are. */
    boolean matches(String template, String actual) {
        StringBuilder regex = new StringBuilder();
        List<String> groups = new ArrayList<>();
        Matcher found = PLACEHOLDER.matcher(template);
        int from = 0;
        while (found.find()) {
            regex.append(Pattern.quote(template.substring(from, found.start())));
            from = found.end();
            String form = unbound(found.group(1));
            if (form == null) {
                regex.append(Pattern.quote(value(found.group(1))));
            } else {
                regex.append('(').append(form).append(')');
                groups.add(found.group(1));
            }
        }
        regex.append(Pattern.quote(template.substring(from)));
        Matcher match = Pattern.compile(regex.toString()).matcher(actual);
        return match.matches() && bind(groups, match);
    }

    /** The form of a name that nothing is bound to; null if its text is known. */
    private @Nullable String unbound(String name) {
        String plain = plain(name);
        String form = known.containsKey(plain) ? null : FORMS.get(plain.replaceAll("\\d+$", ""));
        return form == null || plain.equals(name) ? form : form.replaceAll("(?<!\\?):", "%3A");
    }

    private static String plain(String name) {
        return ENCODED.matcher(name).replaceFirst("");
    }

    /** False if a name would mean two things, or two names for times the same one. */
    private boolean bind(List<String> groups, Matcher match) {
        Map<String, String> fresh = new HashMap<>();
        for (int i = 0; i < groups.size(); i++) {
            String text = match.group(i + 1).replace("%3A", ":");
            String before = fresh.put(plain(groups.get(i)), text);
            if (before != null && !before.equals(text)) {
                return false;
            }
        }
        for (Map.Entry<String, String> one : fresh.entrySet()) {
            if (one.getKey().startsWith("time") && known.containsValue(one.getValue())) {
                return false;
            }
        }
        known.putAll(fresh);
        return true;
    }
}
