package cleave.chaos.lab.exercise;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Grades the work of a class: what is wrong with one folder is its line of the table, and does not stop the others. Immutable.
 *
 * @param say called with each line of progress
 */
record ClassGrading(Grader grader, Consumer<String> say) {
    /** Grades one work tree. */
    interface Grader {
        /** IOException if the work tree cannot be read or written. */
        Grade grade(WorkTree work) throws IOException;
    }

    /**
     * Adds a grade for each work tree among the folders and right in them.
     *
     * @throws IOException if the table cannot be written
     */
    void gradeAll(List<Path> folders, GradeTable table) throws IOException {
        List<Path> submissions = new ArrayList<>();
        folders.forEach(folder -> submissions.addAll(submissions(folder)));
        for (int i = 0; i < submissions.size(); i++) {
            Path folder = submissions.get(i);
            say.accept("[" + (i + 1) + "/" + submissions.size() + "] " + folder);
            Grade grade = grade(folder);
            table.add(folder, grade);
            say.accept("    " + grade.outcome() + (grade.reason().isEmpty() ? "" : ": " + grade.reason()));
        }
    }

    /** The folder itself if it is a work tree or has none in it; otherwise all folders in it. */
    private static List<Path> submissions(Path folder) {
        if (!Files.isDirectory(folder) || isWorkTree(folder)) {
            return List.of(folder);
        }
        try (Stream<Path> entries = Files.list(folder)) {
            List<Path> inside = entries.filter(entry -> Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))
                    .filter(entry -> !entry.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
            return inside.stream().anyMatch(ClassGrading::isWorkTree) ? inside : List.of(folder);
        } catch (IOException | UncheckedIOException unreadable) {
            return List.of(folder); // Its grade tells why.
        }
    }

    private static boolean isWorkTree(Path folder) {
        try {
            return WorkTree.at(folder) != null;
        } catch (IOException damaged) {
            return true; // Its grade tells why.
        }
    }

    private Grade grade(Path folder) {
        @Nullable WorkTree work = null;
        try {
            if (!Files.isDirectory(folder)) {
                return Grade.notGraded("", "there is no such folder; unpack archives first");
            }
            work = WorkTree.at(folder);
            return work == null
                    ? Grade.notGraded("", "neither it nor a folder right in it is what cleave lab exercise has made")
                    : grader.grade(work);
        } catch (IOException failed) {
            return Grade.notGraded(work == null ? "" : work.exercise(), ExerciseCommand.reason(failed));
        }
    }
}
