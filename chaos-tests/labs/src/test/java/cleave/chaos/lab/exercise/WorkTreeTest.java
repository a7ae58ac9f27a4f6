package cleave.chaos.lab.exercise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkTreeTest {
    private static final String FILE = "partition-server/src/main/java/A.java";
    private static final String TEXTS = "chaos-tests/labs/src/main/resources/cleave/chaos/lab/exercise/";
    private static final String TEXT = """
        title: T
        level: read
        minutes: 5
        source: S
        file: partition-server/src/main/java/A.java
        check: tests ATest
        why: it is
          so

        # Task

        Do it.
        """;
    private static final String PATCH = """
        --- a/partition-server/src/main/java/A.java
        +++ b/partition-server/src/main/java/A.java
        @@ -1,3 +1,3 @@
         class A {
        -    int right = 1;
        +    int right = 2;
         }
        """;

    @TempDir
    private Path folder;

    private Path root;
    private Exercise exercise;

    @BeforeEach
    void aCheckout() throws IOException {
        root = folder.resolve("original");
        write("pom.xml", "<project/>");
        write(FILE, "class A {\n    int right = 1;\n}\n");
        write("partition-server/src/test/java/ATest.java", "class ATest {}\n");
        write("partition-server/target/classes/A.class", "made");
        write("chaos-tests/simulator/src/main/java/Sim.java", "class Sim {}\n");
        write(TEXTS + "barrier.md", TEXT);
        write(TEXTS + "barrier.patch", PATCH);
        write(TEXTS + "another.patch", "a solution");
        exercise = Exercise.parse("barrier", TEXT);
    }

    private void write(String file, String text) throws IOException {
        write(root, file, text);
    }

    private static void write(Path root, String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private WorkTree make() throws IOException {
        return WorkTree.make(original(), exercise, PATCH, folder.resolve("copy"));
    }

    private Path original() {
        return Objects.requireNonNull(WorkTree.sourcesAround(root.resolve("partition-server/src")));
    }

    @Test
    void theExerciseIsSetInTheCopyAlone() throws IOException {
        WorkTree work = make();

        assertThat(work.root().resolve(FILE)).hasContent("class A {\n    int right = 2;\n}\n");
        assertThat(root.resolve(FILE)).hasContent("class A {\n    int right = 1;\n}\n");
        assertThat(work.root().resolve("partition-server/target")).doesNotExist();
        assertThat(work.root().resolve("EXERCISE.md"))
                .content()
                .contains("# T", "Do it.", "The file:    " + work.root().resolve(FILE))
                .contains("To grade:    " + root.resolve("cleave") + " lab grade " + work.root());
        assertThat(exercise.checks().get(0).why()).isEqualTo("it is so");
    }

    @Test
    void theCopyHasNoSolution() throws IOException {
        WorkTree work = make();

        assertThat(work.root().resolve(TEXTS + "barrier.md")).hasContent(TEXT);
        assertThat(work.root().resolve(TEXTS + "barrier.patch")).doesNotExist();
        assertThat(work.root().resolve(TEXTS + "another.patch")).doesNotExist();
        assertThat(Child.git(work.root(), "log", "-p", "--format=%s"))
                .contains("The exercise barrier", "+    int right = 2;")
                .noneMatch(line -> line.contains("right = 1"));
    }

    @Test
    void gitShowsWhatTheStudentChanged() throws IOException {
        WorkTree work = make();
        write(work.root(), FILE, "class A {\n    int right = 3;\n}\n");

        assertThat(Child.git(work.root(), "status", "--porcelain")).containsExactly(" M " + FILE);
    }

    @Test
    void ofACheckoutOnlyTrackedFilesAreCopied() throws IOException {
        Child.git(root, "init", "-q");
        Child.git(root, "add", "pom.xml", FILE);

        WorkTree work = make();

        assertThat(Child.git(work.root(), "ls-files"))
                .containsExactlyInAnyOrder(".cleave-exercise", "EXERCISE.md", "pom.xml", FILE);
    }

    @Test
    void itIsFoundFromInside() throws IOException {
        make();

        WorkTree found = Objects.requireNonNull(WorkTree.around(folder.resolve("copy/partition-server/src")));

        assertThat(found.exercise()).isEqualTo("barrier");
        assertThat(found.original()).isEqualTo(original());
        assertThat(WorkTree.around(root)).isNull();
    }

    @Test
    void whatTheStudentMayChangeIsNoCheating() throws IOException {
        WorkTree work = make();
        write(work.root(), FILE, "class A { /* solved */ }\n");
        write(work.root(), "partition-server/src/main/java/B.java", "class B {}\n");
        write(work.root(), "partition-server/src/test/java/MyTest.java", "class MyTest {}\n");
        write(work.root(), "notes.txt", "notes");
        write(work.root(), "partition-server/target/surefire-reports/TEST-A.xml", "made");

        assertThat(work.changesElsewhere(original(), exercise)).isEmpty();
    }

    @Test
    void changedTestsSimulatorAndBuildsAreNoticed() throws IOException {
        WorkTree work = make();
        write(work.root(), "partition-server/src/test/java/ATest.java", "class ATest { /* easier */ }\n");
        write(work.root(), "partition-server/src/test/resources/junit-platform.properties", "x=y");
        write(work.root(), ".mvn/maven.config", "-DskipTests");
        Files.delete(work.root().resolve("chaos-tests/simulator/src/main/java/Sim.java"));

        assertThat(work.changesElsewhere(original(), exercise))
                .containsExactly(
                        "missing: chaos-tests/simulator/src/main/java/Sim.java",
                        "changed: partition-server/src/test/java/ATest.java",
                        "added:   .mvn/maven.config",
                        "added:   partition-server/src/test/resources/junit-platform.properties");
    }

    @Test
    void whatDoesNotFitMakesNothing() throws IOException {
        write(FILE, "class A {\n    int right = 3;\n}\n");

        assertThatThrownBy(this::make)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("patch does not apply");
        assertThat(folder.resolve("copy")).doesNotExist();
    }
}
