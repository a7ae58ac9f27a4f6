package cleave.deploy.kubernetes;

import cleave.deploy.role.RoleSettings;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules for the objects of one cluster, beyond what the API demands; here those for its pods. Confined to one thread. */
final class ManifestRules {
    /** The process ends this long after SIGTERM in any case: {@code RoleProcess}. */
    private static final Map<String, Long> LEAVING_SECONDS = Map.of("master", 5L, "bookie", EngineRules.FLUSH_SECONDS);

    private static final long END_SECONDS = 20;

    /** Code, metaspace, threads' stacks, the collector: the memory of a JVM beside its heap and buffers. */
    private static final long JVM_BYTES = 256L << 20;

    private static final Set<String> DURABLE = Set.of("master", "dfs");
    private static final Set<String> EVICTED_WHEN_UNHEALTHY = Set.of("server", "front-end", "autorecovery");
    /** The components that listen at the address of the DFS, unless others run it. */
    private static final Set<String> DFS = Set.of("dfs", "zookeeper");
    /** Components whose pods must be on different hosts: two could be lost together, and that is one too many. */
    private static final Set<String> APART = Set.of("master", "zookeeper", "bookie");

    private static final String SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict";
    private static final Set<String> NODE_LOST =
            Set.of("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready");

    private static final Pattern IMAGE = Pattern.compile("(.+/)?[a-z0-9-]+(:(?<tag>[\\w.-]+)|@sha256:[0-9a-f]{64})");
    private static final Pattern ADDRESS = Pattern.compile("(?<host>[A-Za-z][\\w.-]*):(?<port>\\d+)");
    private static final Pattern REFERENCE = Pattern.compile("\\$\\([^)]*\\)");
    private static final Pattern SIZE = Pattern.compile("(\\d+)([kmg]?)(i?b)?");

    private final Manifests manifests;
    private final Predicate<String> adminPaths;
    private final Violations violations = new Violations();

    private ManifestRules(Manifests manifests, Predicate<String> adminPaths) {
        this.manifests = manifests;
        this.adminPaths = adminPaths;
    }

    /** @param adminPaths those that the admin port answers */
    static List<String> violations(Manifests manifests, Predicate<String> adminPaths) {
        ManifestRules rules = new ManifestRules(manifests, adminPaths);
        rules.check();
        return rules.violations.found();
    }

    private void check() {
        for (Workload workload : Workload.all(manifests)) {
            pod(workload);
            container(workload, workload.container());
            volumes(workload);
            references(workload);
            violations.demand(
                    workload.labels().entrySet().containsAll(workload.selector().entrySet()),
                    workload,
                    "its selector does not match the labels of its pods");
        }
        for (Workload workload : Workload.serving(manifests)) {
            probes(workload);
            disruptionBudget(workload);
            spread(workload);
            Map<String, String> settings = workload.settings(manifests);
            if (EngineRules.knows(workload)) {
                new EngineRules(manifests, violations).check(workload, settings);
            } else {
                settings(workload, settings);
                ports(workload, settings);
                folders(workload, settings);
            }
            addresses(workload, settings);
            advertised(workload, settings);
            grace(workload, settings);
            memory(workload, settings);
        }
        new ObjectRules(manifests, violations).check();
    }

    private void pod(Workload workload) {
        PodSpec pod = workload.template().getSpec();
        violations.demand(
                Boolean.FALSE.equals(pod.getAutomountServiceAccountToken()),
                workload,
                "automountServiceAccountToken must be false");
        violations.demand(
                !Boolean.TRUE.equals(pod.getHostNetwork())
                        && !Boolean.TRUE.equals(pod.getHostPID())
                        && !Boolean.TRUE.equals(pod.getHostIPC()),
                workload,
                "it must not use the host's namespaces");
        PodSecurityContext security = pod.getSecurityContext();
        violations.demand(
                security != null && Boolean.TRUE.equals(security.getRunAsNonRoot()) && security.getRunAsUser() > 0,
                workload,
                "it must run as a user other than root");
        violations.demand(
                security != null
                        && security.getSeccompProfile() != null
                        && security.getSeccompProfile().getType().equals("RuntimeDefault"),
                workload,
                "seccompProfile must be RuntimeDefault");
        violations.demand(
                pod.getContainers().size() == 1 && pod.getInitContainers().isEmpty(),
                workload,
                "these rules know one container in a pod");
        eviction(workload);
    }

