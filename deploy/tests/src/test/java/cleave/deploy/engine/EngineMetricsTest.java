package cleave.deploy.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Gauge;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineMetricsTest {
    private static final Path DOCUMENT = Path.of("..", "..", "docs", "metrics.md");

    @TempDir
    Path folder;

    @Test
    void theDiskOfEachFolderIsMeasuredAndOneThatIsGoneIsLeftOut() throws IOException {
        CollectorRegistry registry = new CollectorRegistry();
        new EngineMetrics(List.of(folder, folder.resolve("gone"))).register(registry);
        String document = Files.readString(DOCUMENT);

        for (String name : List.of("cleave_engine_disk_free_bytes", "cleave_engine_disk_total_bytes")) {
            String[] label = {"folder"};
            assertThat(registry.getSampleValue(name, label, new String[] {folder.toString()}))
                    .isPositive();
            assertThat(registry.getSampleValue(
                            name, label, new String[] {folder.resolve("gone").toString()}))
                    .isNull();
            assertThat(document).contains("| `" + name + "` | gauge | `folder` |");
        }
    }

    @Test
    void whatTheProgramHasIsServed() {
        Gauge ofProgram = Gauge.build("bookie_x", "For a test.").register();
        try {
            CollectorRegistry registry = new CollectorRegistry();
            new EngineMetrics(List.of()).register(registry);
            ofProgram.set(3);

            assertThat(registry.getSampleValue("bookie_x")).isEqualTo(3);
        } finally {
            CollectorRegistry.defaultRegistry.unregister(ofProgram);
        }
    }
}
