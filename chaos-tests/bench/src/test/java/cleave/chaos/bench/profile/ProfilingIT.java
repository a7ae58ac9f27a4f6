package cleave.chaos.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.process.Patience;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfilingIT {
    @TempDir
    private Path dir;

    private Process burning(List<String> options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Burning.class.getName()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
    }

    @Test
    void whatAProcessComputesIsFoundInItsProfile() throws IOException, InterruptedException {
        Process process = burning(Profiling.jvmOptions());
        try {
            Profiling profiling = Profiling.begun(Map.of("one role", Map.of("burning", process.pid())));
            Patience.ofSeconds(60).until("it has samples", () -> {
                Path recording = Files.createTempFile(dir, "first", ".jfr");
                Sampling.dump(process.pid(), recording);
                return Profile.of(List.of(recording), Instant.MIN).samples() >= 20;
            });

            String text = profiling.ended("a service", dir.resolve("profiles"));

            assertThat(text)
                    .startsWith("a service: one role\n")
                    .contains("other threads ", "| cleave.* |", "`" + Burning.class.getName() + ".next`");
            assertThat(dir.resolve("profiles/one-role.txt")).hasContent(text.stripTrailing());
            Profile profile = Profile.of(List.of(dir.resolve("profiles/burning.jfr")), Instant.MIN);
            assertThat(profile.innermost(Part.CLEAVE)).isGreaterThan(0.5);
            assertThat(Profile.of(List.of(dir.resolve("profiles/burning.jfr")), Instant.MAX)
                            .samples())
                    .isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aProcessThatDoesNotRecordIsAFailure() throws IOException {
        Process process = burning(List.of());
        try {
            assertThatThrownBy(() -> Sampling.dump(process.pid(), dir.resolve("none.jfr")))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("wrote no recording");
        } finally {
            process.destroyForcibly();
        }
    }
}
