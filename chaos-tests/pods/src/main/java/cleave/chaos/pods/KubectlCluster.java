package cleave.chaos.pods;

import static java.util.stream.Collectors.joining;

import cleave.chaos.process.Patience;
import cleave.deploy.kubernetes.Manifests;
import cleave.deploy.terminal.Wait;
import io.fabric8.kubernetes.api.model.LoadBalancerIngress;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A real cluster, through {@code kubectl}. Confined to its owner.
 *
 * <p>Masters are reached through {@code kubectl port-forward}, each at its own loopback address. NetworkPolicies and
 * changing addresses do not affect it, and the names, which TLS checks, remain valid. Clients use the address of the
 * Service itself, because a port-forward would bind them to one front end. This JVM resolves both by a hosts file.
 */
final class KubectlCluster implements Kubernetes {
    private static final String SERVICE = "cleave";

    private static final String TIMEOUT = "--timeout=300s";
    private static final Duration POLL = Duration.ofMillis(500);
    private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final String LOOPBACK = "127.10.100.";
    private static final String[] LOGS = {
        "logs", "--selector=app.kubernetes.io/name=cleave", "--prefix", "--tail=30", "--max-log-requests=100"
    };

    private final Kubectl kubectl;
    private final Path overlay;
    private final Manifests manifests;
    private final Path hosts;
    private final @Nullable String service;
    /** Addresses by the names that this JVM resolves. */
    private final Map<String, String> names = new TreeMap<>();
    /** By pod. */
    private final Map<String, Process> forwards = new TreeMap<>();

    private long connectedAt;

    private KubectlCluster(Kubectl kubectl, Path overlay, Manifests manifests, Path hosts, @Nullable String service) {
        this.kubectl = kubectl;
        this.overlay = overlay;
        this.manifests = manifests;
        this.hosts = hosts;
        this.service = service;
    }

    /**
     * Creates nothing yet. IOException if the cluster does not answer or already has the namespace.
     *
     * @param hosts the hosts file of this JVM
     * @param service the address of the Service; null: the one that the Service reports
     */
    static KubectlCluster of(Path binary, Path overlay, Path folder, Path hosts, @Nullable String service)
            throws IOException {
        Kubectl anywhere = new Kubectl(binary, List.of(), folder);
        Manifests manifests = Manifests.parse(anywhere.run("kustomize", overlay.toString()));
        String namespace = manifests.all(Namespace.class).stream()
                .findFirst()
                .orElseThrow(() -> new IOException(overlay + " has no Namespace"))
                .getMetadata()
                .getName();
        String context = anywhere.run("config", "current-context").trim();
        // Even if the current context changes meanwhile.
        Kubectl kubectl = new Kubectl(binary, List.of("--context=" + context, "--namespace=" + namespace), folder);
        if (!kubectl.get("namespace", namespace).objects().isEmpty()) {
            throw new IOException("the cluster of kubectl's context " + context + " has a namespace " + namespace
                    + " already, and this command starts from nothing, writes data and deletes pods: choose another context"
                    + " (kubectl config use-context), or an --overlay with another namespace, or, if nothing in it is needed,"
                    + " delete it (kubectl delete namespace " + namespace + ")");
        }
        return new KubectlCluster(kubectl, overlay, manifests, hosts, service);
    }

    @Override
    public void apply() throws IOException {
        kubectl.ask("apply", "-k", overlay.toString());
        names.put(SERVICE, service == null ? serviceAddress() : service);
        publishNames();
    }

    private String serviceAddress() throws IOException {
        Service found = kubectl.get("service", SERVICE).get(Service.class, SERVICE);
        return found.getStatus().getLoadBalancer().getIngress().stream()
                .map(LoadBalancerIngress::getIp)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(found.getSpec().getClusterIP());
    }

