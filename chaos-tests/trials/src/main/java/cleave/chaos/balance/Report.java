package cleave.chaos.balance;

import java.util.List;

/**
 * The result of a trial. Immutable.
 *
 * @param title of its picture
 * @param loadEnded end of the load in seconds on the watch's clock
 * @param notes lines for people
 * @param errors some of the wrong answers
 */
record Report(
        String title,
        double loadEnded,
        List<Goal> goals,
        List<String> notes,
        List<String> errors,
        List<Moment> moments,
        List<LeaderEvent> events) {
    Report {
        goals = List.copyOf(goals);
        notes = List.copyOf(notes);
        errors = List.copyOf(errors);
        moments = List.copyOf(moments);
        events = List.copyOf(events);
    }

    boolean isMet() {
        return goals.stream().allMatch(Goal::met);
    }

    String text() {
        StringBuilder text = new StringBuilder(title).append('\n');
        goals.forEach(goal -> text.append("  ").append(goal).append('\n'));
        notes.forEach(note -> text.append("  ").append(note).append('\n'));
        errors.forEach(error -> text.append("  ERROR: ").append(error).append('\n'));
        return text.append(isMet() ? "All goals were met.\n" : "NOT all goals were met; see above.\n")
                .toString();
    }
}
