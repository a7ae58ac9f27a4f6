package cleave.dfs.bookkeeper;

import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.X509AuthenticationProvider;
import org.jspecify.annotations.Nullable;

/** TLS of ZooKeeper and bookies in this JVM. ZooKeeper takes its settings from the system's properties, which are set until this is closed. */
final class EmbeddedTls implements AutoCloseable {
    private static @Nullable Transport ofServers;

    private final Transport transport;
    private final ZooKeeperKeys keys;
    private final Map<String, String> properties;

    /**
     * @param folder with a certificate for {@link PeerRole#DFS}
     * @param scratch for files
     */
    EmbeddedTls(Path folder, Path scratch) throws IOException {
        transport = Transport.mutualTls(folder, PeerRole.DFS);
        setServers(transport);
        keys = new ZooKeeperKeys(transport, scratch);
        keys.refresh();
        properties = new HashMap<>(keys.settings());
        properties.put("zookeeper.serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory");
        properties.put("zookeeper.ssl.authProvider", "x509");
        properties.put("zookeeper.authProvider.x509", Peers.class.getName());
        properties.forEach(System::setProperty);
        ProviderRegistry.reset();
    }

    private static void setServers(@Nullable Transport transport) {
        ofServers = transport;
    }

    private static Transport servers() {
        return Objects.requireNonNull(ofServers);
    }

    /** The certificates of ZooKeeper, even if a client that is being made sets others meanwhile. Made by ZooKeeper. */
    public static final class Peers extends X509AuthenticationProvider {
        public Peers() throws IOException, GeneralSecurityException {
            super(trust(), Objects.requireNonNull(servers().keys()));
        }

        /** One that can be asked about a certificate without its connection, too. */
        private static X509TrustManager trust() throws IOException, GeneralSecurityException {
            KeyStore authorities = KeyStore.getInstance("PKCS12");
            authorities.load(null, null);
            for (X509Certificate authority :
                    Objects.requireNonNull(servers().trust()).getAcceptedIssuers()) {
                authorities.setCertificateEntry(
                        authority.getSubjectX500Principal().getName(), authority);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(authorities);
            return (X509TrustManager) factory.getTrustManagers()[0];
        }
    }

    /** Secures a bookie as 'cleave cluster' does. */
    void secure(ServerConfiguration settings) {
        settings.setTLSProviderFactoryClass(PeerTls.class.getName());
        settings.setBookieAuthProviderFactoryClass(PeersOnly.class.getName());
        settings.setProperty(PeerTls.TRANSPORT, transport);
    }

    @Override
    public void close() {
        properties.keySet().forEach(System::clearProperty);
        ProviderRegistry.reset();
        keys.close();
        setServers(null);
        transport.close();
    }
}
