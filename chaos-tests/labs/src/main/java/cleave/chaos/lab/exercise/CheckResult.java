package cleave.chaos.lab.exercise;

import java.time.Duration;
import java.util.List;

/**
 * What became of a check. Immutable.
 *
 * @param summary for the table, such as {@code 20 of 21}
 * @param details what was seen, if it did not pass, line by line
 * @param again the command that shows it again, for the root of the work tree
 */
record CheckResult(Check check, Outcome outcome, String summary, List<String> details, String again, Duration took) {
    enum Outcome {
        PASSED,
        FAILED,
        /** No test could be run before it, so there may be nothing to run, or something old. */
        NOT_RUN
    }

    CheckResult {
        details = List.copyOf(details);
    }

    static CheckResult notRun(Check check) {
        return new CheckResult(check, Outcome.NOT_RUN, "-", List.of(), "", Duration.ZERO);
    }

    boolean isPassed() {
        return outcome == Outcome.PASSED;
    }
}
