package cleave.chaos.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Why these answers are not linearizable. Immutable.
 *
 * @param subject the entity or partition
 * @param story the operations with their times, the longest consistent order, and where it ends
 */
public record Violation(String subject, String reason, List<String> story) {
    public Violation {
        story = List.copyOf(story);
    }

    /** A group that is not linearizable. */
    static Violation of(Group group) {
        return new Violation(group.name(), "no order of these operations explains their answers", Story.of(group));
    }

    /** Operations that are wrong regardless of all others. */
    static Violation of(String reason, Operation... operations) {
        return new Violation(Story.subject(operations[0]), reason, Story.listed(List.of(operations)));
    }

    @Override
    public String toString() {
        List<String> lines = new ArrayList<>();
        lines.add(subject + ": " + reason);
        story.forEach(line -> lines.add("  " + line));
        return String.join("\n", lines);
    }
}
