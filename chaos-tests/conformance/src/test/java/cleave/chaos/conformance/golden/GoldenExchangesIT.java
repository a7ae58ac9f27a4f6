package cleave.chaos.conformance.golden;

import cleave.chaos.system.Folders;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.standalone.Standalone;
import cleave.deploy.standalone.StandaloneConfig;
import cleave.exchanges.GoldenContract;
import cleave.exchanges.Scene;
import cleave.exchanges.Stage;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The exchanges against all roles in one process. */
class GoldenExchangesIT extends GoldenContract {
    private final ServerFiles files;
    private final Standalone server;

    GoldenExchangesIT() throws IOException {
        super(ServerFiles.EXCHANGES);
        Path folder = Folders.fresh("golden");
        files = ServerFiles.in(folder, scenes());
        Map<String, String> settings = new TreeMap<>(files.settings());
        settings.put("front-end.listen-tls", "127.0.0.1:0");
        server = new Standalone(
                new StandaloneConfig(folder.resolve("data"), new ListenAddress("127.0.0.1", 0), settings),
                new CollectorRegistry());
    }

    @BeforeAll
    void start() {
        server.start();
    }

    @Override
    protected Stage stage(Scene scene) {
        URI endpoint = URI.create(server.endpoints().get(scene.isSecure() ? 1 : 0));
        return request -> Wire.exchange(files.connect(endpoint.getPort(), scene.isSecure()), request);
    }

    @AfterAll
    void close() {
        server.close();
    }
}
