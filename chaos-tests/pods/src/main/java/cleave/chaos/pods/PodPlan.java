package cleave.chaos.pods;

import cleave.deploy.kubernetes.Manifests;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One pod of the manifests, with everything that they leave to the node. Immutable. Unsupported fields are refused, so
 * that nothing is silently ignored.
 *
 * @param domain of the pod's own name; null if it has none
 * @param environment variables of the manifest only
 * @param ports of the container, by their names
 * @param restarts true if its process is restarted when it ends
 */
record PodPlan(
        String name,
        @Nullable String domain,
        Map<String, String> labels,
        List<String> command,
        Map<String, String> environment,
        Map<String, Integer> ports,
        List<Mount> mounts,
        Rights rights,
        long graceSeconds,
        boolean restarts,
        @Nullable Probe startup,
        @Nullable Probe readiness,
        @Nullable Probe liveness) {
    private static final long GRACE_SECONDS = 30;
    private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Za-z_][A-Za-z0-9_]*)\\)");

    /** A folder of this machine at a path of the container. */
    record Mount(Path folder, String path, boolean isReadOnly) {}

    /** The rights of the process. */
    record Rights(long user, long group, long volumes, boolean rootIsReadOnly) {}

    /**
     * @param folder of the pod, new for each pod
     * @param claims folders of the volumes that outlive pods, by the name of the volume
     * @param address of the pod
     */
    static PodPlan of(
            Manifests manifests,
            String namespace,
            String name,
            PodTemplateSpec template,
            Path folder,
            Map<String, Path> claims,
            String address)
            throws IOException {
        PodSpec spec = template.getSpec();
        if (spec.getContainers().size() != 1 || !spec.getInitContainers().isEmpty()) {
            throw new IllegalArgumentException("pod " + name + ": only pods with a single container are carried out");
        }
        Container container = spec.getContainers().get(0);
        if (container.getLifecycle() != null) {
            throw new IllegalArgumentException("pod " + name + ": hooks (lifecycle) are not carried out");
        }
        Map<String, String> environment = environment(manifests, namespace, name, address, container);
        Map<String, Integer> ports = ports(container);
        return new PodPlan(
                name,
                spec.getSubdomain(),
                template.getMetadata().getLabels(),
                command(container, environment),
                environment,
                ports,
                mounts(manifests, spec, container, folder, claims),
                rights(name, spec.getSecurityContext(), container.getSecurityContext()),
                spec.getTerminationGracePeriodSeconds() == null
                        ? GRACE_SECONDS
                        : spec.getTerminationGracePeriodSeconds(),
                !"Never".equals(spec.getRestartPolicy()),
                Probe.of(container.getStartupProbe(), ports),
                Probe.of(container.getReadinessProbe(), ports),
                Probe.of(container.getLivenessProbe(), ports));
    }

    private static Map<String, Integer> ports(Container container) {
        Map<String, Integer> ports = new TreeMap<>();
        for (ContainerPort port : container.getPorts()) {
            ports.put(port.getName(), port.getContainerPort());
        }
        return ports;
    }

    /** The port of the pod to which a Service's port leads. */
    int port(@Nullable IntOrString target, int otherwise) {
        return target == null ? otherwise : port(target, ports);
    }

    /** The number of a port, which is given by number or name. */
    static int port(IntOrString port, Map<String, Integer> ports) {
        Integer number = port.getIntVal() == null ? ports.get(port.getStrVal()) : port.getIntVal();
        if (number == null) {
            throw new IllegalArgumentException(
                    "there is no port named " + port.getStrVal() + ", only " + ports.keySet());
        }
        return number;
    }

    private static List<String> command(Container container, Map<String, String> environment) {
        List<String> command = new ArrayList<>(container.getCommand());
        if (command.isEmpty()) {
            command.add(Image.ENTRYPOINT);
        }
        command.addAll(container.getArgs());
        return command.stream().map(word -> expanded(word, environment)).toList();
    }

    /** Replaces {@code $(NAME)} by the values of variables; a reference to an unknown variable stays. */
    static String expanded(String text, Map<String, String> environment) {
        return REFERENCE
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(environment.getOrDefault(found.group(1), found.group())));
    }

    private static Map<String, String> environment(
            Manifests manifests, String namespace, String pod, String address, Container container) {
        Map<String, String> environment = new LinkedHashMap<>();
        for (EnvVar variable : container.getEnv()) {
            EnvVarSource source = variable.getValueFrom();
            String value;
            if (source == null) {
                value = expanded(variable.getValue() == null ? "" : variable.getValue(), environment);
            } else if (source.getConfigMapKeyRef() != null) {
                value = text(
                        manifests.configMap(source.getConfigMapKeyRef().getName()),
                        source.getConfigMapKeyRef().getKey());
            } else if (source.getSecretKeyRef() != null) {
                value = text(
                        manifests.secret(source.getSecretKeyRef().getName()),
                        source.getSecretKeyRef().getKey());
            } else if (source.getFieldRef() != null) {
                value = switch (source.getFieldRef().getFieldPath()) {
                    case "metadata.name" -> pod;
                    case "metadata.namespace" -> namespace;
                    case "status.podIP" -> address;
                    case "metadata.labels['topology.kubernetes.io/zone']" -> ""; // This machine is in none.
                    default ->
                        throw new IllegalArgumentException(
                                "the variable " + variable.getName() + " is a field that is not carried out: "
                                        + source.getFieldRef().getFieldPath());
                };
            } else {
                throw new IllegalArgumentException(
                        "the variable " + variable.getName() + " has a source that is not" + " carried out");
            }
            environment.put(variable.getName(), value);
        }
        return environment;
    }

    private static String text(Map<String, byte[]> content, String key) {
        byte[] value = content.get(key);
        if (value == null) {
            throw new IllegalArgumentException("there is no key " + key + " among " + content.keySet());
        }
        return new String(value, StandardCharsets.UTF_8);
    }

    private static List<Mount> mounts(
            Manifests manifests, PodSpec spec, Container container, Path folder, Map<String, Path> claims)
            throws IOException {
        List<Mount> mounts = new ArrayList<>();
        for (VolumeMount mount : container.getVolumeMounts()) {
            if (mount.getSubPath() != null) {
                throw new IllegalArgumentException(
                        "the mount " + mount.getMountPath() + " has a subPath, which is not" + " carried out");
            }
            Path source = claims.get(mount.getName());
            boolean isContent = false;
            if (source == null) {
                Volume volume = spec.getVolumes().stream()
                        .filter(each -> each.getName().equals(mount.getName()))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("there is no volume named " + mount.getName()));
                source = Files.createDirectories(folder.resolve("volumes").resolve(mount.getName()));
                isContent = fill(source, volume, manifests);
            }
            mounts.add(new Mount(source, mount.getMountPath(), isContent || Boolean.TRUE.equals(mount.getReadOnly())));
        }
        return mounts;
    }

    /** True if the volume's content is from the manifests; processes cannot change it. */
    private static boolean fill(Path folder, Volume volume, Manifests manifests) throws IOException {
        Map<String, byte[]> content;
        if (volume.getConfigMap() != null) {
            content = manifests.configMap(volume.getConfigMap().getName());
        } else if (volume.getSecret() != null) {
            content = manifests.secret(volume.getSecret().getSecretName());
        } else if (volume.getEmptyDir() != null) {
            return false;
        } else {
            throw new IllegalArgumentException(
                    "the volume " + volume.getName() + " is of a kind that is not carried out");
        }
        for (Map.Entry<String, byte[]> file : content.entrySet()) {
            Files.write(folder.resolve(file.getKey()), file.getValue());
        }
        return true;
    }

    private static Rights rights(String pod, @Nullable PodSecurityContext ofPod, @Nullable SecurityContext own) {
        if (ofPod == null || ofPod.getRunAsUser() == null || ofPod.getRunAsGroup() == null) {
            throw new IllegalArgumentException("pod " + pod + " says not as whom it runs (runAsUser, runAsGroup)");
        }
        return new Rights(
                ofPod.getRunAsUser(),
                ofPod.getRunAsGroup(),
                ofPod.getFsGroup() == null ? ofPod.getRunAsGroup() : ofPod.getFsGroup(),
                own != null && Boolean.TRUE.equals(own.getReadOnlyRootFilesystem()));
    }
}
