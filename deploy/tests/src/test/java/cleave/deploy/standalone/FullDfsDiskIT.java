package cleave.deploy.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.RawTables;
import cleave.deploy.SmallDisk;
import cleave.runtime.loop.Await;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A writer as fast as can be, on a DFS whose disk is small. */
@Timeout(300)
class FullDfsDiskIT {
    private static final int WRITERS = 4;
    private static final int WRITES_MAX = 5_000;
    private static final long RESERVE = 48L << 20;
    private static final int TEXT_CHARS = 32_000;

    @TempDir
    private Path dir;

    private final CollectorRegistry registry = new CollectorRegistry();

    @Test
    void writesAreRefusedReadsGoOnAndDeleteTableBringsServiceBack() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(dir.resolve("dfs"), 192);
                Standalone standalone = started()) {
            RawTables tables = new RawTables(standalone.account());
            assertThat(tables.createTable("kept")).isEqualTo(204);
            assertThat(tables.put("kept", "p", "r", "kept")).isEqualTo(204);
            assertThat(tables.createTable("large")).isEqualTo(204);

            fill(tables);

            assertThat(registry.getSampleValue("cleave_dfs_disk_space_state")).isLessThan(2);
            assertThat(disk.freeBytes()).isGreaterThan(RESERVE / 2);
            assertThat(tables.get("kept", "p", "r").text()).contains("kept");
            assertThat(tables.get("large", "p0", "r0").status()).isEqualTo(200);

            assertThat(tables.deleteTable("large")).isEqualTo(204);
            for (int i = 0; i < 5; i++) {
                int number = i;
                Await.until(() -> "writes go on, free are " + disk.freeBytes(), () -> puts(tables, number));
            }
            Await.until(
                    () -> "space, free are " + disk.freeBytes(),
                    () -> registry.getSampleValue("cleave_dfs_disk_space_state") == 0);
            assertThat(disk.freeBytes()).isGreaterThan(RESERVE);
            assertThat(tables.get("kept", "p", "r").text()).contains("kept");
        }
    }

    /** A start is a takeover of all ranges, each of which needs its own log and manifest. */
    @Test
    void onADiskThatOthersHaveFilledReadsGoOnAlsoAfterAStart() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(dir.resolve("dfs"), 192)) {
            try (Standalone standalone = started()) {
                RawTables tables = new RawTables(standalone.account());
                assertThat(tables.createTable("kept")).isEqualTo(204);
                assertThat(tables.put("kept", "p", "r", "kept")).isEqualTo(204);
                disk.fillAllBut(RESERVE / 2 - (1 << 20));
                for (int i = 0; i < WRITES_MAX && tables.put("kept", "p", "r" + i, "one more") == 204; i++) {
                    // The node refuses writes that the server accepted before it knew, which breaks the log.
                }
                Await.until("full", () -> registry.getSampleValue("cleave_dfs_disk_space_state") == 2);
                assertReads(standalone);
            }
            try (Standalone standalone = begun(new CollectorRegistry())) {
                assertReads(standalone);
                assertThat(new RawTables(standalone.account()).put("kept", "p", "r", "changed"))
                        .isEqualTo(503);
                disk.release();
                Await.until("writes go on", () -> puts(new RawTables(standalone.account()), 1));
            }
        }
    }

    private static void assertReads(Standalone standalone) {
        RawTables tables = new RawTables(standalone.account());
        Await.until("reads", () -> tables.get("kept", "p", "r").text().contains("kept"));
    }

    private Standalone begun(CollectorRegistry metrics) {
        Map<String, String> settings = Map.of("dfs.space-reserve", Long.toString(RESERVE), "server.space-reserve", "0");
        Standalone standalone = new Standalone(new StandaloneConfig(dir, ReadyStandalone.ANYWHERE, settings), metrics);
        standalone.start();
        return standalone;
    }

    private Standalone started() {
        Standalone standalone = begun(registry);
        Await.until(
                () -> standalone.readiness().missing(),
                () -> standalone.readiness().ready());
        return standalone;
    }

    /** Writes until the service has often answered each of the writers that it is busy. */
    private static void fill(RawTables tables) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Callable<Boolean>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                String partition = "p" + writer;
                writers.add(() -> {
                    Random random = new Random(partition.hashCode()); // Else it is compressed to nothing.
                    int refused = 0;
                    for (int i = 0; i < WRITES_MAX && refused < 20; i++) {
                        int answer = tables.put("large", partition, "r" + i, text(random));
                        assertThat(answer).isIn(204, 503);
                        refused += answer == 503 ? 1 : 0;
                    }
                    return refused > 0;
                });
            }
            for (Future<Boolean> writer : threads.invokeAll(writers)) {
                assertThat(writer.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static String text(Random random) {
        return random.ints(TEXT_CHARS, 'A', 'z' + 1)
                .filter(Character::isLetter)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean puts(RawTables tables, int number) throws IOException {
        return tables.put("kept", "p", "r" + number + "-later", "later") == 204;
    }
}
