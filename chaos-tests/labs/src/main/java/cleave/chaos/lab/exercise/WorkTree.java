package cleave.chaos.lab.exercise;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * A student's copy of the sources, in which one exercise is set. Immutable; its folder is the student's.
 *
 * <p>The copy has no history and no other exercise, so that nobody meets the solution by accident. It is not hidden either: it is the
 * original.
 *
 * @param exercise its name
 * @param original where the copy was made; may have been moved since
 */
record WorkTree(SourceTree tree, String exercise, Path original) {
    private static final String MARKER = ".cleave-exercise";

    /**
     * Copies the sources and sets the exercise.
     *
     * @param into absent or empty
     * @throws IllegalStateException if the exercise was not written for these sources; nothing was made
     */
    static WorkTree make(SourceTree original, Exercise exercise, String text, Path into) throws IOException {
        String given = exercise.apply(Files.readString(original.root().resolve(exercise.file())));
        for (String file : original.files()) {
            if (!file.startsWith(Exercises.FOLDER)) {
                Path copy = into.resolve(file);
                Files.createDirectories(parent(copy));
                Files.copy(original.root().resolve(file), copy, StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        Files.writeString(into.resolve(exercise.file()), given);
        Path description = into.resolve(Exercises.FOLDER + exercise.name() + ".md");
        Files.createDirectories(parent(description));
        Files.writeString(description, Exercise.withoutSolution(text));
        String facts = String.join("\n", facts(exercise, into, original.root()));
        Files.writeString(
                into.resolve("EXERCISE.md"),
                "# " + exercise.title() + "\n\n" + exercise.task() + "\n\n```\n" + facts + "\n```\n");
        Properties properties = new Properties();
        properties.setProperty("exercise", exercise.name());
        properties.setProperty("original", original.root().toString());
        try (Writer out = Files.newBufferedWriter(into.resolve(MARKER))) { // Last: a copy without it is not complete.
            properties.store(out, "The work tree of an exercise: cleave lab grade reads this.");
        }
        return new WorkTree(new SourceTree(into), exercise.name(), original.root());
    }

    /** Where the exercise is solved, what describes it, and how it is graded. */
    List<String> facts(Exercise itsExercise) {
        return facts(itsExercise, root(), original());
    }

    private static List<String> facts(Exercise exercise, Path root, Path original) {
        String checks = String.join(
                "; ", exercise.checks().stream().map(Check::toString).toList());
        return List.of(
                "The file:    " + root.resolve(exercise.file()),
                "The source:  " + exercise.source(),
                "The checks:  " + checks,
                "To grade:    " + original.resolve("cleave") + " lab grade " + root);
    }

    private static Path parent(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalArgumentException(path + " has no parent");
        }
        return parent;
    }

    /** The work tree that a path lies in; null if it lies in none. */
    static @Nullable WorkTree around(Path path) throws IOException {
        for (Path each = path.toAbsolutePath().normalize(); each != null; each = each.getParent()) {
            Path marker = each.resolve(MARKER);
            if (Files.isRegularFile(marker, LinkOption.NOFOLLOW_LINKS)) {
                Properties properties = new Properties();
                try (Reader in = Files.newBufferedReader(marker)) {
                    properties.load(in);
                }
                return new WorkTree(
                        new SourceTree(each),
                        properties.getProperty("exercise", ""),
                        Path.of(properties.getProperty("original", "")));
            }
        }
        return null;
    }

    Path root() {
        return tree.root();
    }

    /**
     * What differs from the original outside of the place where the exercise is solved: tests, the simulator, other modules, build files.
     * More tests, and more files of other kinds, are welcome.
     */
    List<String> changesElsewhere(SourceTree original, Exercise exercise) throws IOException {
        List<String> changes = new ArrayList<>();
        SortedSet<String> files = original.files();
        for (String file : files) {
            if (!file.startsWith(Exercises.FOLDER) && !file.startsWith(exercise.workplace())) {
                Path here = root().resolve(file);
                if (!Files.isRegularFile(here)) {
                    changes.add("missing: " + file);
                } else if (Files.mismatch(here, original.root().resolve(file)) >= 0) {
                    changes.add("changed: " + file);
                }
            }
        }
        for (String file : tree.present()) {
            boolean counts = file.contains("/src/") || file.startsWith(".mvn/");
            boolean isWelcome = file.startsWith(exercise.workplace())
                    || file.startsWith(Exercises.FOLDER)
                    || (file.contains("/src/test/java/") && file.endsWith("Test.java"));
            if (counts && !isWelcome && !files.contains(file)) {
                changes.add("added:   " + file);
            }
        }
        return changes;
    }
}
