package cleave.chaos.pods;

import cleave.chaos.command.RunFolder;
import cleave.chaos.command.RunOptions;
import cleave.chaos.fault.Report;
import cleave.chaos.fault.ReportText;
import cleave.deploy.CommandFailure;
import cleave.deploy.kubernetes.Manifests;
import io.fabric8.kubernetes.api.model.Namespace;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cleave trial pods}: runs the manifests without Kubernetes or on a real cluster, with events under load. */
@Command(
        name = "pods",
        mixinStandardHelpOptions = true,
        header =
                "runs the Kubernetes manifests, without Kubernetes or on a cluster, and deletes, replaces or rolls their pods under load",
        description = {
            "Renders a kustomization and runs the command of each pod in a network namespace of its own, with names, Services,"
                    + " volumes and probes. Founds the cluster, runs clients that never retry on it, causes the events, and"
                    + " prints for each how soon all pods were ready again, the longest stall of a client and how many requests"
                    + " failed. Exits with status 1 if one failed, or if an acknowledged write was not read back.",
            "",
            "It requires Linux, root and kubectl. What it creates outside of --dir is in namespaces that end with it.",
            "",
            "With --kube-bin, or where the variable KUBE_BIN is set, it does the same on the Kubernetes cluster of kubectl's"
                    + " current context, as kubectl's user: applies the kustomization, whose namespace must not exist, founds the"
                    + " cluster by its CronJob, and leaves the namespace. That requires Linux, a machine that reaches the address of the"
                    + " Service cleave, such as a node, and an image that the nodes have. The events that end in -node are refused:"
                    + " kubectl cannot take a node's network away."
        })
public final class PodsCommand implements Callable<Integer> {
    static final List<String> USUAL = List.of("leader", "server", "dfs", "front-ends", "follower-node");

    private static final String IMAGE = "deploy/image";

    @Mixin
    private final RunOptions run = new RunOptions();

    @Option(names = "--source", paramLabel = "DIR", description = "Cleave's source tree (default: the current folder)")
    private Path source = Path.of("");

    @Option(
            names = "--overlay",
            paramLabel = "DIR",
            description = "the kustomization (default: chaos-tests/pods of the source tree)")
    private @Nullable Path overlay;

    @Option(
            names = "--kube-bin",
            paramLabel = "DIR",
            defaultValue = "${env:KUBE_BIN}",
            description =
                    "the folder of the kubectl of a real cluster (default: KUBE_BIN; if that is not set either, no cluster is used)")
    private @Nullable Path kubeBin;

    @Option(
            names = "--service",
            paramLabel = "HOST",
            description =
                    "with --kube-bin: where the ports of the Service cleave are reached from here (default: the address of its"
                            + " load balancer, or its cluster IP)")
    private @Nullable String service;

    @Option(names = "--inside", hidden = true)
    private boolean isInside;

    /** The hosts file of this JVM, which it writes itself. */
    @Option(names = "--hosts", hidden = true)
    private @Nullable Path hosts;

