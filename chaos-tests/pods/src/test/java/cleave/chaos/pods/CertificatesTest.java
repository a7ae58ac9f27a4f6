package cleave.chaos.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.kubernetes.Manifests;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the stand-in for cert-manager. */
class CertificatesTest {
    private static final String MANIFESTS = """
            apiVersion: cert-manager.io/v1
            kind: Issuer
            metadata: {name: self-signed}
            spec: {selfSigned: {}}
            ---
            apiVersion: cert-manager.io/v1
            kind: Issuer
            metadata: {name: authority}
            spec: {ca: {secretName: authority-secret}}
            ---
            apiVersion: cert-manager.io/v1
            kind: Certificate
            metadata: {name: master}
            spec:
              secretName: master-tls
              usages: [digital signature, server auth, client auth]
              uris: ["spiffe://cleave/cleave/master"]
              dnsNames: ["*.cleave-master"]
              issuerRef: {name: authority, kind: Issuer}
            ---
            apiVersion: cert-manager.io/v1
            kind: Certificate
            metadata: {name: authority}
            spec:
              isCA: true
              secretName: authority-secret
              issuerRef: {name: self-signed, kind: Issuer}
            """;

    @TempDir
    private Path folder;

    @Test
    void aRolesSecretHasACertificateOfTheAuthorityThatIsGoodForTheRoleAlone() throws Exception {
        Map<String, byte[]> secret = issued(MANIFESTS).secret("master-tls");

        X509Certificate certificate = certificate(secret, "tls.crt");
        certificate.verify(certificate(secret, "ca.crt").getPublicKey());
        assertThat(certificate.getSubjectAlternativeNames().toString())
                .contains("spiffe://cleave/cleave/master", "*.cleave-master");
        Path mounted = Files.createDirectory(folder.resolve("mounted"));
        for (Map.Entry<String, byte[]> file : secret.entrySet()) {
            Files.write(mounted.resolve(file.getKey()), file.getValue());
        }
        assertThatCode(() -> Transport.mutualTls(mounted, PeerRole.MASTER).close())
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> Transport.mutualTls(mounted, PeerRole.ADMIN)).isInstanceOf(IOException.class);
    }

    @Test
    void aCertificateOfNoKnownIssuerIsRefused() {
        assertThatThrownBy(() -> issued(MANIFESTS.replace("issuerRef: {name: authority", "issuerRef: {name: other")))
                .hasMessageContaining("the manifests have no Issuer other");
    }

    @Test
    void aLongSecretOfSeveralLinesIsRead() {
        byte[] content = "0123456789".repeat(20).getBytes(StandardCharsets.UTF_8);
        String folded = Base64.getMimeEncoder(70, new byte[] {'\n'})
                .encodeToString(content)
                .replace("\n", "\n    ");
        Manifests manifests = Manifests.parse(
                "apiVersion: v1\nkind: Secret\nmetadata: {name: long}\ndata:\n  file: |\n    " + folded + "\n");

        assertThat(manifests.secret("long")).containsOnlyKeys("file");
        assertThat(manifests.secret("long").get("file")).isEqualTo(content);
    }

    @Test
    void aSecretThatIsNotBase64IsRefused() {
        Manifests manifests =
                Manifests.parse("apiVersion: v1\nkind: Secret\nmetadata: {name: wrong}\ndata: {file: \"YW!Jj\"}\n");

        assertThatThrownBy(() -> manifests.secret("wrong"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("file in the Secret wrong is not base64");
    }

    private Manifests issued(String manifests) throws IOException {
        return Certificates.issue(Manifests.parse(manifests), folder.resolve("certificates"));
    }

    private static X509Certificate certificate(Map<String, byte[]> secret, String file)
            throws GeneralSecurityException {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(secret.get(file)));
    }
}
