package cleave.chaos.command;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.process.Dependents;
import cleave.chaos.process.Patience;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shows what stays of a run: nothing, its picture, or all of it. */
class RunFolderTest {
    @TempDir
    private Path dir;

    private final List<String> told = new ArrayList<>();

    private static void fill(RunFolder folder) throws IOException {
        Files.writeString(
                Files.createDirectories(folder.path().resolve("server-1")).resolve("log"), "a line");
    }

    @Test
    void aTemporaryOneGoesWithARunThatSucceeded() throws IOException {
        RunFolder folder = RunFolder.temporary("cleave-test-", told::add);
        try (folder) {
            fill(folder);
            folder.succeeded();
        }
        assertThat(folder.path()).doesNotExist();
        assertThat(told).isEmpty();
    }

    @Test
    void aTemporaryOneStaysWithARunThatFailedAndTheUserLearnsWhere() throws IOException {
        RunFolder folder = RunFolder.temporary("cleave-test-", told::add);
        try (folder) {
            fill(folder);
        }
        assertThat(folder.path().resolve("server-1/log")).exists();
        assertThat(told).containsExactly("data and logs are in " + folder.path());

        try (RunFolder again = folder) {
            again.succeeded();
        }
        assertThat(folder.path()).as("ended already").exists();
        delete(folder.path());
    }

    private static void delete(Path folder) throws IOException {
        Files.delete(folder.resolve("server-1/log"));
        Files.delete(folder.resolve("server-1"));
        Files.delete(folder);
    }

    @Test
    void oneThatIsEmptyGoesEvenIfTheRunFailed() throws IOException {
        RunFolder folder = RunFolder.temporary("cleave-test-", told::add);
        folder.close();

        assertThat(folder.path()).doesNotExist();
        assertThat(told).isEmpty();
    }

    @Test
    void thePictureStaysAlone() throws IOException {
        RunFolder folder = RunFolder.temporary("cleave-test-", told::add);
        Path picture = folder.path().resolve("picture.svg");
        try (folder) {
            fill(folder);
            folder.result(Files.writeString(picture, "<svg/>"));
            folder.succeeded();
        }
        assertThat(folder.path()).isDirectoryContaining(picture::equals);
        assertThat(folder.path().resolve("server-1")).doesNotExist();
        Files.delete(picture);
        Files.delete(folder.path());
    }

    @Test
    void oneThatWasNamedStays() throws IOException {
        RunFolder folder = RunFolder.named(dir.resolve("new"));
        try (folder) {
            fill(folder);
            folder.succeeded();
        }
        assertThat(folder.path().resolve("server-1/log")).exists();
    }

    /** SIGTERM, as on Ctrl-C, while a process of the run writes into it. */
    @Test
    void anInterruptedRunLeavesNothing() throws Exception {
        Process runner = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Runner.class.getName())
                .start();
        try (BufferedReader out = runner.inputReader()) {
            Path folder = Path.of(out.readLine());
            Patience.ofSeconds(30).until("it is in use", () -> Files.exists(folder.resolve("0/9")));

            runner.destroy();

            assertThat(runner.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(folder).doesNotExist();
        } finally {
            runner.destroyForcibly();
        }
    }

    static final class Runner {
        private Runner() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            try (RunFolder folder = RunFolder.temporary("cleave-test-", line -> {})) {
                Process writer = new ProcessBuilder(
                                "sh",
                                "-c",
                                "i=0; while :; do mkdir -p $i; for f in 0 1 2 3 4 5 6 7 8 9; do : > $i/$f; done;"
                                        + " i=$((i+1)); done")
                        .directory(folder.path().toFile())
                        .start();
                Dependents.add(writer.toHandle());
                System.out.println(folder.path());
                writer.waitFor();
            }
        }
    }
}
