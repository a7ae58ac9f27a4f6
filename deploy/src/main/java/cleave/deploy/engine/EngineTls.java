package cleave.deploy.engine;

import cleave.deploy.CommandFailure;
import cleave.runtime.files.PrivateFiles;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateEncodingException;
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

/**
 * The certificates of ZooKeeper, bookies and autorecovery, which are those of the role {@code dfs}, and the settings with which they take
 * and make connections over mutual TLS alone. Immutable.
 *
 * @param folder as the setting {@code tls} names it
 * @param keys the private key and its certificates in one file, as ZooKeeper takes them
 * @param authorities those of the peers
 */
public record EngineTls(Path folder, Path keys, Path authorities) {
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    /** @param files the folder of the files for ZooKeeper */
    public static EngineTls of(Path folder, Path files) {
        return new EngineTls(folder, files.resolve("zookeeper-keys.pem"), files.resolve("zookeeper-authorities.pem"));
    }

    /** Transport with the certificates of the folder; CommandFailure if they are not fit. The caller closes it. */
    public Transport transport() {
        try {
            return Transport.mutualTls(folder, PeerRole.DFS);
        } catch (IOException wrong) {
            throw unfit(wrong);
        }
    }

    private static CommandFailure unfit(Exception wrong) {
        return CommandFailure.failed("the certificates of ZooKeeper and the bookies: " + wrong.getMessage());
    }

    /** Writes the files for ZooKeeper, unless they already match the folder. */
    public void write(Transport transport) {
        X509ExtendedKeyManager own = Objects.requireNonNull(transport.keys());
        String alias = own.chooseEngineClientAlias(new String[] {"EC", "RSA"}, null, null);
        try {
            write(
                    keys,
                    pem("PRIVATE KEY", own.getPrivateKey(alias).getEncoded()) + pem(own.getCertificateChain(alias)));
            write(authorities, pem(Objects.requireNonNull(transport.trust()).getAcceptedIssuers()));
        } catch (CertificateEncodingException wrong) {
            throw unfit(wrong);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void write(Path file, String text) throws IOException {
        if (!Files.exists(file)
                || !Files.readString(file, StandardCharsets.US_ASCII).equals(text)) {
            PrivateFiles.write(file, text);
        }
    }

    private static String pem(X509Certificate... certificates) throws CertificateEncodingException {
        StringBuilder text = new StringBuilder();
        for (X509Certificate certificate : certificates) {
            text.append(pem("CERTIFICATE", certificate.getEncoded()));
        }
        return text.toString();
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n" + LINES.encodeToString(der) + "\n-----END " + what + "-----\n";
    }

    /** Settings for a server of ZooKeeper. It takes TLS alone, and reads the files again when they change. */
    public Map<String, String> ofZooKeeper(boolean isEnsemble) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory");
        settings.put("ssl.clientAuth", "need");
        stores("ssl.", settings);
        if (isEnsemble) {
            settings.put("sslQuorum", "true");
            settings.put("sslQuorumReloadCertFiles", "true");
            stores("ssl.quorum.", settings);
        }
        return settings;
    }

    private void stores(String prefix, Map<String, String> settings) {
        settings.put(prefix + "enabledProtocols", String.join(",", Transport.PROTOCOLS));
        settings.put(prefix + "keyStore.location", keys.toString());
        settings.put(prefix + "keyStore.type", "PEM");
        settings.put(prefix + "trustStore.location", authorities.toString());
        settings.put(prefix + "trustStore.type", "PEM");
    }

    /** Properties of a process that is a client of ZooKeeper. */
    public Map<String, String> ofClient() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("client.secure", "true");
        settings.put("clientCnxnSocket", "org.apache.zookeeper.ClientCnxnSocketNetty");
        stores("ssl.", settings);
        Map<String, String> properties = new TreeMap<>();
        settings.forEach((key, value) -> properties.put("zookeeper." + key, value));
        return properties;
    }

    /** Settings for every program that talks to bookies. */
    public Map<String, String> ofBookKeeper() {
        return Map.of("tlsProviderFactoryClass", "cleave.dfs.bookkeeper.PeerTls", "cleave.tls", folder.toString());
    }

    /** Further settings for a bookie, which would otherwise also serve clients that do not ask for TLS. */
    public Map<String, String> ofBookie() {
        return Map.of("bookieAuthProviderFactoryClass", "cleave.dfs.bookkeeper.PeersOnly");
    }

    /** Sockets for asking ZooKeeper for its state, and for answering in its place. They present the newest certificate of the transport. */
    public static SSLSocketFactory sockets(Transport transport) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    new KeyManager[] {Objects.requireNonNull(transport.keys())},
                    new TrustManager[] {Objects.requireNonNull(transport.trust())},
                    null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException wrong) {
            throw unfit(wrong);
        }
    }
}
