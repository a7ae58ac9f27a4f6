package cleave.chaos.lab.exercise;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cleave lab grade}: says what is right in the work tree of an exercise, and what is not yet. */
@Command(
        name = "grade",
        mixinStandardHelpOptions = true,
        header = "says what is right in the work tree of an exercise, and what is not yet",
        description = {
            "Compiles the work tree with Maven, runs the tests that the exercise names there, and the stories and"
                    + " seeds of the simulator on the compiled code. Prints a table and, for each check that did not pass,"
                    + " what that means, what was seen, and the command that shows it again. Ends with status 0 only if"
                    + " every check passed.",
            "First the work tree is compared with the original: outside of the sources of the exercise's module, only"
                    + " more tests are permitted. The simulator and its checks are always those of the cleave that grades."
        })
public final class GradeCommand implements Callable<Integer> {
    private static final int CHANGES_SHOWN = 10;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FOLDER",
            description = "the work tree (default: the one that contains the current folder)")
    private Path folder = Path.of("");

    @Option(
            names = "--minutes",
            paramLabel = "M",
            description = "the most that one check may take (default: 15; the first one compiles all modules)")
    private int minutes = 15;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (minutes < 1) {
            throw CommandFailure.usage("--minutes must be at least 1");
        }
        try {
            WorkTree work = workTree();
            Exercise exercise = Exercises.of(work.exercise());
            if (exercise == null) {
                throw CommandFailure.usage(
                        "this cleave has no exercise '" + work.exercise() + "': run the one in " + work.original());
            }
            Path maven = MavenTests.maven();
            if (maven == null) {
                throw CommandFailure.failed(
                        "Maven is needed for the tests, but there is no mvn on the PATH. Install it (Debian: apt"
                                + " install maven).");
            }
            out.println(exercise.name() + ": " + exercise.title());
            if (!isUntouchedElsewhere(out, work, exercise)) {
                return 1;
            }
            List<CheckResult> results = new Grader(work, exercise, maven, Duration.ofMinutes(minutes), line -> {
                        out.println(line);
                        out.flush();
                    })
                    .run();
            out.println();
            Grade.report(exercise, work, results).forEach(out::println);
            out.flush();
            return Grader.isSolved(results) ? 0 : 1;
        } catch (IOException failed) {
            throw CommandFailure.failed("the exercise cannot be graded: " + ExerciseCommand.reason(failed));
        }
    }

    private WorkTree workTree() throws IOException {
        if (!Files.isDirectory(folder.toAbsolutePath())) {
            throw CommandFailure.usage("there is no folder " + folder);
        }
        WorkTree work = WorkTree.around(folder);
        if (work == null) {
            throw CommandFailure.usage(folder.toAbsolutePath().normalize()
                    + " is not the work tree of an exercise: name the folder that cleave lab exercise has made");
        }
        return work;
    }

    /** Compares with the original that this cleave was built in or, if that is the work tree itself, with the one it was copied from. */
    private static boolean isUntouchedElsewhere(PrintWriter out, WorkTree work, Exercise exercise) throws IOException {
        SourceTree original = original(work);
        if (original == null) {
            out.println(
                    "The original is no longer in " + work.original() + ": whether tests were changed is not checked.");
            return true;
        }
        List<String> changes = work.changesElsewhere(original, exercise);
        if (changes.isEmpty()) {
            return true;
        }
        out.println();
        out.println("Nothing was graded. Compared with " + original.root() + ", " + changes.size()
                + " files differ that are not part of the exercise:");
        changes.stream().limit(CHANGES_SHOWN).forEach(change -> out.println("  " + change));
        if (changes.size() > CHANGES_SHOWN) {
            out.println("  and " + (changes.size() - CHANGES_SHOWN) + " more");
        }
        out.println();
        out.println("The exercise is solved in " + exercise.workplace()
                + " alone; more tests of your own are welcome, changed ones prove nothing. Copy these files from the"
                + " original. If it is the original that has changed since, set the exercise again in a new folder and"
                + " copy " + exercise.file() + " there.");
        out.flush();
        return false;
    }

    private static @Nullable SourceTree original(WorkTree work) {
        SourceTree ofThisProgram = SourceTree.ofThisProgram();
        boolean isApart = ofThisProgram != null && !ofThisProgram.root().equals(work.root());
        return isApart ? ofThisProgram : SourceTree.around(work.original());
    }
}
