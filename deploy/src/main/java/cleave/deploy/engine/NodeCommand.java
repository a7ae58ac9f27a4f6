package cleave.deploy.engine;

import cleave.deploy.role.GivenSettings;
import cleave.deploy.role.RoleProcess;
import io.prometheus.client.CollectorRegistry;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave engine zookeeper|bookie|autorecovery}. */
@Command(mixinStandardHelpOptions = true)
final class NodeCommand implements Callable<Integer> {
    private final BiFunction<EngineConfig, String, EngineNode.Part> maker;

    @Option(names = "--name", paramLabel = "NAME", required = true, description = "which one of its kind it is")
    private @Nullable String name;

    @Mixin
    private GivenSettings given = new GivenSettings();

    NodeCommand(BiFunction<EngineConfig, String, EngineNode.Part> maker) {
        this.maker = maker;
    }

    @Override
    public Integer call() {
        EngineConfig config = new EngineConfig(given.all());
        given.openLog();
        CollectorRegistry registry = new CollectorRegistry();
        return new RoleProcess(config.admin(), registry, RoleProcess.Announcer.NONE).run(() -> {
            EngineNode.Part part = maker.apply(config, String.valueOf(name));
            part.program().require();
            if (part instanceof ZooKeeperNode zookeeper) {
                new ZooKeeperMetrics(zookeeper.port()).register(registry);
            }
            return new EngineNode(part, config.rocksBytes());
        });
    }
}
