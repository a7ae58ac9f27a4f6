package cleave.deploy.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The objects that a kustomization renders. Immutable as long as nobody changes the objects. */
public record Manifests(List<HasMetadata> objects) {
    public Manifests {
        objects = List.copyOf(objects);
    }

    /** The objects of YAML documents, such as {@code kubectl kustomize} prints. */
    public static Manifests parse(String yaml) {
        KubernetesSerialization serialization = new KubernetesSerialization();
        List<HasMetadata> objects = new ArrayList<>();
        for (String document : yaml.split("(?m)^---\n")) {
            if (!document.isBlank()) {
                HasMetadata object = serialization.unmarshal(document);
                objects.add(object);
            }
        }
        return new Manifests(objects);
    }

    public <T extends HasMetadata> List<T> all(Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    public <T extends HasMetadata> Optional<T> find(Class<T> type, String name) {
        return all(type).stream()
                .filter(object -> object.getMetadata().getName().equals(name))
                .findFirst();
    }

    /** Fails if there is none. */
    public <T extends HasMetadata> T get(Class<T> type, String name) {
        return find(type, name)
                .orElseThrow(() ->
                        new IllegalArgumentException("the manifests have no " + type.getSimpleName() + " " + name));
    }

    public boolean has(Class<? extends HasMetadata> type, String name) {
        return find(type, name).isPresent();
    }

    /** The files of a ConfigMap. */
    public Map<String, byte[]> configMap(String name) {
        Map<String, byte[]> content = new TreeMap<>();
        get(ConfigMap.class, name)
                .getData()
                .forEach((key, value) -> content.put(key, value.getBytes(StandardCharsets.UTF_8)));
        return content;
    }

    /** The files of a Secret. */
    public Map<String, byte[]> secret(String name) {
        Secret secret = get(Secret.class, name);
        Map<String, byte[]> content = new TreeMap<>();
        if (secret.getData() != null) {
            secret.getData().forEach((key, value) -> content.put(key, decoded(name, key, value)));
        }
        if (secret.getStringData() != null) {
            secret.getStringData().forEach((key, value) -> content.put(key, value.getBytes(StandardCharsets.UTF_8)));
        }
        return content;
    }

    /** Writes each key of the Secret to a separate file; returns their folder. */
    public Path writeSecret(String name, Path folder) throws IOException {
        Path own = Files.createDirectories(folder.resolve("secrets").resolve(name));
        for (Map.Entry<String, byte[]> file : secret(name).entrySet()) {
            Files.write(own.resolve(file.getKey()), file.getValue());
        }
        return own;
    }

    private static byte[] decoded(String secret, String key, String base64) {
        try {
            return Base64.getDecoder().decode(base64.replaceAll("\\s", "")); // It has several lines if it is long.
        } catch (IllegalArgumentException notBase64) {
            throw new IllegalArgumentException(
                    key + " in the Secret " + secret + " is not base64: " + notBase64.getMessage(), notBase64);
        }
    }
}
