package cleave.chaos.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyncedPutsIT {
    @Test
    void itsPutsAreCounted(@TempDir Path dir) throws IOException {
        try (SyncedPuts puts = new SyncedPuts(dir.resolve("store"), 4)) {
            puts.measure(Duration.ofMillis(200));
            puts.measure(Duration.ofMillis(200));
            assertThat(puts.table()).containsPattern("\\| RocksDB, 4 writers, each put synced \\| [1-9][0-9,]* \\|");
        }
    }
}
