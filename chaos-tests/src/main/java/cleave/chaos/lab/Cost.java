package cleave.chaos.lab;

import cleave.chaos.client.Answer;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What requests cost, as the front end reports it in the header {@value #HEADER}. Immutable.
 *
 * @param queryClass of the last query; empty if there was none
 * @param ranges ids of the ranges that were read or written
 * @param servers ids of the servers that own them
 * @param calls of the front end to servers
 * @param examined entities that servers examined
 * @param returned entities that the client received
 */
public record Cost(
        String queryClass,
        SortedSet<String> ranges,
        SortedSet<String> servers,
        long calls,
        long examined,
        long returned) {
    public static final String HEADER = "x-cleave-explain";

    /** Of no request. */
    public static final Cost NOTHING = new Cost("", new TreeSet<>(), new TreeSet<>(), 0, 0, 0);

    /** Of one answer; IOException if the service does not report it. */
    static Cost of(Answer answer) throws IOException {
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
            return new Cost(
                    parts.getOrDefault("class", ""),
                    ids(parts.getOrDefault("range-ids", "")),
                    ids(parts.getOrDefault("server-ids", "")),
                    Long.parseLong(parts.getOrDefault("calls", "")),
                    Long.parseLong(parts.getOrDefault("examined", "")),
                    Long.parseLong(parts.getOrDefault("returned", "")));
        } catch (NumberFormatException other) {
            throw new IOException(
                    "the service does not report what requests cost (no header " + HEADER + "), and labs need that",
                    other);
        }
    }

    private static SortedSet<String> ids(String text) {
        return new TreeSet<>(text.isEmpty() ? List.of() : List.of(text.split(",")));
    }

    /** The cost of both. */
    public Cost and(Cost other) {
        SortedSet<String> allRanges = new TreeSet<>(ranges);
        allRanges.addAll(other.ranges);
        SortedSet<String> allServers = new TreeSet<>(servers);
        allServers.addAll(other.servers);
        return new Cost(
                other.queryClass.isEmpty() ? queryClass : other.queryClass,
                allRanges,
                allServers,
                calls + other.calls,
                examined + other.examined,
                returned + other.returned);
    }
}
