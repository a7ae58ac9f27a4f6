package cleave.chaos.pods;

import cleave.deploy.kubernetes.Manifests;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapKeySelector;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretKeySelector;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the pods of manifests refer to: on a cluster a pod whose Secret or ConfigMap does not exist waits for it without end. Stateless. */
final class References {
    private References() {}

    /** The Secrets and ConfigMaps that pods need and the manifests lack; empty if there are none. */
    static Optional<String> missing(Manifests manifests) {
        Map<String, Set<String>> users = new TreeMap<>();
        templates(manifests)
                .forEach((pods, template) -> of(template)
                        .forEach(reference -> users.computeIfAbsent(reference, each -> new TreeSet<>())
                                .add(pods)));
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

    private static Map<String, PodTemplateSpec> templates(Manifests manifests) {
        Map<String, PodTemplateSpec> templates = new TreeMap<>();
        manifests
                .all(StatefulSet.class)
                .forEach(set ->
                        templates.put(set.getMetadata().getName(), set.getSpec().getTemplate()));
        manifests
                .all(Deployment.class)
                .forEach(set ->
                        templates.put(set.getMetadata().getName(), set.getSpec().getTemplate()));
        manifests
                .all(CronJob.class)
                .forEach(job -> templates.put(
                        job.getMetadata().getName(),
                        job.getSpec().getJobTemplate().getSpec().getTemplate()));
        return templates;
    }

    private static Set<String> of(PodTemplateSpec template) {
        Set<String> references = new TreeSet<>();
        for (Volume volume : template.getSpec().getVolumes()) {
            if (volume.getSecret() != null) {
                add(
                        "Secret",
                        volume.getSecret().getSecretName(),
                        volume.getSecret().getOptional(),
                        references);
            }
            if (volume.getConfigMap() != null) {
                add(
                        "ConfigMap",
                        volume.getConfigMap().getName(),
                        volume.getConfigMap().getOptional(),
                        references);
            }
        }
        for (Container container : template.getSpec().getContainers()) {
            container.getEnv().stream()
                    .map(EnvVar::getValueFrom)
                    .filter(Objects::nonNull)
                    .forEach(source -> add(source, references));
        }
        return references;
    }

    private static void add(EnvVarSource source, Set<String> references) {
        SecretKeySelector secret = source.getSecretKeyRef();
        if (secret != null) {
            add("Secret", secret.getName(), secret.getOptional(), references);
        }
        ConfigMapKeySelector configMap = source.getConfigMapKeyRef();
        if (configMap != null) {
            add("ConfigMap", configMap.getName(), configMap.getOptional(), references);
        }
    }

    private static void add(String kind, String name, @Nullable Boolean optional, Set<String> references) {
        if (!Boolean.TRUE.equals(optional)) {
            references.add(kind + " " + name);
        }
    }
}