    @Parameters(
            paramLabel = "EVENT",
            description =
                    "leader, server, dfs, front-ends, follower-node (these by default, the last one not with --kube-bin),"
                            + " leader-node, server-node, masters, servers, scale, upgrade (all roles, one after the other),"
                            + " all-at-once; where the files are on BookKeeper also bookie-disk,"
                            + " bookies, zookeeper, zookeeper-disk; -disk: with its volumes")
    private List<String> events = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (isInside) {
            return hosts == null ? runInside() : runConnected(Objects.requireNonNull(kubeBin), hosts);
        }
        if (!PodTrial.events().containsAll(events)) {
            throw CommandFailure.usage("the events are " + String.join(", ", PodTrial.events()) + ", not " + events);
        }
        boolean isReal = kubeBin != null && !kubeBin.toString().isEmpty();
        List<String> chosen = new ArrayList<>(events.isEmpty() ? USUAL : events);
        if (isReal && events.isEmpty()) {
            chosen.removeIf(PodTrial::takesNetwork);
        }
        List<String> more = isReal ? real(Objects.requireNonNull(kubeBin), chosen) : alone();
        try (RunFolder folder = run.folder()) {
            List<String> arguments = new ArrayList<>(arguments(folder.path(), source, overlay, chosen));
            arguments.addAll(more);
            int status;
            if (isReal) {
                Path names = folder.path().resolve("hosts");
                arguments.addAll(List.of("--hosts", names.toString()));
                status = Sandbox.runOutside(names, arguments);
            } else {
                status = Sandbox.run(arguments, Redirect.INHERIT);
            }
            if (status == 0) {
                folder.succeeded();
            }
            return status;
        }
    }

    /** Refuses what cannot be run without Kubernetes; the further arguments of the command inside. */
    private List<String> alone() {
        if (service != null) {
            throw CommandFailure.usage("--service belongs to --kube-bin");
        }
        if (!Files.isDirectory(rendered(source, overlay)) || !Files.isDirectory(source.resolve(IMAGE))) {
            throw CommandFailure.usage("there is no " + rendered(source, overlay) + " or no " + source.resolve(IMAGE)
                    + ": run it in Cleave's source tree, or name it with --source");
        }
        Sandbox.missing().ifPresent(missing -> {
            throw CommandFailure.failed(missing);
        });
        return List.of();
    }

    /** The same with Kubernetes. */
    private List<String> real(Path folderOfKubectl, List<String> chosen) {
        if (chosen.stream().anyMatch(PodTrial::takesNetwork)) {
            throw CommandFailure.usage(
                    "the events that end in -node take a node's network away, which kubectl cannot do:"
                            + " choose others, or run them without Kubernetes (without --kube-bin and KUBE_BIN)");
        }
        Path kubectl = Kubectl.in(folderOfKubectl);
        if (!Files.isDirectory(rendered(source, overlay))) {
            throw CommandFailure.usage(
                    "there is no " + rendered(source, overlay) + ": name the kustomization with --overlay");
        }
        List<String> more = new ArrayList<>(List.of("--kube-bin", String.valueOf(kubectl.getParent())));
        if (service != null) {
            more.addAll(List.of("--service", addressOf(service)));
        }
        return more;
    }

    private static String addressOf(String host) {
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException unknown) {
            throw CommandFailure.usage("--service is '" + host + "', which is neither an address nor a known name");
        }
    }

    private static Path rendered(Path source, @Nullable Path overlay) {
        return (overlay == null ? source.resolve("chaos-tests/pods") : overlay)
                .toAbsolutePath()
                .normalize();
    }

    /** The arguments of the command inside. */
    static List<String> arguments(Path folder, Path source, @Nullable Path overlay, List<String> events) {
        List<String> arguments = new ArrayList<>(List.of(
                "trial",
                "pods",
                "--inside",
                "--dir",
                folder.toString(),
                "--source",
                source.toAbsolutePath().normalize().toString(),
                "--overlay",
                rendered(source, overlay).toString()));
        arguments.addAll(events);
        return arguments;
    }

    private int runInside() throws IOException, InterruptedException {
        Sandbox.endWithStarter();
        Manifests manifests = manifests();
        String namespace = manifests.all(Namespace.class).get(0).getMetadata().getName();
        try (Kubernetes cluster = started(manifests, namespace)) {
            return tried(cluster);
        }
    }

    private Kubernetes started(Manifests manifests, String namespace) throws IOException, InterruptedException {
        try {
            return new PodCluster(manifests, namespace, run.folder().path(), source.resolve(IMAGE));
        } catch (IllegalArgumentException lacking) { // Such as a Secret that a pod refers to.
            throw CommandFailure.failed(String.valueOf(lacking.getMessage()));
        }
    }

    private Manifests manifests() throws InterruptedException {
        try {
            return Manifests.parse(
                    Shell.run("kubectl", "kustomize", rendered(source, overlay).toString()));
        } catch (IOException refused) {
            throw CommandFailure.failed("the manifests cannot be rendered: " + refused.getMessage());
        }
    }

    private int runConnected(Path folderOfKubectl, Path names) throws IOException, InterruptedException {
        Sandbox.endWithStarter();
        try (KubectlCluster cluster = KubectlCluster.of(
                Kubectl.in(folderOfKubectl),
                rendered(source, overlay),
                run.folder().path(),
                names,
                service)) {
            run.progress("on " + cluster);
            int status;
            try {
                status = tried(cluster);
            } finally {
                run.progress("what was made stays until " + cluster.removal());
            }
            return status;
        } catch (IOException refused) {
            throw CommandFailure.failed(String.valueOf(refused.getMessage()));
        }
    }

    private int tried(Kubernetes cluster) throws IOException, InterruptedException {
        try (PodTrial trial = new PodTrial(cluster, run::progress)) {
            List<Report> reports;
            try {
                reports = List.of(trial.run(events));
            } catch (RuntimeException | IOException failed) {
                run.progress(cluster.logTails());
                throw failed;
            }
            run.print(trial.timeline() + ReportText.of(reports) + "processes that were started again: "
                    + cluster.restarts() + "\n");
            return reports.get(0).isRight() ? 0 : 1;
        }
    }
}
