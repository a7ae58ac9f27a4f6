package cleave.chaos.lab.exercise;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A student's copy of the sources, in which one exercise is set. Immutable; its folder is the student's, and a git repository whose first commit
 * is the exercise as it was given.
 *
 * <p>The copy has no other history and no patches, so that nobody meets the solution by accident. It is not hidden either: it is the original.
 *
 * @param exercise its name
 * @param original where the copy was made; may have been moved since
 */
record WorkTree(Path root, String exercise, Path original) {
    private static final String MARKER = ".cleave-exercise";
    /** All files but what builds, tools and runs make. */
    private static final String PRESENT = "ls-files -c -o -x target/ -x .cleave/ -x .idea/ -x .vscode/ -x .settings/"
            + " -x node_modules/ -x cleave-data/";

    /** The root of the sources that a path lies in: a checkout, or an unpacked archive; null if it lies in none. */
    static @Nullable Path sourcesAround(Path path) {
        for (Path each = path.toAbsolutePath().normalize(); each != null; each = each.getParent()) {
            if (Files.isRegularFile(each.resolve("pom.xml"))
                    && Files.isDirectory(each.resolve("partition-server/src/main/java"))
                    && Files.isDirectory(each.resolve("chaos-tests"))) {
                return each;
            }
        }
        return null;
    }

    /** The root of the sources that this program was built in; null if it runs without them, as in an image. */
    static @Nullable Path sourcesOfThisProgram() {
        try {
            return sourcesAround(Path.of(WorkTree.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI()));
        } catch (URISyntaxException notAFile) {
            return null;
        }
    }

    /**
     * Copies the sources and sets the exercise.
     *
     * @param into absent or empty
     * @throws IllegalStateException if the exercise was not written for these sources; nothing was made
     */
    static WorkTree make(Path original, Exercise exercise, String patch, Path into) throws IOException {
        Path patchFile = Files.writeString(Files.createTempFile("exercise", ".patch"), patch);
        try {
            fits(original, patchFile);
            Files.createDirectories(into);
            Child.git(into, "init", "-q");
            for (String file : files(original, into)) {
                if (!Exercise.isSolution(file)) {
                    Path copy = into.resolve(file);
                    Files.createDirectories(Objects.requireNonNull(copy.getParent()));
                    Files.copy(original.resolve(file), copy, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
            Child.git(into, "apply", patchFile.toString());
        } finally {
            Files.delete(patchFile);
        }
        WorkTree made = new WorkTree(into, exercise.name(), original);
        Files.writeString(
                into.resolve("EXERCISE.md"),
                "# " + exercise.title() + "\n\n" + exercise.task() + "\n\n```\n"
                        + String.join("\n", made.facts(exercise)) + "\n```\n");
        Properties properties = new Properties();
        properties.setProperty("exercise", exercise.name());
        properties.setProperty("original", original.toString());
        try (Writer out = Files.newBufferedWriter(into.resolve(MARKER))) { // Last: a copy without it is not complete.
            properties.store(out, "The work tree of an exercise: cleave lab grade reads this.");
        }
        Child.git(into, "add", "-A", "-f");
        Child.git(
                into,
                "-c",
                "user.name=Cleave",
                "-c",
                "user.email=",
                "-c",
                "commit.gpgSign=false",
                "commit",
                "-q",
                "--no-verify",
                "-m",
                "The exercise " + exercise.name());
        return made;
    }

    private static void fits(Path original, Path patch) {
        try {
            Child.git(original, "apply", "--check", patch.toString());
        } catch (IOException refused) {
            throw new IllegalStateException(refused.getMessage(), refused);
        }
    }

    /**
     * The files that belong to sources, from their root: those that git tracks or, without a repository, all but what builds make.
     *
     * @param repository any, for sources without one
     */
    private static SortedSet<String> files(Path sources, Path repository) throws IOException {
        return Files.exists(sources.resolve(".git"))
                ? regular(sources, Child.git(sources, "ls-files"))
                : present(sources, repository);
    }

    private static SortedSet<String> present(Path sources, Path repository) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("--git-dir=" + repository.resolve(".git"), "--work-tree=" + sources));
        arguments.addAll(List.of(PRESENT.split(" ")));
        return regular(sources, Child.git(sources, arguments.toArray(String[]::new)));
    }

    private static SortedSet<String> regular(Path root, List<String> files) {
        SortedSet<String> regular = new TreeSet<>(files);
        regular.removeIf(file -> !Files.isRegularFile(root.resolve(file), LinkOption.NOFOLLOW_LINKS));
        return regular;
    }

    /** Where the exercise is solved, what describes it, and how it is graded. */
    List<String> facts(Exercise its) {
        String checks =
                String.join("; ", its.checks().stream().map(Check::toString).toList());
        return List.of(
                "The file:    " + root.resolve(its.file()),
                "The source:  " + its.source(),
                "The checks:  " + checks,
                "Your change: git -C " + root + " diff",
                "To grade:    " + original.resolve("cleave") + " lab grade " + root);
    }

    /** The work tree that a path lies in; null if it lies in none. */
    static @Nullable WorkTree around(Path path) throws IOException {
        WorkTree found = null;
        for (Path each = path.toAbsolutePath().normalize(); found == null && each != null; each = each.getParent()) {
            found = at(each);
        }
        return found;
    }

    /** The work tree whose root this folder is; null if it is none. IOException if it was damaged. */
    static @Nullable WorkTree at(Path folder) throws IOException {
        Path root = folder.toAbsolutePath().normalize();
        Path marker = root.resolve(MARKER);
        if (!Files.isRegularFile(marker, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(marker)) {
            properties.load(in);
            return new WorkTree(
                    root, properties.getProperty("exercise", ""), Path.of(properties.getProperty("original", "")));
        } catch (IllegalArgumentException malformed) {
            throw new IOException(marker + " is damaged: " + malformed.getMessage(), malformed);
        }
    }

    /**
     * Lists differences from the original outside of the place where the exercise is solved: tests, the simulator, other modules, build files.
     * More tests, and more files of other kinds, are welcome.
     */
    List<String> changesElsewhere(Path from, Exercise its) throws IOException {
        List<String> changes = new ArrayList<>();
        // A copy that was handed in may lack its repository.
        Path repository = Files.exists(from.resolve(".git")) ? from : root;
        SortedSet<String> files = files(from, repository);
        for (String file : files) {
            if (!Exercise.isSolution(file) && !file.startsWith(its.workplace())) {
                Path here = root.resolve(file);
                if (!Files.isRegularFile(here)) {
                    changes.add("missing: " + file);
                } else if (Files.mismatch(here, from.resolve(file)) >= 0) {
                    changes.add("changed: " + file);
                }
            }
        }
        for (String file : present(root, repository)) {
            boolean counts = file.contains("/src/") || file.startsWith(".mvn/");
            boolean isWelcome = file.startsWith(its.workplace())
                    || (file.contains("/src/test/java/") && file.endsWith("Test.java"));
            if (counts && !isWelcome && !files.contains(file)) {
                changes.add("added:   " + file);
            }
        }
        return changes;
    }
}
