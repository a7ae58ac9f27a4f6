package cleave.server.dfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.memory.InMemoryDfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of a file's handle: to an engine, one that is closed unsealed is a file that its writer gave up. */
final class FileTransferTest {
    private static final String PATH = "ranges/17.0/42-s1.9-checkpoint-3";

    @TempDir
    private Path folder;

    private final InMemoryDfs dfs = new InMemoryDfs();
    private Path local;

    @BeforeEach
    void write() throws IOException {
        local = Files.write(folder.resolve("000001.sst"), new byte[5 << 20]);
    }

    @Test
    void aFileIsSealedBeforeItsHandleIsClosed() throws IOException {
        assertThat(new FileTransfer(dfs).upload(local, PATH)).isEqualTo(5 << 20);

        assertThat(dfs.isSealed(PATH)).isTrue();
        assertThat(dfs.givenUp()).isEmpty();
        assertThat(dfs.handles()).isEmpty();
    }

    @Test
    void ofAFileThatCannotBeWrittenNothingStays() {
        dfs.refuse(Purpose.CHECKPOINT);
        assertThatThrownBy(() -> new FileTransfer(dfs).upload(local, PATH)).isInstanceOf(IOException.class);

        assertThat(dfs.exists(PATH)).isFalse();
        assertThat(dfs.givenUp()).isEmpty();
        assertThat(dfs.handles()).isEmpty();
    }
}
