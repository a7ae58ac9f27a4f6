package cleave.chaos.lab.exercise;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Mistakes that a student may make at the beginning, and the messages about them. */
class ExerciseCommandTest {
    private final StringWriter out = new StringWriter();
    private String failure = "";

    @TempDir
    private Path folder;

    private int run(Object command, String... arguments) {
        CommandLine line = new CommandLine(command).setOut(new PrintWriter(out));
        line.setExecutionExceptionHandler((thrown, of, parsed) -> {
            if (thrown instanceof CommandFailure said) {
                failure = String.valueOf(said.getMessage());
                return said.exitCode();
            }
            throw thrown;
        });
        return line.execute(arguments);
    }

    private int exercise(String... arguments) {
        return run(new ExerciseCommand(), arguments);
    }

    @Test
    void withoutANameAllAreListed() {
        assertThat(exercise()).isZero();

        assertThat(out.toString()).contains(Exercise.NAMES);
    }

    @Test
    void anUnknownNameIsAnsweredByThoseThatThereAre() {
        assertThat(exercise("barriers", "--to", folder.resolve("x").toString())).isEqualTo(ExitCode.USAGE);

        assertThat(failure).contains("'barriers'", "barrier, sealed-length");
    }

    @Test
    void aFolderThatIsNotEmptyIsLeftAlone() throws IOException {
        Files.writeString(folder.resolve("thesis.tex"), "mine");

        assertThat(exercise("barrier", "--to", folder.toString())).isEqualTo(ExitCode.USAGE);

        assertThat(failure).contains("not an empty folder", "--to");
        assertThat(folder).isDirectoryContaining("glob:**/thesis.tex");
    }

    @Test
    void theCopyMustNotLieInsideTheCheckout() {
        assertThat(exercise("barrier", "--to", "target/exercise")).isEqualTo(ExitCode.USAGE);

        assertThat(failure).contains("inside the checkout");
    }

    @Test
    void withoutSourcesItSaysWhatIsNeeded() {
        String into = folder.resolve("x").toString();
        assertThat(exercise("barrier", "--sources", folder.toString(), "--to", into))
                .isEqualTo(ExitCode.USAGE);

        assertThat(failure).contains("no sources of Cleave in " + folder);
    }

    @Test
    void whatIsNoWorkTreeIsNotGraded() {
        assertThat(run(new GradeCommand(), folder.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(failure).contains("not the work tree of an exercise");

        assertThat(run(new GradeCommand(), folder.resolve("absent").toString())).isEqualTo(ExitCode.USAGE);
        assertThat(failure).contains("there is no folder");
    }

    @Test
    void aClassIsGradedIntoAFileThatHasNoGradesYet() throws IOException {
        String alone = folder.toString();
        String csv = folder.resolve("grades.csv").toString();

        assertThat(run(new GradeCommand(), alone, alone)).isEqualTo(ExitCode.USAGE);
        assertThat(failure).contains("--csv");
        assertThat(run(new GradeCommand(), "--csv", csv)).isEqualTo(ExitCode.USAGE);
        assertThat(failure).contains("name them");
        assertThat(run(new GradeCommand(), "--csv", csv, alone)).isEqualTo(ExitCode.FAILED);
        assertThat(out.toString()).contains("[1/1] " + alone, "1 not graded; see " + csv);
        assertThat(run(new GradeCommand(), alone, "--csv", csv)).isEqualTo(ExitCode.USAGE);
        assertThat(failure).contains("may have grades");
    }
}
