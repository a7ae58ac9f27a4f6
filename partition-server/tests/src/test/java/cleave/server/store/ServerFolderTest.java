package cleave.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.files.FolderLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerFolderTest {
    private final Random random = new Random(1);

    @TempDir
    private Path temporary;

    @Test
    void aFolderIsOneServersAtATime() {
        Path folder = temporary.resolve("new/server");
        try (ServerFolder first = ServerFolder.open(folder, random)) {
            assertThat(first.stores()).isEqualTo(folder.resolve("stores"));
            assertThatThrownBy(() -> ServerFolder.open(folder, random))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining("is in use by another process (pid "
                            + ProcessHandle.current().pid() + ")")
                    .hasCauseInstanceOf(FolderLock.Taken.class)
                    .hasMessageContaining("server.dir");
        }
        ServerFolder.open(folder, random).close();
    }

    @Test
    void itsNameStaysAndIsNoOthers() throws IOException {
        Path folder = temporary.resolve("one");
        String name = name(folder);
        assertThat(name(folder)).isEqualTo(name);
        assertThat(name(temporary.resolve("two"))).isNotEqualTo(name);
        Files.writeString(folder.resolve("name"), "../damaged\n");
        assertThat(name(folder)).matches("[a-z0-9]+").isNotEqualTo(name);
    }

    private String name(Path folder) {
        try (ServerFolder opened = ServerFolder.open(folder, random)) {
            return opened.name();
        }
    }
}
