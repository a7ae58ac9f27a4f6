package cleave.chaos.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code .ci/release} refuses, before it builds anything, in a repository of its own. */
class ReleaseTest {
    @TempDir
    private Path repository;

    @TempDir
    private Path output;

    @BeforeEach
    void commit() throws IOException, InterruptedException {
        boolean hasGit = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "git")));
        assumeThat(hasGit).as("there is no git on the PATH").isTrue();
        Files.createDirectories(repository.resolve(".ci"));
        Files.createDirectories(repository.resolve("docs"));
        Files.copy(Sources.ROOT.resolve(".ci/release"), repository.resolve(".ci/release"));
        Files.writeString(
                repository.resolve("pom.xml"), "<project>\n  <version>1.2.3-SNAPSHOT</version>\n</project>\n");
        Files.writeString(repository.resolve("docs/CHANGELOG.md"), "# Changes\n\n## 1.2.3\n\n## 1.2.2\n\nThe first.\n");
        git("init", "-q");
        git("add", "-A");
        git("commit", "-q", "-m", "all");
    }

    private void git(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("git", "-c", "user.name=somebody", "-c", "user.email=somebody@example.com", "-c", "gc.auto=0"));
        command.addAll(List.of(arguments));
        assertThat(said(command)).isEmpty();
    }

    private String said(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(repository.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }

    /** What the release says, which makes nothing. */
    private String refusal(String version) throws IOException, InterruptedException {
        String said = said(
                List.of("bash", repository.resolve(".ci/release").toString(), version, "--output", output.toString()));
        try (Stream<Path> made = Files.list(output)) {
            assertThat(made.filter(file -> !file.endsWith("cleave-1.2.3-SHA256SUMS")))
                    .isEmpty();
        }
        return said;
    }

    @Test
    void whatIsNotCommittedIsNotReleased() throws Exception {
        Files.writeString(repository.resolve("new"), "");
        assertThat(refusal("1.2.3")).contains("not committed: ?? new");
    }

    @Test
    void aVersionThatThePomsDoNotHaveIsNotReleased() throws Exception {
        assertThat(refusal("1.3.0")).contains("the poms say 1.2.3-SNAPSHOT");
        assertThat(refusal("1.2")).contains("1.2 is no version of SemVer");
    }

    @Test
    void aVersionWithoutAWordAboutItsChangesIsNotReleased() throws Exception {
        assertThat(refusal("1.2.3")).contains("docs/CHANGELOG.md says nothing below '## 1.2.3'");
    }

    @Test
    void aVersionIsReleasedOnce() throws Exception {
        Files.writeString(output.resolve("cleave-1.2.3-SHA256SUMS"), "");
        assertThat(refusal("1.2.3")).contains("has 1.2.3 already");
    }

    @Test
    void theTagOfAnotherCommitKeepsItsVersion() throws Exception {
        git("tag", "v1.2.3");
        git("commit", "-q", "--allow-empty", "-m", "more");
        assertThat(refusal("1.2.3")).contains("v1.2.3 is the tag of another commit");
    }
}
