package cleave.deploy.standalone;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.cluster.RehearsedCluster;
import cleave.deploy.demo.Rehearsal;
import cleave.deploy.role.AdminServer;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.TerminalCommand;
import cleave.deploy.terminal.Wait;
import cleave.runtime.files.FolderTree;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.hotspot.DefaultExports;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Does once what a start does, so that the launcher can archive the classes that it needs. Not for people.
 *
 * <p>A cluster's part may fail, or take too long, on a machine that is good enough for a standalone: the archive then has fewer classes.
 */
@Command(name = "warm-up", mixinStandardHelpOptions = true, hidden = true, header = "used by the launcher")
public final class WarmUpCommand extends TerminalCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration CLUSTER_PATIENCE = Duration.ofMinutes(2);

    private final Supplier<CommandLine> all;

    /** @param all describes all commands */
    public WarmUpCommand(Supplier<CommandLine> all) {
        this.all = all;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Logs.onlyErrors();
        Path folder = Files.createTempDirectory("cleave-warm-up");
        // The hook also runs if it is interrupted, and after roles that did not end.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteQuietly(folder)));
        all.get().usage(new PrintWriter(Writer.nullWriter()));
        standalone(folder.resolve("standalone"));
        cluster(folder.resolve("cluster"));
        return ExitCode.OK;
    }

    private static void standalone(Path folder) throws IOException {
        CollectorRegistry registry = new CollectorRegistry();
        DefaultExports.register(registry);
        ListenAddress anywhere = new ListenAddress("127.0.0.1", 0);
        try (Standalone standalone = new Standalone(new StandaloneConfig(folder, anywhere, Map.of()), registry);
                AdminServer admin = AdminServer.start(anywhere, registry, standalone::readiness, List::of)) {
            standalone.start();
            if (admin.port() == 0
                    || !Wait.until(() -> standalone.readiness().ready(), PATIENCE, Duration.ofMillis(20))) {
                throw CommandFailure.failed(
                        "not ready: " + standalone.readiness().missing());
            }
            Rehearsal.run(standalone.account());
        }
    }

    /** Runs it on another thread, since a role's start and end have no bound. */
    private void cluster(Path folder) throws InterruptedException {
        CompletableFuture<Void> done = CompletableFuture.runAsync(() -> RehearsedCluster.run(folder), task -> {
            Thread rehearsal = new Thread(task, "rehearsal");
            rehearsal.setDaemon(true);
            rehearsal.start();
        });
        try {
            done.get(CLUSTER_PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            err().println("a cluster could not be rehearsed: " + failed.getCause());
        } catch (TimeoutException late) {
            err().println("a cluster could not be rehearsed within " + CLUSTER_PATIENCE.toSeconds() + " s");
        }
    }

    private static void deleteQuietly(Path folder) {
        try {
            FolderTree.deleteIfExists(folder);
        } catch (IOException | RuntimeException inUse) {
            // The rest is a temporary file like any other.
        }
    }
}
