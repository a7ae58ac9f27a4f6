package cleave.chaos.pods;

import cleave.deploy.kubernetes.Manifests;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The Secrets and ConfigMaps that the pods of manifests refer to: on a cluster a pod whose Secret or ConfigMap does not exist waits for it
 * without end. Stateless.
 */
final class References {
    private static final Set<String> WORKLOADS = Set.of("StatefulSet", "Deployment", "CronJob");

    private References() {}

    /** The Secrets and ConfigMaps that pods need and the manifests lack; empty if there are none. */
    static Optional<String> missing(Manifests manifests) {
        KubernetesSerialization serialization = new KubernetesSerialization();
        Map<String, Set<String>> users = new TreeMap<>();
        for (HasMetadata object : manifests.objects()) {
            if (WORKLOADS.contains(object.getKind())) {
                addUses(object.getMetadata().getName(), serialization.convertValue(object, Map.class), users);
            }
        }
        manifests
                .all(ConfigMap.class)
                .forEach(each -> users.remove("ConfigMap " + each.getMetadata().getName()));
        manifests
                .all(Secret.class)
                .forEach(each -> users.remove("Secret " + each.getMetadata().getName()));
        manifests.all(GenericKubernetesResource.class).stream()
                .filter(each -> each.getKind().equals("Certificate"))
                .forEach(each -> users.remove("Secret " + each.<Object>get("spec", "secretName")));
        return users.isEmpty()
                ? Optional.empty()
                : Optional.of("the manifests lack "
                        + users.entrySet().stream()
                                .map(each -> each.getKey() + " (for " + String.join(", ", each.getValue()) + ")")
                                .collect(Collectors.joining(", "))
                        + ": add them to the kustomization");
    }

    /** Looks for volumes and variables at any depth. */
    private static void addUses(String user, Object node, Map<String, Set<String>> users) {
        if (node instanceof Iterable<?> list) {
            list.forEach(each -> addUses(user, each, users));
        } else if (node instanceof Map<?, ?> fields) {
            fields.forEach((name, value) -> {
                if (value instanceof Map<?, ?> reference && !Boolean.TRUE.equals(reference.get("optional"))) {
                    switch (String.valueOf(name)) {
                        case "secret" -> add("Secret " + reference.get("secretName"), user, users);
                        case "secretKeyRef" -> add("Secret " + reference.get("name"), user, users);
                        case "configMap", "configMapKeyRef" -> add("ConfigMap " + reference.get("name"), user, users);
                        default -> {}
                    }
                }
                addUses(user, value, users);
            });
        }
    }

    private static void add(String reference, String user, Map<String, Set<String>> users) {
        users.computeIfAbsent(reference, each -> new TreeSet<>()).add(user);
    }
}
