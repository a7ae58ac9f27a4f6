package cleave.chaos.pods;

import cleave.deploy.kubernetes.Manifests;
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
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Replaces cert-manager: creates the Secrets of the manifests' Certificates with openssl. The Certificate of an Issuer
 * signs the others. Confined to its owner.
 */
final class Certificates {
    private static final String CERTIFICATE = "Certificate";
    private static final String DAYS = "90";
    private static final Map<String, String> USAGES =
            Map.of("server auth", "serverAuth", "client auth", "clientAuth", "digital signature", "");

    private final List<GenericKubernetesResource> objects;
    private final Path folder;

    private Certificates(List<GenericKubernetesResource> objects, Path folder) {
        this.objects = objects;
        this.folder = folder;
    }

    /**
     * The manifests with a Secret added for each Certificate.
     *
     * @param folder for keys and certificates
     */
    static Manifests issue(Manifests manifests, Path folder) throws IOException {
        List<GenericKubernetesResource> objects = manifests.all(GenericKubernetesResource.class);
        Certificates certificates = new Certificates(objects, folder);
        List<HasMetadata> all = new ArrayList<>(manifests.objects());
        List<GenericKubernetesResource> wanted = certificates.ofKind(CERTIFICATE);
        for (GenericKubernetesResource certificate : wanted) {
            all.add(certificates.secret(certificate));
        }
        return new Manifests(all);
    }

    /** Why certificates cannot be created for these manifests; empty if they can, or if there are none. */
    static Optional<String> missing(Manifests manifests, Predicate<String> isOnPath) {
        boolean wanted = manifests.all(GenericKubernetesResource.class).stream()
                .anyMatch(object -> object.getKind().equals(CERTIFICATE));
        return wanted && !isOnPath.test("openssl")
                ? Optional.of("these manifests have certificates, and there is no openssl on the PATH")
                : Optional.empty();
    }

    private List<GenericKubernetesResource> ofKind(String kind) {
        return objects.stream().filter(object -> object.getKind().equals(kind)).toList();
    }

    private Secret secret(GenericKubernetesResource certificate) throws IOException {
        Path made = made(certificate);
        Map<String, String> content = new TreeMap<>();
        for (String file : List.of("tls.crt", "tls.key", "ca.crt")) {
            content.put(file, Files.readString(made.resolve(file)));
        }
        return new SecretBuilder()
                .withNewMetadata()
                .withName(text(certificate, "secretName"))
                .endMetadata()
                .withStringData(content)
                .build();
    }

    /** The folder of a Certificate's key and certificate; creates its authority first. */
    private Path made(GenericKubernetesResource certificate) throws IOException {
        Path own = folder.resolve(certificate.getMetadata().getName());
        if (Files.exists(own.resolve("ca.crt"))) {
            return own;
        }
        Files.createDirectories(own);
        Path key = own.resolve("tls.key");
        Path signed = own.resolve("tls.crt");
        List<String> command = new ArrayList<>(List.of("openssl", "req", "-x509", "-days", DAYS, "-subj"));
        command.add("/CN=" + certificate.getMetadata().getName());
        command.addAll(List.of("-key", key.toString(), "-out", signed.toString()));
        Path authority = signed;
        if (Boolean.TRUE.equals(certificate.get("spec", "isCA"))) {
            command.addAll(List.of("-addext", "keyUsage=critical,keyCertSign"));
        } else {
            Path of = authority(certificate);
            authority = of.resolve("tls.crt");
            command.addAll(List.of(
                    "-CA", authority.toString(), "-CAkey", of.resolve("tls.key").toString()));
            command.addAll(List.of("-addext", "basicConstraints=critical,CA:false"));
            command.addAll(List.of("-addext", "extendedKeyUsage=" + usages(certificate)));
            String names = names(certificate);
            if (!names.isEmpty()) {
                command.addAll(List.of("-addext", "subjectAltName=" + names));
            }
        }
        // cert-manager's default key format.
        Shell.run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key.toString());
        Shell.run(command.toArray(String[]::new));
        Files.copy(authority, own.resolve("ca.crt"));
        return own;
    }

    /** The folder of the Certificate that shares its Secret with the Issuer. */
    private Path authority(GenericKubernetesResource certificate) throws IOException {
        String name = text(certificate, "issuerRef", "name");
        GenericKubernetesResource issuer = ofKind("Issuer").stream()
                .filter(each -> each.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the manifests have no Issuer " + name));
        String secret = text(issuer, "ca", "secretName");
        return made(ofKind(CERTIFICATE).stream()
                .filter(each -> text(each, "secretName").equals(secret))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no Certificate makes the Secret " + secret)));
    }

    private static String usages(GenericKubernetesResource certificate) {
        return String.join(
                ",",
                texts(certificate, "usages")
                        .map(usage -> Objects.requireNonNull(USAGES.get(usage), usage))
                        .filter(usage -> !usage.isEmpty())
                        .toList());
    }

    private static String names(GenericKubernetesResource certificate) {
        return String.join(
                ",",
                Stream.concat(
                                texts(certificate, "uris").map(uri -> "URI:" + uri),
                                texts(certificate, "dnsNames").map(name -> "DNS:" + name))
                        .toList());
    }

    private static String text(GenericKubernetesResource object, String... path) {
        List<Object> whole = new ArrayList<>(List.of("spec"));
        whole.addAll(List.of(path));
        Object value = object.get(whole.toArray());
        if (value == null) {
            throw new IllegalArgumentException(
                    object.getKind() + " " + object.getMetadata().getName() + " has no " + String.join(".", path));
        }
        return value.toString();
    }

    private static Stream<String> texts(GenericKubernetesResource object, String field) {
        Object values = object.get("spec", field);
        return values instanceof List<?> list ? list.stream().map(String::valueOf) : Stream.empty();
    }
}
