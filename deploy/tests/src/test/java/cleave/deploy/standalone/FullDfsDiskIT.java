package cleave.deploy.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.RawTables;
import cleave.deploy.SmallDisk;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.terminal.Wait;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import java.time.Duration;
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
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(100);
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
                assertThat(Wait.until(() -> puts(tables, number), PATIENCE, PAUSE))
                        .as("writes go on, free are %s bytes", disk.freeBytes())
                        .isTrue();
            }
            assertThat(Wait.until(() -> registry.getSampleValue("cleave_dfs_disk_space_state") == 0, PATIENCE, PAUSE))
                    .as("free are %s bytes", disk.freeBytes())
                    .isTrue();
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
                assertThat(Wait.until(
                                () -> registry.getSampleValue("cleave_dfs_disk_space_state") == 2, PATIENCE, PAUSE))
                        .isTrue();
                assertReads(standalone);
            }
            try (Standalone standalone = begun(new CollectorRegistry())) {
                assertReads(standalone);
                assertThat(new RawTables(standalone.account()).put("kept", "p", "r", "changed"))
                        .isEqualTo(503);
                disk.release();
                assertThat(Wait.until(() -> puts(new RawTables(standalone.account()), 1), PATIENCE, PAUSE))
                        .isTrue();
            }
        }
    }

    private static void assertReads(Standalone standalone) {
        assertThat(Wait.until(() -> reads(new RawTables(standalone.account())), PATIENCE, PAUSE))
                .isTrue();
    }

    private static boolean reads(RawTables tables) {
        try {
            return tables.get("kept", "p", "r").text().contains("kept");
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    private Standalone begun(CollectorRegistry metrics) {
        Map<String, String> settings = Map.of("dfs.space-reserve", Long.toString(RESERVE), "server.space-reserve", "0");
        Standalone standalone =
                new Standalone(new StandaloneConfig(dir, new ListenAddress("127.0.0.1", 0), settings), metrics);
        standalone.start();
        return standalone;
    }

    private Standalone started() {
        Standalone standalone = begun(registry);
        assertThat(Wait.until(() -> standalone.readiness().ready(), PATIENCE, PAUSE))
                .as(() -> standalone.readiness().missing())
                .isTrue();
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

    private static boolean puts(RawTables tables, int number) {
        try {
            return tables.put("kept", "p", "r" + number + "-later", "later") == 204;
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }
}
