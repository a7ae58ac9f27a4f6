package cleave.dfs.bookkeeper;

import cleave.runtime.rpc.Transport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import javax.net.ssl.X509ExtendedKeyManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest certificate of a process in the only form in which ZooKeeper's client takes it: a file, which it reads at each connection. It is
 * encrypted with a password that only this process knows, so a copy of the file is worth nothing. Thread-safe.
 */
final class ZooKeeperKeys implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperKeys.class);
    private static final int PASSWORD_BYTES = 32;
    private static final String FORM = "PKCS12";

    private final Transport transport;
    private final String password;
    private final Path folder;
    private final ReentrantLock writing = new ReentrantLock();
    private List<X509Certificate> written = List.of();

    /** @param scratch where a folder for the file is made */
    ZooKeeperKeys(Transport transport, Path scratch) throws IOException {
        this.transport = transport;
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        this.password = HexFormat.of().formatHex(random);
        this.folder = Files.createTempDirectory(scratch, "cleave-zookeeper-");
        folder.toFile().deleteOnExit();
        file().toFile().deleteOnExit(); // These go before the folder.
        next().toFile().deleteOnExit();
    }

    private Path file() {
        return folder.resolve("keys.p12");
    }

    /** Becomes the file once it is whole. */
    private Path next() {
        return folder.resolve("next.p12");
    }

    /** Writes the certificate and the authorities, if they have changed. */
    void refresh() throws IOException {
        writing.lock();
        try {
            writeIfChanged();
        } finally {
            writing.unlock();
        }
    }

    private void writeIfChanged() throws IOException {
        X509ExtendedKeyManager keys = Objects.requireNonNull(transport.keys());
        String alias = keys.chooseEngineClientAlias(new String[] {"EC", "RSA"}, null, null);
        X509Certificate[] chain = keys.getCertificateChain(alias);
        X509Certificate[] authorities =
                Objects.requireNonNull(transport.trust()).getAcceptedIssuers();
        List<X509Certificate> now =
                Stream.concat(Arrays.stream(chain), Arrays.stream(authorities)).toList();
        if (!now.equals(written)) {
            write(keys.getPrivateKey(alias), chain, authorities);
            written = now;
            LOG.debug("keys for zookeeper written subject={}", chain[0].getSubjectX500Principal());
        }
    }

    private void write(PrivateKey key, X509Certificate[] chain, X509Certificate[] authorities) throws IOException {
        try (OutputStream out = Files.newOutputStream(next())) {
            KeyStore store = KeyStore.getInstance(FORM);
            store.load(null, null);
            store.setKeyEntry("own", key, password.toCharArray(), chain);
            for (int i = 0; i < authorities.length; i++) {
                store.setCertificateEntry("authority" + i, authorities[i]);
            }
            store.store(out, password.toCharArray());
        } catch (GeneralSecurityException unfit) {
            throw new IOException(
                    "the certificate cannot be stored for ZooKeeper's client: " + unfit.getMessage(), unfit);
        }
        Files.move(next(), file(), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The settings by which ZooKeeper's client finds them. */
    Map<String, String> settings() {
        String file = file().toString();
        return Map.of(
                "zookeeper.client.secure", "true",
                "zookeeper.clientCnxnSocket", "org.apache.zookeeper.ClientCnxnSocketNetty",
                "zookeeper.ssl.keyStore.location", file,
                "zookeeper.ssl.keyStore.password", password,
                "zookeeper.ssl.keyStore.type", FORM,
                "zookeeper.ssl.trustStore.location", file,
                "zookeeper.ssl.trustStore.password", password,
                "zookeeper.ssl.trustStore.type", FORM,
                "zookeeper.ssl.enabledProtocols", String.join(",", Transport.PROTOCOLS),
                "zookeeper.ssl.hostnameVerification", "true");
    }

    @Override
    public void close() {
        writing.lock();
        try {
            Files.deleteIfExists(next());
            Files.deleteIfExists(file());
            Files.deleteIfExists(folder);
        } catch (IOException failed) {
            LOG.warn("the keys for zookeeper stay folder={}", folder, failed);
        } finally {
            writing.unlock();
        }
    }
}
