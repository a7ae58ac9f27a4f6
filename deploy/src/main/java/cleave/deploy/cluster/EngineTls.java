package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of a local cluster's ZooKeeper, bookies and autorecovery, which are those of the role {@code dfs}. Immutable.
 *
 * @param folder as the setting {@code tls} names it
 * @param keys the private key and its certificates in one file, as ZooKeeper wants them
 */
record EngineTls(Path folder, Path keys) {
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    /** Null if the cluster's processes talk in the clear. Writes the file of keys anew. */
    static @Nullable EngineTls of(Layout layout) {
        if (!Files.exists(
                NodeSettings.file(layout, layout.nodes(NodeId.Role.MASTER).get(0)))) {
            return null;
        }
        Path folder = NodeSettings.tls(layout, PeerRole.DFS);
        return folder == null ? null : new EngineTls(folder, layout.dir().resolve("zookeeper-keys.pem")).written();
    }

    private EngineTls written() {
        try (Transport transport = Transport.mutualTls(folder, PeerRole.DFS)) {
            X509ExtendedKeyManager own = Objects.requireNonNull(transport.keys());
            String alias = own.chooseEngineClientAlias(new String[] {"EC", "RSA"}, null, null);
            StringBuilder text = new StringBuilder(
                    pem("PRIVATE KEY", own.getPrivateKey(alias).getEncoded()));
            for (X509Certificate certificate : own.getCertificateChain(alias)) {
                text.append(pem("CERTIFICATE", certificate.getEncoded()));
            }
            if (!Files.exists(keys)
                    || !Files.readString(keys, StandardCharsets.US_ASCII).contentEquals(text)) {
                PrivateFiles.write(keys, text.toString());
            }
            return this;
        } catch (IOException | GeneralSecurityException wrong) {
            throw CommandFailure.failed("the certificates of ZooKeeper and the bookies: " + wrong.getMessage());
        }
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n" + LINES.encodeToString(der) + "\n-----END " + what + "-----\n";
    }

    /** In a server's configuration. It takes TLS alone. */
    Map<String, String> ofZooKeeper(boolean isEnsemble) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory");
        settings.put("ssl.clientAuth", "need");
        stores("ssl.", settings);
        if (isEnsemble) {
            settings.put("sslQuorum", "true");
            stores("ssl.quorum.", settings);
        }
        return settings;
    }

    private void stores(String prefix, Map<String, String> settings) {
        settings.put(prefix + "enabledProtocols", String.join(",", Transport.PROTOCOLS));
        settings.put(prefix + "keyStore.location", keys.toString());
        settings.put(prefix + "keyStore.type", "PEM");
        settings.put(prefix + "trustStore.location", folder.resolve("ca.crt").toString());
        settings.put(prefix + "trustStore.type", "PEM");
    }

    /** Flags of a process that is a client of ZooKeeper. */
    String[] ofClient() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("client.secure", "true");
        settings.put("clientCnxnSocket", "org.apache.zookeeper.ClientCnxnSocketNetty");
        stores("ssl.", settings);
        return settings.entrySet().stream()
                .map(setting -> "-Dzookeeper." + setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new);
    }

    /** For asking ZooKeeper how it does. */
    SSLSocketFactory sockets() {
        try (Transport transport = Transport.mutualTls(folder, PeerRole.DFS)) {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    new KeyManager[] {Objects.requireNonNull(transport.keys())},
                    new TrustManager[] {Objects.requireNonNull(transport.trust())},
                    null);
            return context.getSocketFactory();
        } catch (IOException | GeneralSecurityException wrong) {
            throw CommandFailure.failed("the certificates of ZooKeeper and the bookies: " + wrong.getMessage());
        }
    }
}
