package cleave.chaos.pods;

import cleave.deploy.kubernetes.Manifests;
import cleave.runtime.tls.TestAuthority;
import cleave.runtime.tls.TestAuthority.Issued;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Replaces cert-manager: creates the Secrets of the manifests' Certificates, each signed by an authority of its Issuer. Each certificate
 * has the names that the manifests give, and is good for servers and for clients. Confined to its owner.
 */
final class Certificates {
    private final Manifests manifests;
    private final Path folder;
    private final Map<String, TestAuthority> authorities = new TreeMap<>();

    private Certificates(Manifests manifests, Path folder) {
        this.manifests = manifests;
        this.folder = folder;
    }

    /**
     * The manifests with a Secret added for each Certificate of an authority.
     *
     * @param folder for keys
     */
    static Manifests issue(Manifests manifests, Path folder) throws IOException {
        Certificates certificates = new Certificates(manifests, folder);
        List<HasMetadata> all = new ArrayList<>(manifests.objects());
        for (GenericKubernetesResource certificate : certificates.ofKind("Certificate")) {
            if (!Boolean.TRUE.equals(certificate.get("spec", "isCA"))) {
                all.add(certificates.secret(certificate));
            }
        }
        return new Manifests(all);
    }

    private List<GenericKubernetesResource> ofKind(String kind) {
        return manifests.all(GenericKubernetesResource.class).stream()
                .filter(object -> object.getKind().equals(kind))
                .toList();
    }

    private Secret secret(GenericKubernetesResource certificate) throws IOException {
        String names = Stream.concat(
                        texts(certificate, "uris").map(uri -> "uri:" + uri),
                        texts(certificate, "dnsNames").map(name -> "dns:" + name))
                .collect(Collectors.joining(","));
        Issued issued = authority(certificate.get("spec", "issuerRef", "name"))
                .issue(certificate.getMetadata().getName(), "EC", names);
        return new SecretBuilder()
                .withNewMetadata()
                .withName(certificate.get("spec", "secretName"))
                .endMetadata()
                .addToStringData("tls.crt", issued.certificatePem())
                .addToStringData("tls.key", issued.keyPem())
                .addToStringData("ca.crt", issued.authorityPem())
                .build();
    }

    private TestAuthority authority(String issuer) throws IOException {
        if (ofKind("Issuer").stream()
                .noneMatch(each -> each.getMetadata().getName().equals(issuer))) {
            throw new IllegalArgumentException("the manifests have no Issuer " + issuer);
        }
        Path own = Files.createDirectories(folder.resolve(issuer));
        return authorities.computeIfAbsent(issuer, name -> new TestAuthority(own));
    }

    private static Stream<String> texts(GenericKubernetesResource object, String field) {
        Object values = object.get("spec", field);
        return values instanceof List<?> list ? list.stream().map(String::valueOf) : Stream.empty();
    }
}
