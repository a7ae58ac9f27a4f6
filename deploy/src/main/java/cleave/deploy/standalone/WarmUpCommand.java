package cleave.deploy.standalone;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.cluster.RehearsedCluster;
import cleave.deploy.demo.Rehearsal;
import cleave.deploy.role.AdminServer;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Wait;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.hotspot.DefaultExports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** Does once what a start does, so that the launcher can archive the classes that it needs. Not for people. */
@Command(name = "warm-up", mixinStandardHelpOptions = true, hidden = true, header = "used by the launcher")
public final class WarmUpCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @Override
    public Integer call() throws IOException {
        Logs.onlyErrors();
        Path folder = Files.createTempDirectory("cleave-warm-up");
        CollectorRegistry registry = new CollectorRegistry();
        DefaultExports.register(registry);
        ListenAddress anywhere = new ListenAddress("127.0.0.1", 0);
        try (Standalone standalone = new Standalone(
                        new StandaloneConfig(folder.resolve("standalone"), anywhere, Map.of()), registry);
                AdminServer admin = AdminServer.start(anywhere, registry, standalone::readiness, List::of)) {
            standalone.start();
            if (!Wait.until(() -> standalone.readiness().ready(), PATIENCE, Duration.ofMillis(20))) {
                throw CommandFailure.failed(
                        "not ready: " + standalone.readiness().missing());
            }
            Rehearsal.run(standalone.account());
            RehearsedCluster.run(folder.resolve("cluster"));
            return admin.port() > 0 ? ExitCode.OK : ExitCode.FAILED;
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
