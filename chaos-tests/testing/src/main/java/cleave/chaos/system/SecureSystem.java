package cleave.chaos.system;

import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.client.Endpoint;
import cleave.deploy.cluster.Ports;
import cleave.runtime.tls.TestAuthority;
import cleave.runtime.tls.TestAuthority.Issued;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;

/** The all-in-one process over HTTPS. Its certificate is of a new {@link Authority}, which this JVM then believes by default. */
public final class SecureSystem extends SharedSystem<SecureSystem.Running> {
    private static final List<String> JVM = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /**
     * Whom clients of other processes must believe.
     *
     * @param certificate an absolute path, of PEM
     */
    public record Authority(Path certificate) {}

    public SecureSystem() {
        super(
                Running.class,
                Map.of(Endpoint.class, running -> running.endpoint, Authority.class, running -> running.authority));
    }

    static final class Running implements AutoCloseable {
        private final Endpoint endpoint;
        private final Authority authority;
        private final Standalone standalone;

        Running() {
            Path folder = Folders.fresh("secure");
            Issued issued = new TestAuthority(folder).issue("front-end");
            SSLContext believing = TestAuthority.believing(issued);
            SSLContext.setDefault(believing);
            HttpsURLConnection.setDefaultSSLSocketFactory(believing.getSocketFactory());
            String address;
            try (Ports ports = new Ports()) {
                address = "127.0.0.1:" + ports.free();
            }
            endpoint = Endpoint.development(URI.create("https://" + address));
            Path secret = TestAuthority.write(folder.resolve("tls"), issued);
            authority = new Authority(secret.resolve("ca.crt"));
            Map<String, String> settings = Map.of(
                    "front-end.listen-tls",
                    address,
                    "front-end.tls-dir",
                    secret.toString(),
                    "front-end.table-memory",
                    "1s");
            standalone = Standalone.planned(folder, JVM, settings);
            standalone.start(Patience.ofSeconds(60));
        }

        @Override
        public void close() {
            standalone.close();
        }
    }
}
