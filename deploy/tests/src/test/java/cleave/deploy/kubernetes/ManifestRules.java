package cleave.deploy.kubernetes;

import cleave.deploy.role.RoleSettings;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.ArrayList;
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

/** The rules for the objects of one cluster, beyond what the API demands. Confined to one thread. */
final class ManifestRules {
    /** The process ends this long after SIGTERM in any case: {@code RoleProcess}. */
    private static final Map<String, Long> LEAVING_SECONDS = Map.of("master", 5L, "bookie", EngineRules.FLUSH_SECONDS);

    private static final long END_SECONDS = 20;

    /** Code, metaspace, threads' stacks, the collector: the memory of a JVM beside its heap and buffers. */
    private static final long JVM_BYTES = 256L << 20;

    private static final Set<String> ASKED_FOR = Set.of("cleave-found", "cleave-restore", "cleave-format");
    private static final Set<String> DURABLE = Set.of("master", "dfs");
    private static final Set<String> EVICTED_WHEN_UNHEALTHY = Set.of("server", "front-end", "autorecovery");
    /** The components that listen at the address of the DFS, unless others run it. */
    private static final Set<String> DFS = Set.of("dfs", "zookeeper");
    /** Components whose pods must be on different hosts: two could be lost together, and that is one too many. */
    private static final Set<String> APART = Set.of("master", "zookeeper", "bookie");

    private static final Pattern IMAGE = Pattern.compile("(.+/)?[a-z0-9-]+(:(?<tag>[\\w.-]+)|@sha256:[0-9a-f]{64})");
    private static final Pattern ADDRESS = Pattern.compile("(?<host>[A-Za-z][\\w.-]*):(?<port>\\d+)");
    private static final Pattern REFERENCE = Pattern.compile("\\$\\([^)]*\\)");
    private static final Pattern SIZE = Pattern.compile("(\\d+)([kmg]?)(i?b)?");

    private final Manifests manifests;
    private final Predicate<String> adminPaths;
    private final List<String> violations = new ArrayList<>();

    private ManifestRules(Manifests manifests, Predicate<String> adminPaths) {
        this.manifests = manifests;
        this.adminPaths = adminPaths;
    }

    /** @param adminPaths those that the admin port answers */
    static List<String> violations(Manifests manifests, Predicate<String> adminPaths) {
        ManifestRules rules = new ManifestRules(manifests, adminPaths);
        rules.check();
        return rules.violations;
    }

