package cleave.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Authorities whose certificates a client believes, such as those of a company. */
public final class Authorities {
    private Authorities() {}

    /** A context that believes those of a PEM file, and no others. IOException, with the file and its fault, if it holds none. */
    public static SSLContext in(Path file) throws IOException {
        try (InputStream bytes = Files.newInputStream(file)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(bytes);
            if (found.isEmpty()) {
                throw new IOException(file + " holds no certificate");
            }
            KeyStore believed = KeyStore.getInstance(KeyStore.getDefaultType());
            believed.load(null, null);
            int number = 0;
            for (Certificate each : found) {
                believed.setCertificateEntry("authority-" + number++, each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(believed);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException malformed) {
            throw new IOException(file + " holds no certificates in PEM: " + malformed.getMessage(), malformed);
        }
    }
}
