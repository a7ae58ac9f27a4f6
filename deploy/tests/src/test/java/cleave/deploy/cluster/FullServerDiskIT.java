package cleave.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.RawTables;
import cleave.deploy.SmallDisk;
import cleave.deploy.TestTerminal;
import cleave.deploy.access.Deployment;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two servers, of which the disk of one fills up to the last byte. */
@Timeout(300)
@Tag("nightly")
class FullServerDiskIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final int TEXT_CHARS = 30_000;

    @TempDir
    private Path dir;

    @AfterEach
    void stop() {
        if (Layout.exists(dir)) {
            LocalCluster.in(dir).stop();
        }
    }

    private static String cleave(List<String> command, String... more) {
        TestTerminal terminal = new TestTerminal();
        assertThat(terminal.run(command, more)).as(terminal::said).isZero();
        return terminal.said();
    }

    private String admin(String command, String... more) {
        return cleave(List.of("admin", command, "--dir", dir.toString()), more);
    }

    @Test
    void itsRangesGoToTheServerThatHasRoomAndADrainNeedsNoSpace() throws Exception {
        try (SmallDisk first = SmallDisk.mount(dir.resolve("server-1/data"), 128);
                SmallDisk second = SmallDisk.mount(dir.resolve("server-2/data"), 128)) {
            start();
            RawTables tables = new RawTables(Deployment.load(dir).tables());
            assertThat(tables.createTable("notes")).isEqualTo(204);
            assertThat(tables.put("notes", "p", "kept", "kept")).isEqualTo(204);
            boolean isFirst = admin("ranges").contains("server-1.");
            String full = isFirst ? "server-1" : "server-2";
            String other = isFirst ? "server-2" : "server-1";

            (isFirst ? first : second).fill();
            Random random = new Random(1);
            assertThat(Wait.until(() -> puts(tables, random) && admin("ranges").contains(other + "."), PATIENCE, PAUSE))
                    .as(() -> admin("ranges") + admin("events"))
                    .isTrue();

            assertThat(puts(tables, random)).isTrue();
            assertThat(tables.get("notes", "p", "kept").text()).contains("kept");
            assertThat(admin("events")).contains("the store fails at " + full);
            assertThat(admin("servers").lines().filter(line -> line.startsWith(full)))
                    .allMatch(line -> line.contains("low"));

            (isFirst ? first : second).release();
            assertThat(Wait.until(() -> !lowIn(full), PATIENCE, PAUSE)).isTrue();
            (isFirst ? second : first).fill();
            admin("drain", other);
            assertThat(admin("ranges")).contains(full + ".").doesNotContain(other + ".");
            assertThat(tables.get("notes", "p", "kept").text()).contains("kept");
            stop();
        }
    }

    private boolean lowIn(String server) {
        return admin("servers").lines().anyMatch(line -> line.startsWith(server) && line.contains("low"));
    }

    private void start() {
        cleave(
                List.of("cluster"),
                "--wait",
                "120",
                "--masters",
                "1",
                "--servers",
                "2",
                "--front-ends",
                "1",
                "--port",
                "0",
                "--set",
                "server.space-reserve=32MiB",
                "--set",
                "server.checkpoint-log-bytes=256KiB", // So that stores flush soon: a buffer needs no disk.
                "--dir",
                dir.toString());
    }

    /** A few, over 100 KB. */
    private static boolean puts(RawTables tables, Random random) {
        try {
            boolean all = true;
            for (int i = 0; i < 4; i++) {
                String text = random.ints(TEXT_CHARS, 'a', 'z' + 1)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
                all &= tables.put("notes", "p", "r" + random.nextInt(1_000_000), text) == 204;
            }
            return all;
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }
}
