package cleave.chaos.lab.exercise;

import cleave.chaos.lab.exercise.Check.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Grades work trees, one after the other. Immutable.
 *
 * @param most that one check may take
 * @param say called with each line of progress
 */
record Grading(Duration most, Consumer<String> say) implements ClassGrading.Grader {
    @Override
    public Grade grade(WorkTree work) throws IOException {
        Exercise exercise = Exercise.of(work.exercise());
        if (exercise == null) {
            return Grade.notGraded(work.exercise(), "this cleave has no exercise of that name");
        }
        Path original = original(work);
        if (original == null) {
            return Grade.notGraded(exercise.name(), "there are no sources to compare it with: grade in a checkout");
        }
        List<String> changes = work.changesElsewhere(original, exercise);
        if (changes.isEmpty()) {
            return Grade.of(exercise.name(), results(work, exercise));
        }
        String what = changes.size() == 1 ? "1 file differs that is" : changes.size() + " files differ that are";
        return Grade.notGraded(exercise.name(), what + " not part of the exercise, first " + changes.get(0));
    }

    /** The original that this cleave was built in or, if that is the work tree itself, the one it was copied from; null if that is gone. */
    static @Nullable Path original(WorkTree work) {
        Path ofThisProgram = WorkTree.sourcesOfThisProgram();
        boolean isApart = ofThisProgram != null && !ofThisProgram.equals(work.root());
        return isApart ? ofThisProgram : WorkTree.sourcesAround(work.original());
    }

    /** The results of all checks, in order. If no test could be run, neither are the checks after it: the classes may be old. */
    List<Result> results(WorkTree work, Exercise exercise) throws IOException {
        Path logs = Files.createDirectories(work.root().resolve(".cleave"));
        List<Result> results = new ArrayList<>();
        boolean compiles = true;
        for (Check check : exercise.checks()) {
            int number = results.size() + 1;
            say.accept("[" + number + "/" + exercise.checks().size() + "] " + check);
            Path log = logs.resolve("grade-" + number + ".log");
            Result result = compiles
                    ? run(work, exercise, check, log)
                    : new Result(check, "not run", "-", List.of(), "", Duration.ZERO);
            compiles &= check.kind() != Check.Kind.TESTS || result.summary().contains(" of ");
            results.add(result);
            String outcome = result.summary().equals("-")
                    ? "not run"
                    : (result.isPassed() ? "passed: " : "did not pass: ") + result.summary();
            say.accept("    " + outcome + " (" + result.took().toSeconds() + " s)");
        }
        return results;
    }

    private Result run(WorkTree work, Exercise exercise, Check check, Path log) throws IOException {
        Consumer<String> indented = line -> say.accept("    " + line);
        Simulator simulator =
                new Simulator(work.root().resolve(exercise.module()).resolve("target/classes"), most, log);
        return switch (check.kind()) {
            case TESTS -> new MavenTests(work.root(), exercise.tests(), most, log).run(check, indented);
            case STORY -> simulator.stories(check);
            case SEEDS -> simulator.seeds(check, indented);
        };
    }
}
