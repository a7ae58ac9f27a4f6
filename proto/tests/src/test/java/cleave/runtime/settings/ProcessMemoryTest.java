package cleave.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.Settings.BadSetting;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProcessMemoryTest {
    private static final long MIB = 1 << 20;

    private static ProcessMemory memory(long limit, long heap, long direct, long stores) {
        return new ProcessMemory(limit * MIB, heap * MIB, direct * MIB, stores * MIB);
    }

    @Test
    void whatFitsIsTold() {
        assertThat(memory(1024, 256, 256, 352).check())
                .hasToString("heap 256 MiB + network buffers 256 MiB + server.block-cache 352 MiB"
                        + " + the JVM itself 160 MiB = 1024 MiB of 1024 MiB");
        assertThat(memory(512, 128, 128, 0).check())
                .hasToString("heap 128 MiB + network buffers 128 MiB + the JVM itself 160 MiB = 416 MiB of 512 MiB");
    }

    @Test
    void whatDoesNotFitIsRefusedWithWhatToChange() {
        assertThatThrownBy(() -> memory(1024, 512, 512, 256).check())
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("= 1440 MiB of 1024 MiB")
                .hasMessageContaining("-XX:MaxRAMPercentage")
                .hasMessageContaining("server.block-cache, or give it more memory");
        assertThatThrownBy(() -> memory(256, 64, 64, 0).check())
                .isInstanceOf(BadSetting.class)
                .hasMessageNotContaining("server.block-cache");
    }

    @Test
    void thisProcessFits() {
        ProcessMemory mine = ProcessMemory.withStores(0);
        assertThat(mine.heap()).isEqualTo(Runtime.getRuntime().maxMemory());
        assertThat(mine.direct()).isPositive();
        assertThat(mine.limit()).isGreaterThan(mine.heap());
    }

    @Test
    void aSizeMayBeAShareOfIt() {
        Settings settings = new Settings(Map.of("cache", "25%", "fixed", "3MiB", "wrong", "101%"));
        assertThat(settings.bytesOf(1000, "cache", "0")).isEqualTo(250);
        assertThat(settings.bytesOf(1000, "fixed", "0")).isEqualTo(3 * MIB);
        assertThatThrownBy(() -> settings.bytesOf(1000, "wrong", "0")).hasMessageContaining("from 0% to 100%");
    }
}
