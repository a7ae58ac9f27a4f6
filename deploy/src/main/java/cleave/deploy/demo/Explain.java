package cleave.deploy.demo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cost of one page of a query, as the front end reports it in the header {@value #HEADER}. Immutable.
 *
 * @param queryClass one of the four query classes of the documentation
 * @param ranges ids of the ranges that were read
 * @param servers ids of the servers that own them
 * @param calls number of calls of the front end to servers
 * @param examined entities that servers examined
 * @param received entities that servers sent to the front end
 * @param returned entities that the front end sent to the client
 */
record Explain(
        String queryClass,
        List<String> ranges,
        List<String> servers,
        long calls,
        long examined,
        long received,
        long returned) {
    static final String HEADER = "x-cleave-explain";

    /** Null if the header has another form, as of another service or version. */
    static @Nullable Explain parse(@Nullable String header) {
        if (header == null) {
            return null;
        }
        Map<String, String> parts = new LinkedHashMap<>();
        for (String part : header.split(";")) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                parts.put(
                        part.substring(0, equals).trim(),
                        part.substring(equals + 1).trim());
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
