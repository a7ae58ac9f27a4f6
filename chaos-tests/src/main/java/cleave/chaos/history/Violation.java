package cleave.chaos.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Why no store that does one thing at a time could have given these answers. Immutable.
 *
 * @param story for people: what fits, and where it ends
 */
public record Violation(String key, String reason, List<String> story) {
    private static final int LINES_MAX = 60;

    public Violation {
        story = List.copyOf(story);
    }

    @Override
    public String toString() {
        List<String> lines = new ArrayList<>();
        lines.add("entity " + key + ": " + reason);
        int skipped = Math.max(0, story.size() - LINES_MAX);
        if (skipped > 0) {
            lines.add("  (" + skipped + " earlier lines left out)");
        }
        story.subList(skipped, story.size()).forEach(line -> lines.add("  " + line));
        return String.join("\n", lines);
    }
}
