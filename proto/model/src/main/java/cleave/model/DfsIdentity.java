package cleave.model;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a DFS, as stored in a file of it: one line of text with a line feed, so that a truncated one is detected. Immutable.
 *
 * @param id a random UUID in lower case
 * @param origins the id of the DFS whose files were copied to this one, then that of the source of those files, and so on; at most
 *     {@value #ORIGINS_MAX}, the newest; empty if it began empty
 */
public record DfsIdentity(String id, List<String> origins) {
    private static final int ORIGINS_MAX = 16;
    private static final String UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
    private static final String COPY = " copy of ";
    private static final Pattern ID = Pattern.compile(UUID);
    /** Format 1 knows one origin. */
    private static final Pattern LINE = Pattern.compile("cleave dfs (?:1 (" + UUID + ")((?:" + COPY + UUID + ")?)|2 ("
            + UUID + ")((?:" + COPY + UUID + "){2," + ORIGINS_MAX + "}))\n");

    private static final Pattern OF_ANOTHER_FORMAT = Pattern.compile("cleave dfs (\\S+) .*\n", Pattern.DOTALL);

    public DfsIdentity {
        origins = List.copyOf(origins);
        if (origins.size() > ORIGINS_MAX
                || !ID.matcher(id).matches()
                || !origins.stream().allMatch(origin -> ID.matcher(origin).matches())) {
            throw new IllegalArgumentException(
                    "'" + id + "' or one of " + origins + " is not the id of a DFS (a UUID in lower case)");
        }
    }

    /** The identity of a DFS that began empty. */
    public static DfsIdentity of(String id) {
        return new DfsIdentity(id, List.of());
    }

    /** The identity of a DFS that gets the files of another one. */
    public static DfsIdentity ofCopy(String id, DfsIdentity from) {
        List<String> origins = new ArrayList<>(List.of(from.id));
        origins.addAll(from.origins.subList(0, Math.min(ORIGINS_MAX - 1, from.origins.size())));
        return new DfsIdentity(id, origins);
    }

    /** The id of the DFS whose files were copied to this one; empty if it began empty. */
    public String origin() {
        return origins.isEmpty() ? "" : origins.get(0);
    }

    /** The content of the file. */
    public String line() {
        return "cleave dfs " + (origins.size() < 2 ? 1 : 2) + " " + id + ancestry() + "\n";
    }

    private String ancestry() {
        StringBuilder text = new StringBuilder();
        origins.forEach(origin -> text.append(COPY).append(origin));
        return text.toString();
    }

    /** Null if the line is incomplete; {@link UnknownFormat} if a later version of Cleave wrote it. */
    public static @Nullable DfsIdentity ofLine(String text) {
        Matcher line = LINE.matcher(text);
        if (line.matches()) {
            return line.group(1) == null ? of(line.group(3), line.group(4)) : of(line.group(1), line.group(2));
        }
        Matcher other = OF_ANOTHER_FORMAT.matcher(text);
        if (other.matches() && !other.group(1).equals("1") && !other.group(1).equals("2")) {
            throw new UnknownFormat(
                    "the file that tells the id of the DFS has format " + other.group(1), "formats 1 and 2");
        }
        return null;
    }

    private static DfsIdentity of(String id, String ancestry) {
        return new DfsIdentity(
                id,
                ancestry.isEmpty()
                        ? List.of()
                        : List.of(ancestry.substring(COPY.length()).split(COPY)));
    }

    @Override
    public String toString() {
        return id + (origins.isEmpty() ? "" : " (a copy of " + String.join(", a copy of ", origins) + ")");
    }
}
