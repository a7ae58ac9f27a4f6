package cleave.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cost of one request, as the front end reports it in the header {@value #HEADER} if the request asks for it by the same header. Immutable.
 *
 * @param queryClass one of the four query classes of the documentation; empty if the request was no query
 * @param ranges ids of the ranges that were read or written
 * @param servers ids of the servers that own them
 * @param calls number of calls of the front end to servers
 * @param examined entities that servers examined
 * @param received entities that servers sent to the front end
 * @param returned entities that the front end sent to the client
 */
public record Explain(
        String queryClass,
        List<String> ranges,
        List<String> servers,
        long calls,
        long examined,
        long received,
        long returned) {
    public static final String HEADER = "x-cleave-explain";

    /** Null if the header is missing or has another form, as of another service or version. */
    public static @Nullable Explain of(Answer answer) {
        Map<String, String> parts = new LinkedHashMap<>();
        for (String part : answer.header(HEADER).split(";")) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                parts.put(
                        part.substring(0, equals).strip(),
                        part.substring(equals + 1).strip());
            }
        }
        try {
            return new Explain(
                    parts.getOrDefault("class", ""),
                    ids(parts, "range-ids"),
                    ids(parts, "server-ids"),
                    number(parts, "calls"),
                    number(parts, "examined"),
                    number(parts, "received"),
                    number(parts, "returned"));
        } catch (NumberFormatException other) {
            return null;
        }
    }

    private static List<String> ids(Map<String, String> parts, String name) {
        String ids = parts.getOrDefault(name, "");
        return ids.isEmpty() ? List.of() : List.of(ids.split(","));
    }

    private static long number(Map<String, String> parts, String name) {
        return Long.parseLong(parts.getOrDefault(name, ""));
    }
}