    /** The file may be read at the same time. */
    private void publishNames() throws IOException {
        String lines = names.entrySet().stream()
                .map(name -> name.getValue() + " " + name.getKey() + "\n")
                .collect(joining());
        Path written = Files.writeString(hosts.resolveSibling("hosts.new"), "127.0.0.1 localhost\n" + lines);
        Files.move(written, hosts, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public Manifests manifests() {
        return manifests;
    }

    @Override
    public void runJob(String cronJob) throws IOException {
        kubectl.ask("create", "job", "--from=cronjob/" + cronJob, cronJob);
        kubectl.run("wait", "--for=condition=complete", "job/" + cronJob, TIMEOUT);
    }

    private ClusterStatus status() throws IOException {
        return ClusterStatus.of(kubectl.get("statefulsets,deployments,pods"));
    }

    @Override
    public void awaitReady(Patience patience) {
        AtomicReference<String> last = new AtomicReference<>("");
        if (!Wait.until(() -> isReady(last), patience.limit(), POLL)) {
            throw new IllegalStateException(
                    "waited " + patience.limit().toSeconds() + " s until all pods are Ready: " + last);
        }
        disconnect(); // A port-forward to a replaced pod may stay open and lead nowhere.
    }

    private boolean isReady(AtomicReference<String> last) {
        try {
            List<String> shortfalls = status().shortfalls();
            last.set(String.join("; ", shortfalls));
            return shortfalls.isEmpty();
        } catch (IOException notNow) {
            last.set(String.valueOf(notNow.getMessage()));
            return false;
        }
    }

    @Override
    public List<String> pods(String workload) throws IOException {
        return status().workload(workload).names();
    }

    @Override
    public void replace(String workload, String pod, Loss loss) throws IOException {
        switch (loss) {
            case NOTHING -> {}
            case VOLUMES -> {
                for (PersistentVolumeClaim claim :
                        manifests.get(StatefulSet.class, workload).getSpec().getVolumeClaimTemplates()) {
                    kubectl.ask("delete", "pvc", claim.getMetadata().getName() + "-" + pod, "--wait=false");
                }
            }
            case NETWORK ->
                throw new UnsupportedOperationException("kubectl cannot take the network from the node of " + pod);
        }
        kubectl.ask("delete", "pod", pod, "--wait=false");
    }

    @Override
    public void roll(String workload, Patience patience) throws IOException {
        rollTogether(List.of(workload), patience);
    }

    @Override
    public void rollTogether(List<String> workloads, Patience patience) throws IOException {
        for (String workload : workloads) {
            kubectl.ask("rollout", "restart", resource(workload));
        }
        for (String workload : workloads) {
            kubectl.run(
                    "rollout",
                    "status",
                    resource(workload),
                    "--timeout=" + patience.limit().toSeconds() + "s");
        }
    }

    @Override
    public void scale(String workload, int replicas) throws IOException {
        kubectl.ask("scale", resource(workload), "--replicas=" + replicas);
    }

    private String resource(String workload) {
        boolean isDeployment = manifests.all(Deployment.class).stream()
                .anyMatch(each -> each.getMetadata().getName().equals(workload));
        return (isDeployment ? "deployment/" : "statefulset/") + workload;
    }

    @Override
    public @Nullable Path certificates(String secret) throws IOException {
        Manifests found = kubectl.get("secret", secret);
        return found.objects().isEmpty() ? null : found.writeSecret(secret, kubectl.folder());
    }

    /** An IOException with the output of a port-forward that ended; the next one takes a while to start. */
    @Override
    public void connect(String workload, int port) throws IOException {
        boolean hasEnded = !forwards.values().stream().allMatch(Process::isAlive);
        if (!forwards.isEmpty() && !hasEnded) {
            return;
        }
        String said = whatTheySaid();
        if (!hasEnded || System.nanoTime() - connectedAt > RECONNECT_NANOS) {
            disconnect();
            connectedAt = System.nanoTime();
            for (String pod : pods(workload)) {
                forward(pod, workload, port);
            }
            publishNames();
        }
        if (hasEnded) {
            throw new IOException("kubectl port-forward ended: " + said);
        }
    }

    private void forward(String pod, String workload, int port) throws IOException {
        String address = LOOPBACK + (1 + forwards.size());
        names.put(pod + "." + workload, address);
        Process forward =
                kubectl.start(printedBy(pod), "port-forward", "--address=" + address, "pod/" + pod, port + ":" + port);
        forwards.put(pod, forward);
    }

    private Path printedBy(String pod) {
        return kubectl.folder().resolve("port-forward-" + pod);
    }

    private String whatTheySaid() throws IOException {
        StringBuilder said = new StringBuilder();
        for (Map.Entry<String, Process> forward : forwards.entrySet()) {
            if (!forward.getValue().isAlive()) {
                said.append(Files.readString(printedBy(forward.getKey())).trim());
            }
        }
        return said.toString();
    }

    private void disconnect() {
        forwards.values().forEach(Process::destroy);
        forwards.values().forEach(forward -> forward.onExit().join());
        forwards.clear();
    }

    @Override
    public int restarts() throws IOException {
        return status().restarts();
    }

    @Override
    public String logTails() {
        try {
            return kubectl.ask("get", "pods", "-o", "wide") + kubectl.ask(LOGS);
        } catch (IOException unreadable) {
            return "the logs cannot be read: " + unreadable.getMessage();
        }
    }

    @Override
    public void close() {
        disconnect();
    }

    /** The command that deletes everything. */
    String removal() {
        return "kubectl " + String.join(" ", kubectl.target()) + " delete -k " + overlay;
    }

    @Override
    public String toString() {
        return "the cluster of " + String.join(" ", kubectl.target());
    }
}
