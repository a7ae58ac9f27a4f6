package cleave.deploy.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * An object that runs pods. Immutable, as long as nobody changes the objects.
 *
 * @param replicas 1 where an autoscaler says how many
 * @param selector the labels of its pods; empty where the controller makes them up
 * @param claims volumes that each of its pods has for itself
 */
record Workload(
        HasMetadata object,
        int replicas,
        Map<String, String> selector,
        PodTemplateSpec template,
        List<PersistentVolumeClaim> claims) {
    private static final String COMPONENT = "app.kubernetes.io/component";
    private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Z_]+)\\)");

    static List<Workload> all(Manifests manifests) {
        return manifests.objects().stream()
                .flatMap(object -> of(object).stream())
                .toList();
    }

    /** The workloads that run all the time and serve others, unlike the commands of operators. */
    static List<Workload> serving(Manifests manifests) {
        return all(manifests).stream().filter(workload -> !workload.isCommand()).toList();
    }

    static Optional<Workload> of(HasMetadata object) {
        if (object instanceof StatefulSet set) {
            return Optional.of(new Workload(
                    object,
                    Optional.ofNullable(set.getSpec().getReplicas()).orElse(1),
                    set.getSpec().getSelector().getMatchLabels(),
                    set.getSpec().getTemplate(),
                    set.getSpec().getVolumeClaimTemplates()));
        }
        if (object instanceof Deployment deployment) {
            return Optional.of(new Workload(
                    object,
                    Optional.ofNullable(deployment.getSpec().getReplicas()).orElse(1),
                    deployment.getSpec().getSelector().getMatchLabels(),
                    deployment.getSpec().getTemplate(),
                    List.of()));
        }
        if (object instanceof CronJob job) {
            return Optional.of(new Workload(
                    object,
                    1,
                    Map.of(),
                    job.getSpec().getJobTemplate().getSpec().getTemplate(),
                    List.of()));
        }
        return Optional.empty();
    }

    String name() {
        return object.getMetadata().getName();
    }

    Map<String, String> labels() {
        return template.getMetadata().getLabels();
    }

    /** The role, by its label. */
    String component() {
        return labels().getOrDefault(COMPONENT, "none");
    }

    /** Its role as a caller: backups have an operator's certificate, and the board has a viewer's. */
    String caller() {
        return switch (component()) {
            case "backup" -> "admin";
            case "board" -> "viewer";
            default -> component();
        };
    }

    /** True for workloads that serve no other pod: those that run on demand and end, and the board. */
    boolean isCommand() {
        return caller().equals("admin")
                || caller().equals("viewer")
                || component().equals("format");
    }

    /** Its only container. */
    Container container() {
        return template.getSpec().getContainers().get(0);
    }

    Optional<Integer> port(String name) {
        return container().getPorts().stream()
                .filter(port -> name.equals(port.getName()))
                .map(ContainerPort::getContainerPort)
                .findFirst();
    }

    /** The container's environment, as it is in its first pod; a value that is not to be had is left out. */
    Map<String, String> environment(Manifests manifests) {
        Map<String, String> values = new TreeMap<>();
        for (EnvVar variable : container().getEnv()) {
            value(variable, manifests).ifPresent(value -> values.put(variable.getName(), value));
        }
        return values;
    }

    private Optional<String> value(EnvVar variable, Manifests manifests) {
        if (variable.getValueFrom() == null) {
            return Optional.ofNullable(variable.getValue());
        }
        if (variable.getValueFrom().getFieldRef() != null) {
            String path = variable.getValueFrom().getFieldRef().getFieldPath();
            return switch (path) {
                case "metadata.name" -> Optional.of(name() + "-0");
                case "status.podIP" -> Optional.of("10.244.0.1");
                default -> path.startsWith("metadata.labels[") ? Optional.of("") : Optional.empty();
            };
        }
        return Optional.ofNullable(variable.getValueFrom().getConfigMapKeyRef())
                .flatMap(key -> manifests
                        .find(ConfigMap.class, key.getName())
                        .map(map -> map.getData().get(key.getKey())));
    }

    /** Its arguments, in which references that cannot be resolved stay as they are. */
    List<String> arguments(Manifests manifests) {
        Map<String, String> environment = environment(manifests);
        return container().getArgs().stream()
                .map(argument -> REFERENCE
                        .matcher(argument)
                        .replaceAll(found -> java.util.regex.Matcher.quoteReplacement(
                                environment.getOrDefault(found.group(1), found.group()))))
                .toList();
    }

    /** The settings of its process: those of its file, and over them those of its arguments. */
    Map<String, String> settings(Manifests manifests) {
        Map<String, String> settings = new TreeMap<>();
        Map<String, String> assigned = new TreeMap<>();
        for (Iterator<String> words = arguments(manifests).iterator(); words.hasNext(); ) {
            String word = words.next();
            if (word.equals("--config")) {
                String file = words.next();
                Properties properties = new Properties();
                try {
                    properties.load(new StringReader(
                            file(file, manifests).orElseThrow(() -> new AssertionError("no ConfigMap has " + file))));
                } catch (IOException impossible) {
                    throw new UncheckedIOException(impossible);
                }
                properties.stringPropertyNames().forEach(key -> settings.put(key, properties.getProperty(key)));
            } else if (word.equals("--set")) {
                String[] keyAndValue = words.next().split("=", 2);
                assigned.put(keyAndValue[0], keyAndValue.length == 2 ? keyAndValue[1] : "");
            }
        }
        settings.putAll(assigned);
        return settings;
    }

    /** The content of a file that a ConfigMap is mounted as. */
    private Optional<String> file(String path, Manifests manifests) {
        return mountOf(path)
                .flatMap(mount -> volume(mount.getName())
                        .filter(volume -> volume.getConfigMap() != null)
                        .flatMap(volume -> manifests.find(
                                ConfigMap.class, volume.getConfigMap().getName()))
                        .map(map -> map.getData()
                                .get(path.substring(mount.getMountPath().length() + 1))));
    }

    Optional<VolumeMount> mountOf(String path) {
        return container().getVolumeMounts().stream()
                .filter(mount -> path.equals(mount.getMountPath()) || path.startsWith(mount.getMountPath() + "/"))
                .findFirst();
    }

    Optional<Volume> volume(String name) {
        return template.getSpec().getVolumes().stream()
                .filter(volume -> volume.getName().equals(name))
                .findFirst();
    }

    @Override
    public String toString() {
        return object.getKind() + " " + name();
    }
}
