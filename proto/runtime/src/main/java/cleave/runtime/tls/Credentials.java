package cleave.runtime.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A private key, its certificate chain, and the trusted authorities. Immutable.
 *
 * <p>Invariant: the key belongs to the first certificate.
 *
 * @param chain the own certificate, then those that signed it; not empty
 * @param authorities for the certificates of peers; empty without {@code ca.crt}
 */
public record Credentials(PrivateKey key, List<X509Certificate> chain, List<X509Certificate> authorities) {
    public Credentials {
        chain = List.copyOf(chain);
        authorities = List.copyOf(authorities);
    }

    /** IOException, with the file and its fault. */
    static Credentials of(PemFiles files) throws IOException {
        List<X509Certificate> chain = certificates(PemFiles.CERTIFICATE, files.certificate());
        PublicKey publicKey = chain.get(0).getPublicKey();
        PrivateKey key = PemKey.read(PemFiles.KEY, files.key(), publicKey);
        if (!belongTogether(key, publicKey)) {
            throw new IOException(PemFiles.KEY + " is not the key of the first certificate in " + PemFiles.CERTIFICATE);
        }
        String authorities = files.authorities();
        return new Credentials(
                key, chain, authorities.isEmpty() ? List.of() : certificates(PemFiles.AUTHORITIES, authorities));
    }

    /** The certificate of this side. */
    X509Certificate own() {
        return chain.get(0);
    }

    private static List<X509Certificate> certificates(String file, String pem) throws IOException {
        ByteArrayInputStream bytes = new ByteArrayInputStream(pem.getBytes(StandardCharsets.ISO_8859_1));
        List<X509Certificate> found;
        try {
            found = CertificateFactory.getInstance("X.509").generateCertificates(bytes).stream()
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (CertificateException malformed) {
            throw new IOException(file + " holds no certificates in PEM: " + malformed.getMessage(), malformed);
        }
        if (found.isEmpty()) {
            throw new IOException(file + " holds no certificate");
        }
        return found;
    }

    /** True if the public key verifies a signature by the private key. */
    private static boolean belongTogether(PrivateKey key, PublicKey publicKey) throws IOException {
        try {
            Signature signature = Signature.getInstance("SHA256with" + PemKey.signs(key));
            byte[] any = {1, 2, 3};
            signature.initSign(key);
            signature.update(any);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(any);
            return signature.verify(signed);
        } catch (GeneralSecurityException unfit) {
            throw new IOException(PemFiles.KEY + " cannot be used: " + unfit.getMessage(), unfit);
        }
    }
}
