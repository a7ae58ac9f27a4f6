package cleave.deploy.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.Settings.BadSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineConfigTest {
    @TempDir
    private Path dir;

    @Test
    void aServersNumberIsThatOfItsHost() {
        EngineConfig config = new EngineConfig(Map.of(
                "server.1", "zk-0.zk:2888:3888;2181", "server.2", "zk-1.zk:2888:3888;0.0.0.0:2182", "dataDir", "/d"));

        assertThat(config.member("zk-1")).isEqualTo(2);
        assertThat(config.members().values().stream().map(EngineConfig::clientAddress))
                .containsExactly("zk-0.zk:2181", "zk-1.zk:2182");
        assertThatThrownBy(() -> config.member("zk"))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("no setting server.N names a host zk:");
    }

    @Test
    void aServerWithoutAClientsPortIsRefused() {
        assertThatThrownBy(() -> EngineConfig.clientAddress("zk-0.zk:2888:3888"))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("must name its clients' port");
    }

    @Test
    void withTlsTheClientsPortTakesNothingInTheClear() {
        EngineConfig config = new EngineConfig(Map.of(
                "server.1", "zk-0.zk:2888:3888;2181", "server.2", "zk-1.zk:2888:3888;10.0.0.7:2182", "tls", "/t"));

        assertThat(config.tls()).isEqualTo(Path.of("/t"));
        assertThat(config.withSecureClients(2).settings())
                .containsEntry("server.1", "zk-0.zk:2888:3888")
                .containsEntry("server.2", "zk-1.zk:2888:3888")
                .containsEntry("secureClientPort", "2182")
                .containsEntry("secureClientPortAddress", "10.0.0.7");
        assertThat(config.withSecureClients(1).settings())
                .containsEntry("secureClientPort", "2181")
                .doesNotContainKey("secureClientPortAddress");
        assertThatThrownBy(() -> config.with("clientPort", "2181").withSecureClients(1))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("clientPort would take clients in the clear");
    }

    @Test
    void theMetadataSayWhichZooKeeper() {
        EngineConfig config =
                new EngineConfig(Map.of("metadataServiceUri", "zk+longhierarchical://a:1;b:2,c:3/some/ledgers"));

        assertThat(config.zookeepers()).containsExactly("a:1", "b:2", "c:3");
        assertThat(config.ledgers()).isEqualTo("/some/ledgers");
        assertThatThrownBy(new EngineConfig(Map.of("metadataServiceUri", "a:1"))::ledgers)
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("must be zk+longhierarchical://");
    }

    @Test
    void aBookiesDiskIsWhatItsFoldersLieIn() {
        EngineConfig config = new EngineConfig(
                Map.of("journalDirectories", "/j/b/journal", "ledgerDirectories", "/l/b/one,/l/b/two"));

        assertThat(config.bookieFolders()).containsExactly(Path.of("/j/b"), Path.of("/l/b"));
    }

    @Test
    void aProgramIsGivenItsOwnSettingsAlone() throws IOException {
        Path file = new EngineConfig(Map.of("bookiePort", "3181", "admin.listen", "0.0.0.0:1", "tls", "/t"))
                .with("bookieId", "b-1")
                .write(dir.resolve("conf"));

        assertThat(file).hasContent("bookieId=b-1\nbookiePort=3181");
    }
}
