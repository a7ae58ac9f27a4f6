package cleave.chaos.pods;

import cleave.chaos.command.RunOptions;
import cleave.deploy.CommandFailure;
import io.fabric8.kubernetes.api.model.Namespace;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cleave pods}: the manifests without Kubernetes, and events under load. */
@Command(
        name = "pods",
        mixinStandardHelpOptions = true,
        header = "runs the Kubernetes manifests without Kubernetes and has events happen to their pods under load",
        description = {
            "Renders a kustomization and runs the command of each pod in a network namespace of its own, with names, Services,"
                    + " volumes and probes. Founds the cluster, runs clients that never retry on it, has events happen, and"
                    + " prints for each how soon all pods were ready again, the longest stall of a client and how many requests"
                    + " failed. Exits with status 1 if one failed, or if an acknowledged write was not read back.",
            "",
            "It takes Linux, root and kubectl. What it makes outside of --dir is in namespaces that end with it."
        })
public final class PodsCommand implements Callable<Integer> {
    static final List<String> USUAL = List.of("leader", "server", "dfs", "front-ends", "follower-node");

    private static final List<String> EVENTS = List.of(
            "leader",
            "server",
            "dfs",
            "front-ends",
            "follower-node",
            "leader-node",
            "server-node",
            "masters",
            "servers",
            "scale");
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

    @Option(names = "--inside", hidden = true)
    private boolean isInside;

    @Parameters(
            paramLabel = "EVENT",
            description = "leader, server, dfs, front-ends, follower-node (these by default), leader-node, server-node,"
                    + " masters, servers, scale")
    private List<String> events = USUAL;

    @Override
    public Integer call() throws IOException, InterruptedException {
        return isInside ? runInside() : runOutside();
    }

    private int runOutside() throws IOException, InterruptedException {
        if (!EVENTS.containsAll(events)) {
            throw CommandFailure.usage("the events are " + String.join(", ", EVENTS) + ", not " + events);
        }
        if (!Files.isDirectory(rendered(source, overlay)) || !Files.isDirectory(source.resolve(IMAGE))) {
            throw CommandFailure.usage("there is no " + rendered(source, overlay) + " or no " + source.resolve(IMAGE)
                    + ": run it in Cleave's source tree, or name it with --source");
        }
        Optional<String> missing = Sandbox.missing();
        if (missing.isPresent()) {
            throw CommandFailure.failed(missing.get());
        }
        return Sandbox.run(arguments(run.folder(), source, overlay, events), Redirect.INHERIT);
    }

    private static Path rendered(Path source, @Nullable Path overlay) {
        return overlay == null ? source.resolve("chaos-tests/pods") : overlay;
    }

    /** Of the command inside. */
    static List<String> arguments(Path folder, Path source, @Nullable Path overlay, List<String> events) {
        List<String> arguments = new ArrayList<>(List.of(
                "pods",
                "--inside",
                "--dir",
                folder.toString(),
                "--source",
                source.toAbsolutePath().normalize().toString(),
                "--overlay",
                rendered(source, overlay).toAbsolutePath().normalize().toString()));
        arguments.addAll(events);
        return arguments;
    }

    private int runInside() throws IOException, InterruptedException {
        Sandbox.endWithStarter();
        Manifests manifests;
        try {
            manifests = Manifests.render(rendered(source, overlay));
        } catch (IOException refused) {
            throw CommandFailure.failed("the manifests cannot be rendered: " + refused.getMessage());
        }
        String namespace = manifests.all(Namespace.class).get(0).getMetadata().getName();
        try (PodCluster cluster = new PodCluster(manifests, namespace, run.folder(), source.resolve(IMAGE));
                PodTrial trial = new PodTrial(cluster, run::progress)) {
            Availability availability;
            try {
                availability = trial.run(events);
            } catch (RuntimeException failed) {
                run.progress(cluster.logTails());
                throw failed;
            }
            run.print(availability + "processes that were started again: " + cluster.restarts() + "\n");
            return availability.isRight() ? 0 : 1;
        }
    }
}
