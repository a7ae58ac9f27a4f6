package cleave.chaos.pods;

import cleave.chaos.process.Patience;
import cleave.deploy.kubernetes.Manifests;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that {@code kubectl apply} of the manifests creates, with this machine as the only node. Runs in a {@link
 * Sandbox}. Confined to its owner.
 *
 * <p>NetworkPolicies, resources, disruption budgets and the spread over hosts are not implemented.
 */
final class PodCluster implements Kubernetes {
    private final Manifests manifests;
    private final String namespace;
    private final Path folder;
    private final Network network;
    private final Image image;
    private final Map<String, PodSet> sets = new TreeMap<>();
    private final List<Pod> jobs = new ArrayList<>();
    private final Services services;
    private final Names names;
    private int made;

    /**
     * Prepares the node without starting pods. From now on this process, too, resolves names like pods.
     *
     * @param folder of volumes and logs
     * @param image the folder {@code deploy/image}
     */
    PodCluster(Manifests manifests, String namespace, Path folder, Path image) throws IOException {
        this.folder = Files.createDirectories(folder);
        this.manifests = Certificates.issue(manifests, folder.resolve("certificates"));
        this.namespace = namespace;
        this.network = Network.make();
        String domains = namespace + "." + Services.DOMAIN + " " + Services.DOMAIN + " cluster.local";
        String resolver = "nameserver " + Network.NAMES + "\nsearch " + domains + "\noptions ndots:5\n";
        Path own = Files.writeString(folder.resolve("resolv.conf"), resolver);
        Shell.run("mount", "--bind", own.toString(), "/etc/resolv.conf");
        this.image = Image.make(folder.resolve("image"), image, resolver);
        this.services = Services.start(this.manifests, namespace, network, this::pods);
        this.names = Names.serve(Network.NAMES, services::lookup);
        Path claims = folder.resolve("claims");
        manifests.all(StatefulSet.class).forEach(set -> add(PodSet.of(set, claims, this::pod)));
        manifests.all(Deployment.class).forEach(deployment -> add(PodSet.of(deployment, claims, this::pod)));
    }

    private void add(PodSet set) {
        sets.put(set.name(), set);
    }

    /** All pods that have not ended. */
    List<Pod> pods() {
        return sets.values().stream().flatMap(set -> set.pods().stream()).toList();
    }

    /** Called by the threads of {@link #rollTogether}, too. */
    private synchronized Pod pod(String name, PodTemplateSpec template, Map<String, Path> claims) throws IOException {
        Path own = Files.createDirectories(folder.resolve("pods").resolve(name + "." + made++));
        Network.Link link = network.attach();
        PodPlan plan = PodPlan.of(manifests, namespace, name, template, own, claims, link.address());
        Pod pod = new Pod(plan, image, link, own, () -> detach(link));
        pod.start();
        return pod;
    }

    private synchronized void detach(Network.Link link) {
        try {
            network.detach(link);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void apply() throws IOException, InterruptedException {
        for (PodSet set : sets.values()) {
            set.scale(set.replicas());
        }
    }

    @Override
    public Manifests manifests() {
        return manifests;
    }

    /** Repeats it as often as the job permits. */
    @Override
    public void runJob(String cronJob) throws IOException, InterruptedException {
        var spec =
                manifests.get(CronJob.class, cronJob).getSpec().getJobTemplate().getSpec();
        for (int attempt = 0; attempt <= spec.getBackoffLimit(); attempt++) {
            Pod pod = pod(cronJob, spec.getTemplate(), Map.of());
            jobs.add(pod);
            pod.awaitEnd();
            if (pod.status() == 0) {
                return;
            }
        }
        throw new IllegalStateException("the job " + cronJob + " failed; " + tail(jobs.get(jobs.size() - 1)));
    }

    private PodSet set(String name) {
        PodSet set = sets.get(name);
        if (set == null) {
            throw new IllegalArgumentException("there is no workload " + name + ", only " + sets.keySet());
        }
        return set;
    }

    @Override
    public @Nullable Path certificates(String secret) throws IOException {
        return manifests.all(Secret.class).stream()
                        .noneMatch(each -> each.getMetadata().getName().equals(secret))
                ? null
                : manifests.writeSecret(secret, folder);
    }

    @Override
    public void awaitReady(Patience patience) {
        for (PodSet set : sets.values()) {
            patience.until(set.name() + " is ready", set::isReady);
        }
    }

    @Override
    public List<String> pods(String workload) {
        return set(workload).kept().stream().map(Pod::name).toList();
    }

    @Override
    public void replace(String workload, String pod, Loss loss) throws IOException, InterruptedException {
        set(workload).replace(set(workload).kept(pod), loss, network);
    }

    @Override
    public void roll(String workload, Patience patience) throws IOException, InterruptedException {
        set(workload).roll(patience);
    }

    /** Each set is confined to a thread of its own meanwhile. */
    @Override
    public void rollTogether(List<String> workloads, Patience patience) throws InterruptedException {
        List<Thread> rolling = new ArrayList<>();
        Queue<Exception> failures = new ConcurrentLinkedQueue<>();
        for (String workload : workloads) {
            PodSet set = set(workload);
            Thread thread = new Thread(
                    () -> {
                        try {
                            set.roll(patience);
                        } catch (IOException | InterruptedException | RuntimeException failed) {
                            failures.add(failed);
                        }
                    },
                    "roll-" + workload);
            thread.start();
            rolling.add(thread);
        }
        for (Thread thread : rolling) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException("pods could not be replaced", failures.peek());
        }
    }

    /** Waits until terminating pods have ended. */
    @Override
    public void scale(String workload, int replicas) throws IOException, InterruptedException {
        set(workload).scale(replicas);
    }

    /** Nothing to do: this process is in their network. */
    @Override
    public void connect(String workload, int port) {}

    @Override
    public Map<String, Pod.Start> starts() {
        Map<String, Pod.Start> starts = new TreeMap<>();
        for (Pod pod : pods()) {
            Pod.Start start = pod.started();
            if (start != null) {
                starts.put(pod.name(), start);
            }
        }
        return starts;
    }

    @Override
    public int restarts() {
        return pods().stream().mapToInt(pod -> Math.max(0, pod.starts() - 1)).sum();
    }

    @Override
    public String logTails() {
        return pods().stream().map(PodCluster::tail).collect(Collectors.joining("\n"));
    }

    private static String tail(Pod pod) {
        try {
            List<String> lines = Files.exists(pod.log()) ? Files.readAllLines(pod.log()) : List.of();
            return "---- " + pod.name() + " " + pod.link().address() + " " + pod.log() + "\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
        } catch (IOException unreadable) {
            return pod.log() + " cannot be read: " + unreadable;
        }
    }

    @Override
    public void close() throws IOException {
        pods().forEach(Pod::kill);
        jobs.forEach(Pod::kill);
        names.close();
        services.close();
    }
}
