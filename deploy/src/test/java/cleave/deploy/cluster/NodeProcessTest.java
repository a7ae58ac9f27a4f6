package cleave.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeProcessTest {
    @TempDir
    private Path dir;

    private Path remembered;
    private NodeProcess process;

    @BeforeEach
    void make() throws IOException {
        TreeMap<NodeId.Role, Integer> counts = new TreeMap<>(
                Map.of(NodeId.Role.MASTER, 1, NodeId.Role.SERVER, 1, NodeId.Role.FRONT_END, 1, NodeId.Role.DFS, 1));
        Layout layout = new Layout(dir, "127.0.0.1", counts, new TreeMap<>(), false);
        NodeId node = layout.node("server", 1);
        process = new NodeProcess(layout, node);
        remembered = Files.createDirectories(layout.folder(node)).resolve("process");
    }

    @Test
    void whatWasNeverStartedDoesNotLive() {
        assertThat(process.living()).isEmpty();
    }

    @Test
    void anotherProcessThatGotTheIdSinceIsNotTouched() throws IOException {
        Files.writeString(remembered, "pid=" + ProcessHandle.current().pid() + "\ntoken=of-a-process-that-is-gone\n");

        assertThat(process.living()).isEmpty();
        assertThatThrownBy(process::kill).isInstanceOf(CommandFailure.class).hasMessageContaining("does not run");
        assertThatThrownBy(process::pause).isInstanceOf(CommandFailure.class);
    }

    @Test
    void aDamagedMemoryIsNoProcess() throws IOException {
        Files.writeString(remembered, "pid=x\n");

        assertThat(process.living()).isEmpty();
    }
}
