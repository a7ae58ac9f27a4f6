package cleave.chaos.lab.exercise;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cleave lab exercise}: sets an exercise in a copy of the sources. */
@Command(
        name = "exercise",
        mixinStandardHelpOptions = true,
        header = "takes one rule out of a copy of the sources, and tells the task",
        description = {
            "Without a name, lists the exercises, from reading to writing. With one, copies the sources of this"
                    + " checkout to a folder of its own, takes one rule out of the copy (or plants a mistake in it), and"
                    + " prints the task, which is also in EXERCISE.md there. The checkout stays as it is. cleave lab grade"
                    + " says what is right and what is not yet."
        })
public final class ExerciseCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "the exercise (default: list them all)")
    private @Nullable String name;

    @Option(
            names = "--to",
            paramLabel = "FOLDER",
            description = "the copy; absent or empty (default: cleave-NAME, next to the checkout)")
    private @Nullable Path to;

    @Option(
            names = "--sources",
            paramLabel = "FOLDER",
            description = "the checkout to copy (default: the one that this cleave was built in)")
    private @Nullable Path sources;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (name == null) {
            list(out);
            return 0;
        }
        Exercise exercise = Exercise.of(name);
        if (exercise == null) {
            throw CommandFailure.usage(
                    "there is no exercise '" + name + "' here; there are: " + String.join(", ", Exercise.NAMES));
        }
        Path original = original();
        Path into = into(original, exercise);
        try {
            out.println("copying " + original + " to " + into);
            out.flush();
            WorkTree work = WorkTree.make(original, exercise, exercise.patch(), into);
            tell(out, exercise, work);
        } catch (IllegalStateException doesNotFit) {
            throw CommandFailure.failed("the exercise does not fit " + original + ", whose " + exercise.file()
                    + " is not the one that it was written for: " + doesNotFit.getMessage());
        } catch (IOException failed) {
            throw CommandFailure.failed("the copy is not complete, delete " + into + ": " + reason(failed));
        }
        return 0;
    }

    static String reason(IOException failed) {
        boolean isBare = failed instanceof FileSystemException of && of.getReason() == null;
        return isBare
                ? failed.getClass().getSimpleName() + " " + failed.getMessage()
                : String.valueOf(failed.getMessage());
    }

    private static void list(PrintWriter out) {
        TextTable table = new TextTable("exercise", "level", "minutes", "what it is about");
        for (Exercise each : Exercise.all()) {
            table.row(each.name(), each.level(), each.minutes(), each.title());
        }
        out.print(table.text());
        out.println();
        out.println(
                "cleave lab exercise NAME sets one, and cleave lab grade FOLDER grades it. Read docs/labs/exercises.md"
                        + " first.");
        out.flush();
    }

    private Path original() {
        Path found = sources == null ? WorkTree.sourcesOfThisProgram() : WorkTree.sourcesAround(sources);
        if (found == null && sources == null) {
            found = WorkTree.sourcesAround(Path.of(""));
        }
        if (found == null) {
            throw CommandFailure.usage(
                    sources == null
                            ? "an exercise needs the sources of Cleave, and this cleave has none at hand (it runs from"
                                    + " an image, or from jars alone): clone the repository and run ./cleave there, or"
                                    + " name a checkout with --sources"
                            : "there are no sources of Cleave in " + sources);
        }
        try {
            WorkTree exercise = WorkTree.around(found);
            if (exercise != null) {
                throw CommandFailure.usage(found + " is the work tree of the exercise " + exercise.exercise()
                        + ": begin another one in the original, " + exercise.original());
            }
        } catch (IOException failed) {
            throw CommandFailure.failed("cannot read " + found + ": " + reason(failed));
        }
        return found;
    }

    private Path into(Path original, Exercise exercise) {
        Path beside = Objects.requireNonNullElse(original.getParent(), original);
        Path into = (to == null ? beside.resolve("cleave-" + exercise.name()) : to)
                .toAbsolutePath()
                .normalize();
        if (into.startsWith(original)) {
            throw CommandFailure.usage(
                    into + " lies inside the checkout, which stays as it is: name another folder with --to");
        }
        if (Files.exists(into) && !isEmptyFolder(into)) {
            throw CommandFailure.usage(
                    into + " exists and is not an empty folder: name another one with --to, or delete it");
        }
        return into;
    }

    private static boolean isEmptyFolder(Path path) {
        if (!Files.isDirectory(path)) {
            return false;
        }
        try (Stream<Path> entries = Files.list(path)) {
            return entries.findAny().isEmpty();
        } catch (IOException failed) {
            throw CommandFailure.failed("cannot read " + path + ": " + reason(failed));
        }
    }

    private static void tell(PrintWriter out, Exercise exercise, WorkTree work) {
        List<String> lines = new ArrayList<>(List.of(
                "",
                exercise.title() + " (" + exercise.level() + ", about " + exercise.minutes() + " minutes)",
                "",
                exercise.task(),
                ""));
        lines.addAll(work.facts(exercise));
        for (String line : lines) {
            out.println(line);
        }
        out.flush();
    }
}
