package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskUseTest {
    @TempDir
    private Path folder;

    @Test
    void processesOfAKindAreAddedUpAndWhatBelongsToNoneIsLeftOut() throws IOException {
        write("bookie-1/journal/1.txn", 300);
        write("bookie-2/ledgers/0.log", 500);
        write("front-end-1/log.txt", 20);
        write("server-10/store/1.sst", 100);
        write("picture.svg", 1_000);
        write("accounts/devstoreaccount1", 1_000);

        DiskUse use = DiskUse.of(folder);
        assertThat(use.bytes()).isEqualTo(Map.of("bookie", 800L, "front-end", 20L, "server", 100L));
        assertThat(use.table(400).lines())
                .contains("| bookie | 0.00 | 2.00 |", "| front-end | 0.00 | 0.05 |", "| server | 0.00 | 0.25 |");
    }

    private void write(String path, int bytes) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[bytes]);
    }
}