    private void check() {
        for (Workload workload : Workload.all(manifests)) {
            pod(workload);
            container(workload, workload.container());
            volumes(workload);
            references(workload);
            demand(
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
            grace(workload, settings);
            memory(workload, settings);
        }
        distinctSelectors();
        manifests.all(Service.class).forEach(this::service);
        manifests.all(StatefulSet.class).forEach(this::statefulSet);
        manifests.all(Ingress.class).forEach(this::ingress);
        founding();
    }

    private void demand(boolean holds, Object where, String violation) {
        if (!holds) {
            violations.add(where + ": " + violation);
        }
    }

    private void pod(Workload workload) {
        PodSpec pod = workload.template().getSpec();
        demand(
                Boolean.FALSE.equals(pod.getAutomountServiceAccountToken()),
                workload,
                "automountServiceAccountToken must be false");
        demand(
                !Boolean.TRUE.equals(pod.getHostNetwork())
                        && !Boolean.TRUE.equals(pod.getHostPID())
                        && !Boolean.TRUE.equals(pod.getHostIPC()),
                workload,
                "it must not use the host's namespaces");
        PodSecurityContext security = pod.getSecurityContext();
        demand(
                security != null && Boolean.TRUE.equals(security.getRunAsNonRoot()) && security.getRunAsUser() > 0,
                workload,
                "it must run as a user other than root");
        demand(
                security != null
                        && security.getSeccompProfile() != null
                        && security.getSeccompProfile().getType().equals("RuntimeDefault"),
                workload,
                "seccompProfile must be RuntimeDefault");
        demand(
                pod.getContainers().size() == 1 && pod.getInitContainers().isEmpty(),
                workload,
                "these rules know one container in a pod");
    }

    private void container(Workload workload, Container container) {
        SecurityContext security = container.getSecurityContext();
        demand(
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
        demand(
                image.matches() && !"latest".equals(image.group("tag")),
                workload,
                "its image " + container.getImage() + " must have a tag, and not latest");
        Map<String, Quantity> limits = container.getResources().getLimits();
        Map<String, Quantity> requests = container.getResources().getRequests();
        demand(
                limits.get("memory") != null && limits.get("memory").equals(requests.get("memory")),
                workload,
                "its request of memory must be its limit, or the node may run out of memory");
        demand(requests.containsKey("cpu") && !limits.containsKey("cpu"), workload, "it requests cpu without a limit");
    }

    private void volumes(Workload workload) {
        for (Volume volume : workload.template().getSpec().getVolumes()) {
            demand(
                    volume.getConfigMap() != null
                            || volume.getSecret() != null
                            || volume.getEmptyDir() != null
                            || isOwnClaim(volume),
                    workload,
                    "volume " + volume.getName()
                            + " must be a ConfigMap, a Secret, an emptyDir, or a ReadWriteOncePod claim of these manifests");
            demand(
                    volume.getEmptyDir() == null || volume.getEmptyDir().getSizeLimit() != null,
                    workload,
                    "the emptyDir " + volume.getName() + " needs a sizeLimit");
        }
        for (PersistentVolumeClaim claim : workload.claims()) {
            demand(
                    claim.getSpec().getAccessModes().equals(List.of("ReadWriteOncePod")),
                    workload,
                    "the volume of claim " + claim.getMetadata().getName() + " must be ReadWriteOncePod");
        }
        for (VolumeMount mount : workload.container().getVolumeMounts()) {
            demand(
                    workload.volume(mount.getName()).isPresent() || isClaim(workload, mount.getName()),
                    workload,
                    "there is no volume " + mount.getName());
        }
        demand(
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
                .forEach(variable -> demand(
                        environment.containsKey(variable.getName()),
                        workload,
                        "the value of " + variable.getName() + " is nowhere"));
        workload.arguments(manifests)
                .forEach(argument -> demand(
                        !REFERENCE.matcher(argument).find(),
                        workload,
                        "its argument " + argument + " refers to nothing"));
        workload.template().getSpec().getVolumes().stream()
                .filter(volume -> volume.getConfigMap() != null)
                .forEach(volume -> demand(
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
        demand(
                probe == null || Integer.valueOf(1).equals(probe.getPeriodSeconds()),
                workload,
                name + " must ask each second");
    }

    private void probe(Workload workload, String name, Probe probe, String path) {
        HTTPGetAction get = probe == null ? null : probe.getHttpGet();
        demand(get != null, workload, "it has no " + name + " by HTTP");
        if (get != null) {
            demand(adminPaths.test(get.getPath()), workload, name + ": the admin port does not have " + get.getPath());
            demand(path.equals(get.getPath()), workload, name + " must ask " + path + ", not " + get.getPath());
            demand("admin".equals(get.getPort().getStrVal()), workload, name + " must ask the port admin");
        }
    }

    private void disruptionBudget(Workload workload) {
        List<PodDisruptionBudget> budgets = manifests.all(PodDisruptionBudget.class).stream()
                .filter(budget ->
                        budget.getSpec().getSelector().getMatchLabels().equals(workload.selector()))
                .toList();
        demand(budgets.size() == 1, workload, "it needs one PodDisruptionBudget, and has " + budgets.size());
        for (PodDisruptionBudget budget : budgets) {
            demand(
                    budget.getSpec().getMaxUnavailable() != null
                            && Integer.valueOf(1)
                                    .equals(budget.getSpec().getMaxUnavailable().getIntVal()),
                    workload,
                    "its PodDisruptionBudget must permit one pod to be unavailable");
            demand(
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
        demand(keys.contains("topology.kubernetes.io/zone"), workload, "its pods must be spread over zones");
        demand(
                isStrict || (keys.contains("kubernetes.io/hostname") && !APART.contains(workload.component())),
                workload,
                "its pods must be spread over hosts, those of " + APART + " strictly");
    }

    /** The role's own judgement, and that others are reached where they listen. */
    private void settings(Workload workload, Map<String, String> settings) {
        demand(
                workload.arguments(manifests).get(0).equals(workload.component()),
                workload,
                "its label says " + workload.component() + ", but it runs another role");
        RoleSettings.fault(workload.component(), settings).ifPresent(fault -> demand(false, workload, fault));
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
        demand(isThere, workload, "its setting " + key + " names " + host + ":" + port + ", where nothing listens");
    }

    private void ports(Workload workload, Map<String, String> settings) {
        TreeSet<String> listens = new TreeSet<>();
        settings.forEach((key, value) -> {
            if (key.endsWith("listen") || key.endsWith("listen-tls")) {
                demand(
                        value.startsWith("0.0.0.0:"),
                        workload,
                        "its setting " + key + " is " + value + ", which others do not reach");
                listens.add(value.substring(value.lastIndexOf(':') + 1));
            }
        });
        TreeSet<String> ports = workload.container().getPorts().stream()
                .map(ContainerPort::getContainerPort)
                .map(String::valueOf)
                .collect(Collectors.toCollection(TreeSet::new));
        demand(ports.equals(listens), workload, "its ports are " + ports + ", but its settings listen on " + listens);
    }

    private void grace(Workload workload, Map<String, String> settings) {
        long leaving = Stream.of("server.drain-deadline", "front-end.drain-time")
                .map(settings::get)
                .filter(value -> value != null)
                .mapToLong(value -> Long.parseLong(value.replaceFirst("s$", "")))
                .reduce(LEAVING_SECONDS.getOrDefault(workload.component(), 0L), Math::max);
        Long grace = workload.template().getSpec().getTerminationGracePeriodSeconds();
        demand(
                grace != null && grace > leaving + END_SECONDS,
                workload,
                "terminationGracePeriodSeconds is " + grace + ", but it may take " + (leaving + END_SECONDS)
                        + " s to end");
    }

    private void memory(Workload workload, Map<String, String> settings) {
        String java = workload.environment(manifests).getOrDefault("CLEAVE_JAVA_OPTS", "");
        long heap = flag(java, "-Xmx");
        long direct = flag(java, "-XX:MaxDirectMemorySize=");
        demand(heap > 0 && direct > 0, workload, "CLEAVE_JAVA_OPTS must set -Xmx and -XX:MaxDirectMemorySize");
        int copiesOfNetty = workload.component().equals("master") ? 2 : 1;
        long rocks = size(settings.get("server.block-cache")) + size(settings.get("dbStorage_rocksDB_blockCacheSize"));
        long sum = heap + copiesOfNetty * direct + rocks + JVM_BYTES;
        long limit = Quantity.getAmountInBytes(
                        workload.container().getResources().getLimits().get("memory"))
                .longValueExact();
        demand(
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
                demand(
                        DURABLE.contains(workload.component()) ? isDurable : isCache,
                        workload,
                        "its folder " + key + "=" + value + " is not in a "
                                + (DURABLE.contains(workload.component()) ? "persistent volume" : "emptyDir"));
            } else if (key.equals("tls") || key.endsWith("tls-dir") || key.equals("front-end.accounts")) {
                demand(
                        workload.mountOf(value)
                                .flatMap(mount -> workload.volume(mount.getName()))
                                .map(Volume::getSecret)
                                .isPresent(),
                        workload,
                        "its setting " + key + "=" + value + " is not in a Secret that is mounted");
            }
        });
    }

    private void distinctSelectors() {
        List<Map<String, String>> selectors = Workload.all(manifests).stream()
                .map(Workload::selector)
                .filter(selector -> !selector.isEmpty())
                .toList();
        demand(Set.copyOf(selectors).size() == selectors.size(), "workloads", "two have the same selector");
    }

    private void service(Service service) {
        String name = "Service " + service.getMetadata().getName();
        List<Workload> selected = Workload.serving(manifests).stream()
                .filter(workload -> workload.labels()
                        .entrySet()
                        .containsAll(service.getSpec().getSelector().entrySet()))
                .toList();
        demand(selected.size() == 1, name, "its selector selects " + selected);
        for (Workload workload : selected) {
            for (ServicePort port : service.getSpec().getPorts()) {
                Optional<Integer> target = port.getTargetPort() == null
                        ? Optional.empty()
                        : workload.port(port.getTargetPort().getStrVal());
                demand(
                        target.isPresent() && target.get().equals(port.getPort()),
                        name,
                        "its port " + port.getPort() + " must be that of " + workload + " with the same name");
            }
        }
    }

    private void statefulSet(StatefulSet set) {
        String name = "StatefulSet " + set.getMetadata().getName();
        demand("Parallel".equals(set.getSpec().getPodManagementPolicy()), name, "podManagementPolicy must be Parallel");
        var retention = set.getSpec().getPersistentVolumeClaimRetentionPolicy();
        demand(
                set.getSpec().getVolumeClaimTemplates().isEmpty()
                        || (retention != null
                                && "Retain".equals(retention.getWhenDeleted())
                                && "Retain".equals(retention.getWhenScaled())),
                name,
                "persistentVolumeClaimRetentionPolicy must retain its volumes");
        demand(
                manifests
                        .find(Service.class, set.getSpec().getServiceName())
                        .filter(service -> "None".equals(service.getSpec().getClusterIP())
                                && Boolean.TRUE.equals(service.getSpec().getPublishNotReadyAddresses()))
                        .isPresent(),
                name,
                "it needs a headless Service that publishes addresses of pods that are not ready");
    }

    private void ingress(Ingress ingress) {
        String name = "Ingress " + ingress.getMetadata().getName();
        ingress.getSpec().getRules().stream()
                .flatMap(rule -> rule.getHttp().getPaths().stream())
                .map(path -> path.getBackend().getService())
                .forEach(backend -> demand(
                        manifests
                                .find(Service.class, backend.getName())
                                .filter(service -> service.getSpec().getPorts().stream()
                                        .anyMatch(port -> port.getName()
                                                .equals(backend.getPort().getName())))
                                .isPresent(),
                        name,
                        "there is no such port of Service " + backend.getName()));
    }

    /** Nothing that is applied founds a cluster or restores one, and no Job overtakes its predecessor. */
    private void founding() {
        manifests
                .all(Job.class)
                .forEach(job -> demand(
                        false,
                        "Job " + job.getMetadata().getName(),
                        "what is applied again must not run again, and an applied Job cannot get a new image"));
        manifests
                .all(CronJob.class)
                .forEach(job -> demand(
                        Boolean.TRUE.equals(job.getSpec().getSuspend())
                                || !ASKED_FOR.contains(job.getMetadata().getName()),
                        "CronJob " + job.getMetadata().getName(),
                        "founding and restoring must be asked for, so it must be suspended"));
        manifests
                .all(CronJob.class)
                .forEach(job -> demand(
                        "Forbid".equals(job.getSpec().getConcurrencyPolicy()),
                        "CronJob " + job.getMetadata().getName(),
                        "concurrencyPolicy must be Forbid"));
        manifests.all(CronJob.class).stream()
                .filter(job -> !Boolean.TRUE.equals(job.getSpec().getSuspend()))
                .forEach(job -> demand(
                        job.getSpec().getJobTemplate().getSpec().getActiveDeadlineSeconds() != null,
                        "CronJob " + job.getMetadata().getName(),
                        "it needs activeDeadlineSeconds: with Forbid, a run that hangs prevents all later ones"));
    }
}