    /** All pods have an emptyDir, for which an autoscaler of nodes leaves them where they are unless they say otherwise. */
    private void eviction(Workload workload) {
        Map<String, String> annotations = workload.template().getMetadata().getAnnotations();
        boolean stays =
                workload.object() instanceof CronJob || workload.component().equals("dfs");
        violations.demand(
                Boolean.toString(!stays).equals(annotations == null ? null : annotations.get(SAFE_TO_EVICT)),
                workload,
                "its pods must have " + SAFE_TO_EVICT + ": \"" + !stays + '"');
        boolean isReplaced = workload.template().getSpec().getTolerations().stream()
                .filter(toleration ->
                        "NoExecute".equals(toleration.getEffect()) && toleration.getTolerationSeconds() <= 30)
                .map(Toleration::getKey)
                .collect(Collectors.toSet())
                .containsAll(NODE_LOST);
        violations.demand(
                isReplaced || !Set.of("server", "front-end").contains(workload.component()),
                workload,
                "its pods must be replaced half a minute after their node was lost");
    }

    private void container(Workload workload, Container container) {
        SecurityContext security = container.getSecurityContext();
        violations.demand(
                security != null
                        && Boolean.FALSE.equals(security.getAllowPrivilegeEscalation())
                        && Boolean.TRUE.equals(security.getReadOnlyRootFilesystem())
                        && security.getCapabilities() != null
                        && security.getCapabilities().getDrop().equals(List.of("ALL"))
                        && security.getCapabilities().getAdd().isEmpty()
                        && !Boolean.TRUE.equals(security.getPrivileged()),
                workload,
                "its container must drop ALL capabilities, not escalate privileges, and have a read-only root");
        Matcher image = IMAGE.matcher(container.getImage());
        violations.demand(
                image.matches() && !"latest".equals(image.group("tag")),
                workload,
                "its image " + container.getImage() + " must have a tag, and not latest");
        Map<String, Quantity> limits = container.getResources().getLimits();
        Map<String, Quantity> requests = container.getResources().getRequests();
        violations.demand(
                limits.get("memory") != null && limits.get("memory").equals(requests.get("memory")),
                workload,
                "its request of memory must be its limit, or the node may run out of memory");
        violations.demand(
                requests.containsKey("cpu") && !limits.containsKey("cpu"), workload, "it requests cpu without a limit");
    }

    private void volumes(Workload workload) {
        for (Volume volume : workload.template().getSpec().getVolumes()) {
            violations.demand(
                    volume.getConfigMap() != null
                            || volume.getSecret() != null
                            || volume.getEmptyDir() != null
                            || isOwnClaim(volume),
                    workload,
                    "volume " + volume.getName()
                            + " must be a ConfigMap, a Secret, an emptyDir, or a ReadWriteOncePod claim of these manifests");
            violations.demand(
                    volume.getEmptyDir() == null || volume.getEmptyDir().getSizeLimit() != null,
                    workload,
                    "the emptyDir " + volume.getName() + " needs a sizeLimit");
        }
        for (PersistentVolumeClaim claim : workload.claims()) {
            violations.demand(
                    claim.getSpec().getAccessModes().equals(List.of("ReadWriteOncePod")),
                    workload,
                    "the volume of claim " + claim.getMetadata().getName() + " must be ReadWriteOncePod");
        }
        for (VolumeMount mount : workload.container().getVolumeMounts()) {
            violations.demand(
                    workload.volume(mount.getName()).isPresent() || isClaim(workload, mount.getName()),
                    workload,
                    "there is no volume " + mount.getName());
        }
        violations.demand(
                workload.mountOf("/tmp/any")
                        .flatMap(mount -> workload.volume(mount.getName()))
                        .map(Volume::getEmptyDir)
                        .isPresent(),
                workload,
                "/tmp must be an emptyDir, since the root is read-only");
    }

