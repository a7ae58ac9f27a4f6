package cleave.deploy.engine;

import cleave.deploy.role.GivenSettings;
import cleave.deploy.role.RoleProcess;
import io.prometheus.client.CollectorRegistry;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave engine zookeeper|bookie|autorecovery}. */
@Command(mixinStandardHelpOptions = true)
final class NodeCommand implements Callable<Integer> {
    private final Maker maker;

    @Option(names = "--name", paramLabel = "NAME", required = true, description = "which one of its kind it is")
    private @Nullable String name;

    @Mixin
    private GivenSettings given = new GivenSettings();

    /** Makes a process of one kind. */
    interface Maker {
        EngineNode.Part make(EngineConfig config, EnginePeers peers, String name);
    }

    NodeCommand(Maker maker) {
        this.maker = maker;
    }

    @Override
    public Integer call() {
        EngineConfig config = new EngineConfig(given.all());
        given.openLog();
        CollectorRegistry registry = new CollectorRegistry();
        return new RoleProcess(config.admin(), registry, RoleProcess.Announcer.NONE).run(() -> {
            EngineNode.Part part = maker.make(config, EnginePeers.of(config), String.valueOf(name));
            part.program().require();
            if (part instanceof ZooKeeperNode zookeeper) {
                new ZooKeeperMetrics(zookeeper.itself()).register(registry);
            }
            new EngineMetrics(part.folders()).register(registry);
            return new EngineNode(part, config);
        });
    }
}
