package cleave.runtime.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate authority of a test, by the keytool of the JDK, and folders such as cert-manager mounts. For one thread. */
public final class TestAuthority {
    private static final String PASSWORD = "password";
    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private final Path store;
    private int issued;

    /** @param scratch a folder that is its own */
    public TestAuthority(Path scratch) {
        store = scratch.resolve("authority.p12");
        keytool(
                "-genkeypair",
                "-alias",
                "ca",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=test authority",
                "-ext",
                "bc:critical",
                "-ext",
                "ku:critical=keyCertSign");
    }

    /** A key and its certificate. */
    public record Issued(PrivateKey key, X509Certificate certificate, X509Certificate authority) {
        /** The key in the JDK's own form. */
        public String keyPem() {
            return pem("PRIVATE KEY", key.getEncoded());
        }

        public String certificatePem() {
            return pem(certificate);
        }

        public String authorityPem() {
            return pem(authority);
        }
    }

    /** Issues a certificate of EC for 127.0.0.1 and localhost. */
    public Issued issue(String name) {
        return issue(name, "EC", "ip:127.0.0.1,dns:localhost");
    }

    /** The same, good for these roles among peers. */
    public Issued issueFor(String name, PeerRole... roles) {
        return issue(name, "EC", namesFor(roles));
    }

    /** The same, good for these days from a day that may lie in the past. */
    Issued issueFor(String name, int daysFromToday, int days, PeerRole... roles) {
        return issue(
                name,
                "EC",
                namesFor(roles),
                "-startdate",
                (daysFromToday < 0 ? "" : "+") + daysFromToday + "d",
                "-validity",
                Integer.toString(days));
    }

    private static String namesFor(PeerRole... roles) {
        StringBuilder names = new StringBuilder("ip:127.0.0.1,dns:localhost");
        for (PeerRole role : roles) {
            names.append(",uri:spiffe://test.example/cleave/").append(role.word());
        }
        return names.toString();
    }

    /**
     * @param algorithm RSA or EC
     * @param names such as {@code dns:localhost,ip:127.0.0.1}
     */
    public Issued issue(String name, String algorithm, String names) {
        return issue(name, algorithm, names, new String[0]);
    }

    private Issued issue(String name, String algorithm, String names, String... more) {
        String alias = "leaf" + issued++;
        List<String> arguments = new ArrayList<>(List.of(
                "-genkeypair",
                "-alias",
                alias,
                "-signer",
                "ca",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + name,
                "-ext",
                "san=" + names,
                "-ext",
                "eku=serverAuth,clientAuth"));
        arguments.addAll(algorithm.equals("EC") ? List.of("-groupname", "secp256r1") : List.of("-keysize", "2048"));
        arguments.addAll(List.of(more));
        keytool(arguments.toArray(String[]::new));
        try (InputStream bytes = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(bytes, PASSWORD.toCharArray());
            Key key = keys.getKey(alias, PASSWORD.toCharArray());
            Certificate[] chain = keys.getCertificateChain(alias);
            return new Issued((PrivateKey) key, (X509Certificate) chain[0], (X509Certificate) chain[1]);
        } catch (IOException | GeneralSecurityException failed) {
            throw new AssertionError(failed);
        }
    }

    /** Writes the three files of a Secret. */
    public static Path write(Path folder, Issued issued) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve("tls.crt"), issued.certificatePem());
            Files.writeString(folder.resolve("tls.key"), issued.keyPem());
            Files.writeString(folder.resolve("ca.crt"), issued.authorityPem());
            return folder;
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    /** A context for clients that trust the authority of this certificate, and show no certificate themselves. */
    public static SSLContext believing(Issued issued) {
        return believing(issued.authority());
    }

    /** A context for clients that trust this authority, and show no certificate themselves. */
    public static SSLContext believing(Certificate authority) {
        try {
            KeyStore believed = KeyStore.getInstance("PKCS12");
            believed.load(null, null);
            believed.setCertificateEntry("ca", authority);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(believed);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException failed) {
            throw new AssertionError(failed);
        }
    }

    static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n" + LINES.encodeToString(der) + "\n-----END " + what + "-----\n";
    }

    private static String pem(X509Certificate certificate) {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (GeneralSecurityException failed) {
            throw new AssertionError(failed);
        }
    }

    private void keytool(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC"));
        command.add(arguments[0]);
        command.addAll(List.of("-validity", "36500")); // The last of two counts.
        command.addAll(Arrays.asList(arguments).subList(1, arguments.length));
        command.addAll(List.of("-storepass", PASSWORD, "-keystore", store.toString()));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(command + ": " + said);
            }
        } catch (IOException failed) {
            throw new AssertionError(failed);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
            throw new AssertionError(hurried);
        }
    }
}
