package cleave.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ServerConfigTest {
    private static final Map<String, String> LEAST =
            Map.of("server.id", "s1", "server.dir", "data", "masters", "127.0.0.1:1,127.0.0.1:2");

    private static Settings with(String key, String value) {
        TreeMap<String, String> given = new TreeMap<>(LEAST);
        given.put(key, value);
        return new Settings(given);
    }

    @Test
    void theDefaultsAreThoseOfTheDesign() {
        ServerConfig config = ServerConfig.from(new Settings(LEAST));
        assertThat(config.ranges().checkpointLogBytes()).isEqualTo(16 << 20);
        assertThat(config.ranges().checkpointAfterNanos()).isEqualTo(600_000_000_000L);
        assertThat(config.heartbeatNanos()).isEqualTo(200_000_000);
        assertThat(config.seeds()).isEqualTo(config.masters());
    }

    @Test
    void aServerListensOnAllAddressesAndIsKnownByOne() {
        TreeMap<String, String> given = new TreeMap<>(LEAST);
        given.put("server.listen", "0.0.0.0:10300");
        given.put("server.advertise", "node-7:10300");

        assertThat(ServerConfig.from(new Settings(given)).advertise()).isEqualTo("node-7:10300");
        given.put("server.advertise", "10.0.0.7/cleave-server");
        assertThat(ServerConfig.from(new Settings(given)).advertise()).isEqualTo("10.0.0.7:10300/cleave-server");
        assertThat(ServerConfig.from(with("server.listen", "127.0.0.1:0")).advertise())
                .isEqualTo("127.0.0.1:0");
    }

    @Test
    void tinyThresholdsCanBeSet() {
        Settings settings = with("server.checkpoint-log-bytes", "1");
        assertThat(ServerConfig.from(settings).ranges().checkpointLogBytes()).isEqualTo(1);
    }

    @Test
    void aWrongListenerIsNotBlamedOnTheAdvertisedAddress() {
        TreeMap<String, String> given = new TreeMap<>(LEAST);
        given.put("server.listen", "h");
        given.put("server.advertise", "node-7");
        assertThatThrownBy(() -> ServerConfig.from(new Settings(given)))
                .isInstanceOf(BadSetting.class)
                .hasMessageStartingWith("setting server.listen: address 'h'");
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThatThrownBy(() -> ServerConfig.from(with("server.advertise", "[::]:10300")))
                .isInstanceOf(BadSetting.class);
        assertThatThrownBy(() -> ServerConfig.from(with("server.id", "s.1"))).isInstanceOf(BadSetting.class);
        assertThatThrownBy(() -> ServerConfig.from(with("server.id", "s/1"))).isInstanceOf(BadSetting.class);
        assertThatThrownBy(() -> ServerConfig.from(with("masters", ","))).isInstanceOf(BadSetting.class);
        assertThatThrownBy(() -> ServerConfig.from(with("server.heartbeat", "0")))
                .isInstanceOf(BadSetting.class);
        assertThatThrownBy(() -> ServerConfig.from(with("server.write-buffer", "1GiB")))
                .isInstanceOf(BadSetting.class);
        assertThatThrownBy(() -> ServerConfig.from(with("server.queue-bytes", "1MiB")))
                .isInstanceOf(BadSetting.class);
    }
}
