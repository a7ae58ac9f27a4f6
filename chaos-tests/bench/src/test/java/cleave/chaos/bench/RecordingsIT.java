package cleave.chaos.bench;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.chaos.process.Patience;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordingsIT {
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
    void whatAProcessComputesIsFoundInItsRecording() throws IOException {
        Process process = burning(Recordings.jvmOptions());
        Path recording = dir.resolve("burning.jfr");
        try {
            Patience.ofSeconds(60).until("it has samples", () -> {
                Recordings.dump(Map.of("burning", process.pid()), dir);
                return RecordingFile.readAllEvents(recording).stream()
                        .filter(event -> event.getStackTrace() != null)
                        .flatMap(event -> event.getStackTrace().getFrames().stream())
                        .anyMatch(frame -> frame.getMethod().getType().getName().equals(Burning.class.getName()));
            });
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aProcessThatDoesNotRecordIsAFailure() throws IOException {
        Process process = burning(List.of());
        try {
            assertThatThrownBy(() -> Recordings.dump(Map.of("burning", process.pid()), dir))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("wrote no recording");
        } finally {
            process.destroyForcibly();
        }
    }
}
