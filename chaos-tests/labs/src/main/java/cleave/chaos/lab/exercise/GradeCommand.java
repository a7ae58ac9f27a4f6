package cleave.chaos.lab.exercise;

import cleave.chaos.lab.exercise.Check.Result;
import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
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
            Exercise exercise = Exercise.of(work.exercise());
            if (exercise == null) {
                throw CommandFailure.usage(
                        "this cleave has no exercise '" + work.exercise() + "': run the one in " + work.original());
            }
            say(exercise.name() + ": " + exercise.title());
            if (!isUntouchedElsewhere(out, work, exercise)) {
                return 1;
            }
            List<Result> results = results(work, exercise);
            report(work, exercise, results).forEach(this::say);
            return results.stream().allMatch(Result::isPassed) ? 0 : 1;
        } catch (IOException failed) {
            throw CommandFailure.failed("the exercise cannot be graded: " + ExerciseCommand.reason(failed));
        }
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }

    /** The results of all checks, in order. If no test could be run, neither are the checks after it: the classes may be old. */
    private List<Result> results(WorkTree work, Exercise exercise) throws IOException {
        Path logs = Files.createDirectories(work.root().resolve(".cleave"));
        List<Result> results = new ArrayList<>();
        boolean compiles = true;
        for (Check check : exercise.checks()) {
            int number = results.size() + 1;
            say("[" + number + "/" + exercise.checks().size() + "] " + check);
            Path log = logs.resolve("grade-" + number + ".log");
            Result result = compiles
                    ? run(work, exercise, check, log)
                    : new Result(check, "not run", "-", List.of(), "", Duration.ZERO);
            compiles &= check.kind() != Check.Kind.TESTS || result.summary().contains(" of ");
            results.add(result);
            String outcome = result.summary().equals("-")
                    ? "not run"
                    : (result.isPassed() ? "passed: " : "did not pass: ") + result.summary();
            say("    " + outcome + " (" + result.took().toSeconds() + " s)");
        }
        return results;
    }

    private Result run(WorkTree work, Exercise exercise, Check check, Path log) throws IOException {
        Consumer<String> indented = line -> say("    " + line);
        Duration most = Duration.ofMinutes(minutes);
        Simulator simulator =
                new Simulator(work.root().resolve(exercise.module()).resolve("target/classes"), most, log);
        return switch (check.kind()) {
            case TESTS -> new MavenTests(work.root(), exercise.tests(), most, log).run(check, indented);
            case STORY -> simulator.stories(check);
            case SEEDS -> simulator.seeds(check, indented);
        };
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
        Path original = original(work);
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

    private static @Nullable Path original(WorkTree work) {
        Path ofThisProgram = WorkTree.sourcesOfThisProgram();
        boolean isApart = ofThisProgram != null && !ofThisProgram.equals(work.root());
        return isApart ? ofThisProgram : WorkTree.sourcesAround(work.original());
    }
}
