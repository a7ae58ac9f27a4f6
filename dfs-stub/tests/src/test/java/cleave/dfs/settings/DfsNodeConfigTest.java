package cleave.dfs.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.Settings;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DfsNodeConfigTest {
    @Test
    void theKeysAreThese() {
        Settings settings = new Settings(Map.of("dfs-node.dir", "/data"));

        DfsNodeConfig config = DfsNodeConfig.from(settings);

        assertThat(settings.known())
                .containsExactly(
                        "dfs-node.bulk-size",
                        "dfs-node.dir",
                        "dfs-node.id",
                        "dfs-node.listen",
                        "dfs-node.segment-size",
                        "dfs-node.space-reserve",
                        "dfs-node.sync-delay");
        assertThat(config)
                .isEqualTo(new DfsNodeConfig("dfs-1", "127.0.0.1:10500", "/data", 0, 64L << 20, 256L << 10, 0));
    }

    @Test
    void badValuesAreRefused() {
        assertThatThrownBy(() -> from(Map.of())).hasMessageContaining("dfs-node.dir");
        assertThatThrownBy(() -> from(Map.of("dfs-node.dir", "d", "dfs-node.id", "a b")))
                .hasMessageContaining("dfs-node.id");
        assertThatThrownBy(() -> from(Map.of("dfs-node.dir", "d", "dfs-node.bulk-size", "1MiB")))
                .hasMessageContaining("dfs-node.bulk-size");
        assertThatThrownBy(() -> from(Map.of("dfs-node.dir", "d", "dfs-node.segment-size", "1KiB")))
                .hasMessageContaining("dfs-node.segment-size");
    }

    private static DfsNodeConfig from(Map<String, String> given) {
        return DfsNodeConfig.from(new Settings(given));
    }
}