    private boolean isOwnClaim(Volume volume) {
        return volume.getPersistentVolumeClaim() != null
                && manifests
                        .find(
                                PersistentVolumeClaim.class,
                                volume.getPersistentVolumeClaim().getClaimName())
                        .filter(claim -> claim.getSpec().getAccessModes().equals(List.of("ReadWriteOncePod")))
                        .isPresent();
    }

    static boolean isClaim(Workload workload, String name) {
        return workload.claims().stream()
                .anyMatch(claim -> claim.getMetadata().getName().equals(name));
    }

    /** Checks the references to objects that kustomize names after their content. */
    private void references(Workload workload) {
        Map<String, String> environment = workload.environment(manifests);
        workload.container()
                .getEnv()
                .forEach(variable -> violations.demand(
                        environment.containsKey(variable.getName()),
                        workload,
                        "the value of " + variable.getName() + " is nowhere"));
        workload.arguments(manifests)
                .forEach(argument -> violations.demand(
                        !REFERENCE.matcher(argument).find(),
                        workload,
                        "its argument " + argument + " refers to nothing"));
        workload.template().getSpec().getVolumes().stream()
                .filter(volume -> volume.getConfigMap() != null)
                .forEach(volume -> violations.demand(
                        manifests
                                .find(ConfigMap.class, volume.getConfigMap().getName())
                                .isPresent(),
                        workload,
                        "there is no ConfigMap " + volume.getConfigMap().getName()));
    }

    private void probes(Workload workload) {
        Container container = workload.container();
        probe(workload, "startupProbe", container.getStartupProbe(), "/healthz");
        probe(workload, "readinessProbe", container.getReadinessProbe(), "/readyz");
        probe(workload, "livenessProbe", container.getLivenessProbe(), "/healthz");
        eachSecond(workload, "startupProbe", container.getStartupProbe());
        eachSecond(workload, "readinessProbe", container.getReadinessProbe());
    }

    /** A pod that is ready is of use only once that is known. */
    private void eachSecond(Workload workload, String name, Probe probe) {
        violations.demand(
                probe == null || Integer.valueOf(1).equals(probe.getPeriodSeconds()),
                workload,
                name + " must ask each second");
    }

    private void probe(Workload workload, String name, Probe probe, String path) {
        HTTPGetAction get = probe == null ? null : probe.getHttpGet();
        violations.demand(get != null, workload, "it has no " + name + " by HTTP");
        if (get != null) {
            violations.demand(
                    adminPaths.test(get.getPath()), workload, name + ": the admin port does not have " + get.getPath());
            violations.demand(
                    path.equals(get.getPath()), workload, name + " must ask " + path + ", not " + get.getPath());
            violations.demand("admin".equals(get.getPort().getStrVal()), workload, name + " must ask the port admin");
        }
    }

    private void disruptionBudget(Workload workload) {
        List<PodDisruptionBudget> budgets = manifests.all(PodDisruptionBudget.class).stream()
                .filter(budget ->
                        budget.getSpec().getSelector().getMatchLabels().equals(workload.selector()))
                .toList();
        violations.demand(budgets.size() == 1, workload, "it needs one PodDisruptionBudget, and has " + budgets.size());
        for (PodDisruptionBudget budget : budgets) {
            violations.demand(
                    budget.getSpec().getMaxUnavailable() != null
                            && Integer.valueOf(1)
                                    .equals(budget.getSpec().getMaxUnavailable().getIntVal()),
                    workload,
                    "its PodDisruptionBudget must permit one pod to be unavailable");
            violations.demand(
                    "AlwaysAllow".equals(budget.getSpec().getUnhealthyPodEvictionPolicy())
                            == EVICTED_WHEN_UNHEALTHY.contains(workload.component()),
                    workload,
                    "unhealthyPodEvictionPolicy must be AlwaysAllow for " + EVICTED_WHEN_UNHEALTHY + " only");
        }
    }

