package cleave.chaos.lab.exercise;

import cleave.chaos.lab.exercise.CheckResult.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Runs the checks of an exercise in a work tree. Immutable. */
record Grader(WorkTree work, Exercise exercise, Path maven, Duration most, Consumer<String> progress) {
    /** The results of all checks, in order. If no test could be run, neither are the checks after it. */
    List<CheckResult> run() throws IOException {
        Path logs = work.root().resolve(".cleave");
        Files.createDirectories(logs);
        List<CheckResult> results = new ArrayList<>();
        boolean compiles = true;
        for (Check check : exercise.checks()) {
            int number = results.size() + 1;
            progress.accept("[" + number + "/" + exercise.checks().size() + "] " + check);
            Path log = logs.resolve("grade-" + number + ".log");
            CheckResult result = compiles ? run(check, log) : CheckResult.notRun(check);
            boolean ranNoTest =
                    check.kind() == Check.Kind.TESTS && !result.summary().contains(" of ");
            compiles &= !ranNoTest; // The classes may be those of an earlier state.
            results.add(result);
            progress.accept("    " + words(result) + " (" + result.took().toSeconds() + " s)");
        }
        return results;
    }

    private static String words(CheckResult result) {
        return switch (result.outcome()) {
            case PASSED -> "passed: " + result.summary();
            case FAILED -> "did not pass: " + result.summary();
            case NOT_RUN -> "not run";
        };
    }

    private Path classes() {
        return work.root().resolve(exercise.module()).resolve("target/classes");
    }

    private CheckResult run(Check check, Path log) throws IOException {
        Consumer<String> indented = line -> progress.accept("    " + line);
        Simulator simulator = new Simulator(classes(), most, log);
        return switch (check.kind()) {
            case TESTS -> MavenTests.run(maven, work, exercise, check, most, log, indented);
            case STORY -> simulator.stories(check);
            case SEEDS -> simulator.seeds(check, indented);
        };
    }

    /** True if nothing is left to do. */
    static boolean isSolved(List<CheckResult> results) {
        return results.stream().allMatch(result -> result.outcome() == Outcome.PASSED);
    }
}
