package cleave.runtime.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trusts only peers of one role, among those that another trust manager trusts. Thread-safe. */
public final class RoleTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager trust;
    private final PeerRole role;

    public RoleTrust(X509ExtendedTrustManager trust, PeerRole role) {
        this.trust = trust;
        this.role = role;
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        if (!PeerRole.of(chain[0]).contains(role)) {
            throw new CertificateException("the certificate of " + chain[0].getSubjectX500Principal()
                    + " is for the roles " + PeerRole.of(chain[0]) + " and not for " + role);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        trust.checkClientTrusted(chain, type);
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        trust.checkClientTrusted(chain, type, socket);
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        trust.checkClientTrusted(chain, type, engine);
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        trust.checkServerTrusted(chain, type);
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        trust.checkServerTrusted(chain, type, socket);
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        trust.checkServerTrusted(chain, type, engine);
        check(chain);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.getAcceptedIssuers();
    }
}