    private void spread(Workload workload) {
        PodSpec pod = workload.template().getSpec();
        Set<String> keys = pod.getTopologySpreadConstraints().stream()
                .filter(constraint ->
                        constraint.getLabelSelector().getMatchLabels().equals(workload.selector()))
                .map(TopologySpreadConstraint::getTopologyKey)
                .collect(Collectors.toSet());
        boolean isStrict = pod.getAffinity() != null
                && pod.getAffinity().getPodAntiAffinity() != null
                && pod.getAffinity().getPodAntiAffinity().getRequiredDuringSchedulingIgnoredDuringExecution().stream()
                        .anyMatch(term -> term.getTopologyKey().equals("kubernetes.io/hostname")
                                && term.getLabelSelector().getMatchLabels().equals(workload.selector()));
        violations.demand(keys.contains("topology.kubernetes.io/zone"), workload, "its pods must be spread over zones");
        violations.demand(
                isStrict || (keys.contains("kubernetes.io/hostname") && !APART.contains(workload.component())),
                workload,
                "its pods must be spread over hosts, those of " + APART + " strictly");
    }

    /** The role's own judgement, and that others are reached where they listen. */
    private void settings(Workload workload, Map<String, String> settings) {
        violations.demand(
                workload.arguments(manifests).get(0).equals(workload.component()),
                workload,
                "its label says " + workload.component() + ", but it runs another role");
        RoleSettings.fault(workload.component(), settings)
                .ifPresent(fault -> violations.demand(false, workload, fault));
    }

    private void addresses(Workload workload, Map<String, String> settings) {
        boolean hasDfs = Workload.serving(manifests).stream().anyMatch(other -> DFS.contains(other.component()));
        settings.forEach((key, value) -> {
            boolean isElsewhere = key.equals("dfs") && !hasDfs;
            if (!key.endsWith("listen") && !key.endsWith("listen-tls") && !isElsewhere) {
                Matcher addresses = ADDRESS.matcher(value);
                while (addresses.find()) {
                    address(workload, key, addresses.group("host"), Integer.parseInt(addresses.group("port")));
                }
            }
        });
    }

    /** Checks that a pod or a Service of that name listens there. */
    private void address(Workload workload, String key, String host, int port) {
        String service = host.substring(host.indexOf('.') + 1);
        boolean isThere = Workload.serving(manifests).stream()
                .filter(other -> other.name().equals(service))
                .anyMatch(other ->
                        other.container().getPorts().stream().anyMatch(open -> open.getContainerPort() == port)
                                && (host.equals(service)
                                        || Stream.iterate(0, i -> i + 1)
                                                .limit(other.replicas())
                                                .anyMatch(i -> host.equals(other.name() + "-" + i + "." + service))));
        violations.demand(
                isThere, workload, "its setting " + key + " names " + host + ":" + port + ", where nothing listens");
    }

    /** Without a name that its certificate has, nobody trusts a server that is dialled at its address. */
    private void advertised(Workload workload, Map<String, String> settings) {
        String advertised = settings.getOrDefault("server.advertise", "");
        manifests.all(GenericKubernetesResource.class).stream()
                .filter(object -> object.getKind().equals("Certificate")
                        && object.getMetadata().getName().equals(workload.name()))
                .forEach(certificate -> violations.demand(
                        advertised.isEmpty()
                                || certificate
                                        .<List<String>>get("spec", "dnsNames")
                                        .contains(advertised.substring(advertised.indexOf('/') + 1)),
                        workload,
                        "it advertises " + advertised + ", but its certificate does not have that name"));
    }

