package cleave.chaos.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A document in Markdown. Immutable.
 *
 * @param spans of code within lines, without their backticks
 * @param commands lines of code that run {@code cleave}, with their continuations
 * @param links as written
 * @param anchors of its headings
 */
record Document(Path file, List<String> spans, List<String> commands, List<String> links, Set<String> anchors) {
    private static final Pattern SPAN = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final String FENCE = "```";

    static List<Document> all() {
        List<Document> all = new ArrayList<>();
        Sources.eachFile(file -> {
            if (file.toString().endsWith(".md")) {
                all.add(read(file));
            }
        });
        return all;
    }

    static Document read(Path file) {
        List<String> spans = new ArrayList<>();
        List<String> commands = new ArrayList<>();
        List<String> links = new ArrayList<>();
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> headings = new HashMap<>();
        boolean isCode = false;
        for (String line : lines(file)) {
            if (line.strip().startsWith(FENCE)) {
                isCode = !isCode;
            } else if (isCode) {
                addCommand(commands, line.strip());
            } else {
                SPAN.matcher(line).results().map(found -> found.group(1)).forEach(spans::add);
                LINK.matcher(SPAN.matcher(line).replaceAll("code"))
                        .results()
                        .map((MatchResult found) -> found.group(1))
                        .forEach(links::add);
                if (line.startsWith("#")) {
                    anchors.add(anchor(line, headings));
                }
            }
        }
        spans.forEach(span -> addCommand(commands, span));
        return new Document(file, spans, commands, links, anchors);
    }

    private static List<String> lines(Path file) {
        try {
            return List.of(Files.readString(file).replace("\\\n", " ").split("\n"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static void addCommand(List<String> commands, String line) {
        if (line.startsWith("./cleave ") || line.startsWith("cleave ")) {
            commands.add(line);
        }
    }

    /** The anchor that GitHub makes of a heading. */
    private static String anchor(String heading, Map<String, Integer> headings) {
        String anchor = heading.replaceFirst("^#+ ", "")
                .strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                .replace(' ', '-');
        int before = headings.merge(anchor, 1, Integer::sum) - 1;
        return before == 0 ? anchor : anchor + "-" + before;
    }
}
