package cleave.chaos.lab.exercise;

import cleave.deploy.terminal.TextTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The report of a grading, for the student. Stateless. */
final class Grade {
    private Grade() {}

    static List<String> report(Exercise exercise, WorkTree work, List<CheckResult> results) {
        List<String> report = new ArrayList<>();
        TextTable table = new TextTable("check", "passed", "result", "seconds");
        for (CheckResult each : results) {
            String verdict = switch (each.outcome()) {
                case PASSED -> "right";
                case FAILED -> "WRONG";
                case NOT_RUN -> "not run";
            };
            table.row(each.check(), each.summary(), verdict, each.took().toSeconds());
        }
        report.addAll(table.text().lines().toList());
        for (CheckResult each : results) {
            if (each.outcome() == CheckResult.Outcome.FAILED) {
                report.add("");
                report.add(each.check() + ":");
                report.add("  " + each.check().why());
                each.details().forEach(line -> report.add("  " + line));
                if (!each.again().isEmpty()) {
                    report.add("  To see it again, in " + work.root() + ":");
                    report.add("    " + each.again());
                }
            }
        }
        report.add("");
        long passed = results.stream().filter(CheckResult::isPassed).count();
        if (Grader.isSolved(results)) {
            report.add(
                    "All " + passed + " checks passed: " + exercise.name() + " is solved. Compare with the original:");
            Path original = work.original();
            report.add("  diff " + original.resolve(exercise.file()) + " "
                    + work.root().resolve(exercise.file()));
        } else {
            report.add(passed + " of " + results.size() + " checks passed. The task is in "
                    + work.root().resolve("EXERCISE.md") + ".");
        }
        return report;
    }
}