    private void ports(Workload workload, Map<String, String> settings) {
        TreeSet<String> listens = new TreeSet<>();
        settings.forEach((key, value) -> {
            if (key.endsWith("listen") || key.endsWith("listen-tls")) {
                violations.demand(
                        value.startsWith("0.0.0.0:"),
                        workload,
                        "its setting " + key + " is " + value + ", which others do not reach");
                listens.add(value.substring(value.lastIndexOf(':') + 1));
            }
        });
        violations.listening(workload, listens);
    }

    private void grace(Workload workload, Map<String, String> settings) {
        long leaving = Stream.of("server.drain-deadline", "front-end.drain-time")
                .map(settings::get)
                .filter(value -> value != null)
                .mapToLong(value -> Long.parseLong(value.replaceFirst("s$", "")))
                .reduce(LEAVING_SECONDS.getOrDefault(workload.component(), 0L), Math::max);
        Long grace = workload.template().getSpec().getTerminationGracePeriodSeconds();
        violations.demand(
                grace != null && grace > leaving + END_SECONDS,
                workload,
                "terminationGracePeriodSeconds is " + grace + ", but it may take " + (leaving + END_SECONDS)
                        + " s to end");
    }

    private void memory(Workload workload, Map<String, String> settings) {
        String java = workload.environment(manifests).getOrDefault("CLEAVE_JAVA_OPTS", "");
        long heap = flag(java, "-Xmx");
        long direct = flag(java, "-XX:MaxDirectMemorySize=");
        violations.demand(
                heap > 0 && direct > 0, workload, "CLEAVE_JAVA_OPTS must set -Xmx and -XX:MaxDirectMemorySize");
        int copiesOfNetty = workload.component().equals("master") ? 2 : 1;
        long rocks = size(settings.get("server.block-cache")) + size(settings.get("dbStorage_rocksDB_blockCacheSize"));
        long sum = heap + copiesOfNetty * direct + rocks + JVM_BYTES;
        long limit = Quantity.getAmountInBytes(
                        workload.container().getResources().getLimits().get("memory"))
                .longValueExact();
        violations.demand(
                sum <= limit,
                workload,
                "its heap, direct memory and RocksDB, and " + (JVM_BYTES >> 20) + " MiB for the JVM, add up to "
                        + (sum >> 20) + " MiB, but its limit is " + (limit >> 20) + " MiB");
    }

    static long flag(String options, String flag) {
        return Stream.of(options.split(" "))
                .filter(option -> option.startsWith(flag))
                .mapToLong(option -> size(option.substring(flag.length())))
                .findFirst()
                .orElse(0);
    }

    private static long size(String text) {
        Matcher size = SIZE.matcher(text == null ? "0" : text.toLowerCase(java.util.Locale.ROOT));
        if (!size.matches()) {
            throw new AssertionError("no size: " + text);
        }
        return Long.parseLong(size.group(1))
                << (10 * " kmg".indexOf(size.group(2).isEmpty() ? " " : size.group(2)));
    }

    /** Checks that it writes only where it may, and durable data only to a volume. */
    private void folders(Workload workload, Map<String, String> settings) {
        settings.forEach((key, value) -> {
            if (key.endsWith(".dir")) {
                Optional<VolumeMount> mount = workload.mountOf(value);
                boolean isDurable =
                        mount.isPresent() && isClaim(workload, mount.get().getName());
                boolean isCache = mount.flatMap(found -> workload.volume(found.getName()))
                        .map(Volume::getEmptyDir)
                        .isPresent();
                violations.demand(
                        DURABLE.contains(workload.component()) ? isDurable : isCache,
                        workload,
                        "its folder " + key + "=" + value + " is not in a "
                                + (DURABLE.contains(workload.component()) ? "persistent volume" : "emptyDir"));
            } else if (key.equals("tls") || key.endsWith("tls-dir") || key.equals("front-end.accounts")) {
                violations.demand(
                        workload.mountOf(value)
                                .flatMap(mount -> workload.volume(mount.getName()))
                                .map(Volume::getSecret)
                                .isPresent(),
                        workload,
                        "its setting " + key + "=" + value + " is not in a Secret that is mounted");
            }
        });
    }
}
