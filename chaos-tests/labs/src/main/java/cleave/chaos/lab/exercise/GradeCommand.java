package cleave.chaos.lab.exercise;

import cleave.chaos.lab.exercise.Check.Result;
import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
        customSynopsis = {
            "cleave lab grade [-hV] [--minutes=M] [FOLDER]",
            "cleave lab grade [-hV] [--minutes=M] --csv=FILE FOLDER..."
        },
        description = {
            "Compiles the work tree with Maven, runs the tests that the exercise names there, and the stories and"
                    + " seeds of the simulator on the compiled code. Prints a table and, for each check that did not pass,"
                    + " what that means, what was seen, and the command that shows it again. Ends with status 0 only if"
                    + " every check passed.",
            "First the work tree is compared with the original: outside of the sources of the exercise's module, only"
                    + " more tests are permitted. The simulator and its checks are always those of the cleave that grades.",
            "With --csv, grades all work trees among the folders and right in them, and writes a line for each: folder,"
                    + " exercise, passed or failed or not graded, and the first check that did not pass or what is wrong with"
                    + " the folder. A folder that cannot be graded does not stop the others. Ends with status 0 if each one was"
                    + " graded, whether it passed or not, and else with 1."
        })
public final class GradeCommand implements Callable<Integer> {
    private static final int CHANGES_SHOWN = 10;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "FOLDER",
            description =
                    "the work tree (default: the one that contains the current folder); with --csv, work trees, or"
                            + " folders with work trees in them, such as those of students")
    private List<Path> folders = List.of();

    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description =
                    "grade many work trees into this file, which must not exist; a grade is in it as soon as it is"
                            + " known")
    private @Nullable Path csv;

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
        Grading grading = new Grading(Duration.ofMinutes(minutes), this::say);
        if (csv != null) {
            return gradeClass(grading, csv);
        }
        try {
            WorkTree work = workTree();
            Exercise exercise = Exercise.of(work.exercise());
            if (exercise == null) {
                throw CommandFailure.usage(
                        "this cleave has no exercise '" + work.exercise() + "': run the one in " + work.original());
            }
            say(exercise.name() + ": " + exercise.title());
            if (!isUntouchedElsewhere(out, work, exercise)) {
                return 1;
            }
            List<Result> results = grading.results(work, exercise);
            report(work, exercise, results).forEach(this::say);
            return results.stream().allMatch(Result::isPassed) ? 0 : 1;
        } catch (IOException failed) {
            throw CommandFailure.failed("the exercise cannot be graded: " + ExerciseCommand.reason(failed));
        }
    }

    private int gradeClass(Grading grading, Path file) {
        if (folders.isEmpty()) {
            throw CommandFailure.usage("--csv grades the folders of a class: name them");
        }
        try (GradeTable table = new GradeTable(file)) {
            new ClassGrading(grading, this::say).gradeAll(folders, table);
            say(table.summary() + "; see " + file);
            return table.isEachGraded() ? 0 : 1;
        } catch (FileAlreadyExistsException exists) {
            throw CommandFailure.usage(file + " exists, and may have grades: name another file, or delete it");
        } catch (IOException failed) {
            throw CommandFailure.failed("the grades cannot be written: " + ExerciseCommand.reason(failed));
        }
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }

    /** For the student. */
    private static List<String> report(WorkTree work, Exercise exercise, List<Result> results) {
        List<String> report = new ArrayList<>(List.of(""));
        TextTable table = new TextTable("check", "passed", "result", "seconds");
        results.forEach(each -> table.row(
                each.check(), each.summary(), each.verdict(), each.took().toSeconds()));
        report.addAll(table.text().lines().toList());
        for (Result each : results) {
            if (each.verdict().equals(Result.WRONG)) {
                report.addAll(
                        List.of("", each.check() + ":", "  " + each.check().why()));
                each.details().forEach(line -> report.add("  " + line));
                if (!each.again().isEmpty()) {
                    report.addAll(List.of("  To see it again, in " + work.root() + ":", "    " + each.again()));
                }
            }
        }
        report.add("");
        long passed = results.stream().filter(Result::isPassed).count();
        if (passed == results.size()) {
            report.add(
                    "All " + passed + " checks passed: " + exercise.name() + " is solved. Compare with the original:");
            report.add("  diff " + work.original().resolve(exercise.file()) + " "
                    + work.root().resolve(exercise.file()));
        } else {
            report.add(passed + " of " + results.size() + " checks passed. The task is in "
                    + work.root().resolve("EXERCISE.md") + ".");
        }
        return report;
    }

    private WorkTree workTree() throws IOException {
        if (folders.size() > 1) {
            throw CommandFailure.usage("several folders are graded into a file: name it with --csv");
        }
        Path folder = folders.isEmpty() ? Path.of("") : folders.get(0);
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

    private static boolean isUntouchedElsewhere(PrintWriter out, WorkTree work, Exercise exercise) throws IOException {
        Path original = Grading.original(work);
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
        out.println("Nothing was graded. Compared with " + original + ", " + changes.size()
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
}
