package cleave.chaos.lab.exercise;

import cleave.chaos.lab.exercise.Check.Result;
import java.util.List;
import java.util.Locale;

/**
 * What the work in one folder is worth. Immutable.
 *
 * @param exercise empty if the folder is no work tree
 * @param reason one line: the first check that did not pass and what it saw, or why nothing was graded; empty if all passed
 */
record Grade(String exercise, Outcome outcome, String reason) {
    enum Outcome {
        PASSED,
        FAILED,
        /** Nothing is known about the work: the folder is no work tree, or more than the exercise was changed in it. */
        NOT_GRADED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    static Grade notGraded(String exercise, String reason) {
        return new Grade(exercise, Outcome.NOT_GRADED, reason);
    }

    static Grade of(String exercise, List<Result> results) {
        return results.stream()
                .filter(result -> !result.isPassed())
                .findFirst()
                .map(first -> new Grade(exercise, Outcome.FAILED, reason(first)))
                .orElseGet(() -> new Grade(exercise, Outcome.PASSED, ""));
    }

    private static String reason(Result failed) {
        String seen =
                failed.details().isEmpty() ? "" : ": " + failed.details().get(0).strip();
        return failed.check() + ", " + failed.summary()
                + seen.replaceFirst("^: - ", ": ").replaceFirst(":$", "");
    }
}
