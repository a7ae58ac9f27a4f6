package cleave.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeProcessTest {
    @TempDir
    private Path dir;

    private Path remembered;
    private NodeProcess process;

    @BeforeEach
    void make() {
        process = new NodeProcess("server 1", dir);
        remembered = dir.resolve("process");
    }

    @Test
    void whatWasNeverStartedDoesNotLive() {
        assertThat(process.living()).isEmpty();
    }

    @Test
    void anotherProcessThatGotTheIdSinceIsNotTouched() throws IOException {
        Files.writeString(remembered, "pid=" + ProcessHandle.current().pid() + "\ntoken=of-a-process-that-is-gone\n");

        assertThat(process.living()).isEmpty();
        assertThatThrownBy(process::kill).isInstanceOf(CommandFailure.class).hasMessageContaining("is not running");
        assertThatThrownBy(process::pause).isInstanceOf(CommandFailure.class);
    }

    @Test
    void aDamagedMemoryIsNoProcess() throws IOException {
        Files.writeString(remembered, "pid=x\n");

        assertThat(process.living()).isEmpty();
    }
}
