package cleave.chaos.lab.exercise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.lab.exercise.Check.Result;
import cleave.chaos.lab.exercise.Grade.Outcome;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassGradingTest {
    private static final Check TESTS = new Check(Check.Kind.TESTS, List.of("ATest", "BTest"), "why");
    private static final Check STORY = new Check(Check.Kind.STORY, List.of("zombie-read"), "why");
    private static final Check SEEDS = new Check(Check.Kind.SEEDS, List.of("1", "12"), "why");

    @TempDir
    private Path folder;

    private final List<String> said = new ArrayList<>();

    private Path workTree(String name, String exercise) throws IOException {
        Path root = Files.createDirectories(folder.resolve(name));
        Files.writeString(root.resolve(".cleave-exercise"), "exercise=" + exercise + "\noriginal=gone\n");
        return root;
    }

    private List<String> graded(ClassGrading.Grader grader, Path... folders) throws IOException {
        Path csv = folder.resolve("grades.csv");
        try (GradeTable table = new GradeTable(csv)) {
            new ClassGrading(grader, said::add).gradeAll(List.of(folders), table);
            said.add(table.summary() + ", " + table.isEachGraded());
        }
        return Files.readString(csv).replace(folder + "/", "").lines().toList();
    }

    @Test
    void badFoldersAreReportedAndDoNotStopTheOthers() throws IOException {
        workTree("class/ann", "barrier");
        workTree("class/bob", "timestamp");
        workTree("class/carl", "\\u00zz");
        workTree("class/dora", "page-end");
        Files.createDirectories(folder.resolve("class/eve/notes"));
        Files.createDirectories(folder.resolve("class/.git"));
        Files.createSymbolicLink(folder.resolve("class/zoe"), folder.resolve("class/ann"));

        List<String> lines = graded(
                work -> {
                    if (work.exercise().equals("timestamp")) {
                        throw new IOException("no space left on device");
                    }
                    boolean isSolved = work.exercise().equals("page-end");
                    return new Grade(
                            work.exercise(),
                            isSolved ? Outcome.PASSED : Outcome.FAILED,
                            isSolved ? "" : "tests ATest, 1 of 2: ATest.a:1");
                },
                folder.resolve("class"),
                folder.resolve("frank.zip"));

        assertThat(lines)
                .containsExactly(
                        "folder,exercise,result,reason",
                        "class/ann,barrier,failed,\"tests ATest, 1 of 2: ATest.a:1\"",
                        "class/bob,timestamp,not graded,no space left on device",
                        "class/carl,,not graded,class/carl/.cleave-exercise is damaged: Malformed \\uxxxx encoding.",
                        "class/dora,page-end,passed,",
                        "class/eve,,not graded,neither it nor a folder right in it is what cleave lab exercise has made",
                        "frank.zip,,not graded,there is no such folder; unpack archives first");
        assertThat(said)
                .contains(
                        "[4/6] " + folder.resolve("class/dora"),
                        "    passed",
                        "1 passed, 1 failed, 4 not graded, false");
    }

    @Test
    void aFolderOfOneStudentHasALineForEachExercise() throws IOException {
        workTree("ann/cleave-barrier", "barrier");
        workTree("ann/cleave-page-end", "page-end");

        assertThat(graded(work -> new Grade(work.exercise(), Outcome.PASSED, ""), folder.resolve("ann")))
                .endsWith("ann/cleave-barrier,barrier,passed,", "ann/cleave-page-end,page-end,passed,");
        assertThat(said).endsWith("2 passed, true");
    }

    @Test
    void whatAStudentChangedElsewhereIsNotGraded() throws IOException {
        Path unknown = workTree("ann", "dance");
        Path few = workTree("bob", "barrier");

        List<String> lines = graded(new Grading(Duration.ofMinutes(1), said::add), unknown, few);

        assertThat(lines.get(1)).isEqualTo("ann,dance,not graded,this cleave has no exercise of that name");
        assertThat(lines.get(2))
                .startsWith("bob,barrier,not graded,")
                .contains(" files differ that are not part of the exercise, first missing: ");
    }

    @Test
    void theReasonIsTheFirstCheckThatDidNotPass() {
        Result tests = TESTS.result(1, 2, List.of("- ATest.a:17 Expecting empty", "- BTest.b:9"), "", 0);
        Result story = STORY.result(0, 1, List.of("- zombie-read:", "    WRONG. It read"), "", 0);

        assertThat(reason(TESTS.result(2, 2, List.of(), "", 0), story, SEEDS.result(11, 12, List.of(), "", 0)))
                .isEqualTo("story zombie-read, 0 of 1: zombie-read");
        assertThat(reason(tests, story)).isEqualTo("tests ATest, BTest, 1 of 2: ATest.a:17 Expecting empty");
        assertThat(reason(TESTS.result(false, "does not compile", List.of("[ERROR] A.java:[3,1] ;"), "", 0)))
                .isEqualTo("tests ATest, BTest, does not compile: [ERROR] A.java:[3,1] ;");
        assertThat(Grade.of("barrier", List.of(SEEDS.result(12, 12, List.of(), "", 0))))
                .isEqualTo(new Grade("barrier", Outcome.PASSED, ""));
    }

    private static String reason(Result... results) {
        Grade grade = Grade.of("barrier", List.of(results));
        assertThat(grade.outcome()).isEqualTo(Outcome.FAILED);
        return grade.reason();
    }

    @Test
    void whatStudentsWroteIsNeitherAFormulaNorALineOfTheTable() throws IOException {
        workTree("mallory", "barrier");

        List<String> lines = graded(
                work -> new Grade(work.exercise(), Outcome.FAILED, "@SUM(A1)\nmallory,barrier,\"passed\""),
                folder.resolve("mallory"));

        assertThat(lines).hasSize(2);
        assertThat(lines.get(1)).endsWith(",barrier,failed,\"'@SUM(A1) mallory,barrier,\"\"passed\"\"\"");
    }

    @Test
    void gradesOfAnotherDayAreNotOverwritten() throws IOException {
        Path old = Files.writeString(folder.resolve("old.csv"), "folder\n");

        assertThatThrownBy(() -> new GradeTable(old)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(old).hasContent("folder\n");
    }
}
