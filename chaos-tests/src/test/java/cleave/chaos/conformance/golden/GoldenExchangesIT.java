package cleave.chaos.conformance.golden;

import cleave.chaos.system.Folders;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.standalone.Standalone;
import cleave.deploy.standalone.StandaloneConfig;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The exchanges against all roles in one process. */
class GoldenExchangesIT extends GoldenContract {
    private final Standalone server;

    GoldenExchangesIT() throws IOException {
        Path folder = Folders.fresh("golden");
        ServerFiles files = ServerFiles.in(folder, scenes());
        server = new Standalone(
                new StandaloneConfig(folder.resolve("data"), new ListenAddress("127.0.0.1", 0), files.settings()),
                new CollectorRegistry());
    }

    @BeforeAll
    void start() {
        server.start();
    }

    @Override
    Stage stage(Scene scene) {
        String address = server.address();
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        return () -> new Socket(InetAddress.getLoopbackAddress(), port);
    }

    @AfterAll
    void close() {
        server.close();
    }
}
