package cleave.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BookieDiskTest {
    private static final NodeId BOOKIE = new NodeId(NodeId.Role.BOOKIE, 2);

    @TempDir
    private Path dir;

    private BookieDisk disk() {
        return new BookieDisk(dir.resolve("data"));
    }

    @Test
    void keepsItsIdOverRestarts() {
        assertThat(disk().id()).isEmpty();
        String id = disk().settle(BOOKIE);

        assertThat(id).matches("bookie-2-[0-9a-f]{8}");
        assertThat(disk().settle(BOOKIE)).isEqualTo(id);
        assertThat(disk().id()).contains(id);
    }

    @Test
    void anEmptiedOneGetsAnotherId() throws IOException {
        String before = disk().settle(BOOKIE);
        Files.delete(dir.resolve("data/id"));
        Files.delete(dir.resolve("data"));

        assertThat(disk().settle(BOOKIE)).isNotEqualTo(before);
    }

    @Test
    void aStartThatWasCutShortLeavesNoHalfId() throws IOException {
        Files.createDirectories(dir.resolve("data"));
        Files.writeString(dir.resolve("data/id"), "");

        assertThat(disk().settle(BOOKIE)).startsWith("bookie-2-");
    }

    @Test
    void ledgersWithoutAnIdAreNotTakenForAnEmptyDisk() throws IOException {
        Files.createDirectories(dir.resolve("data/ledgers"));

        assertThatThrownBy(() -> disk().settle(BOOKIE))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("the bookie's id is missing");
    }
}
