package cleave.deploy.role;

import cleave.master.PartitionMaster;
import cleave.master.metrics.MasterMetrics;
import cleave.master.settings.MasterConfig;
import cleave.model.Readiness;
import cleave.settings.Settings;
import io.prometheus.client.CollectorRegistry;
import java.util.function.Function;

/** A partition master in this process. Thread-safe. */
public final class RunningMaster implements RunningRole {
    private final MasterConfig config;
    private final PartitionMaster master;

    private RunningMaster(MasterConfig config, CollectorRegistry registry) {
        this.config = config;
        master = new PartitionMaster(config, new MasterMetrics(registry));
    }

    /** Reads the settings now; the master is made later. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings) {
        MasterConfig config = MasterConfig.from(settings);
        return registry -> new RunningMaster(config, registry);
    }

    @Override
    public String name() {
        return "master " + config.id();
    }

    @Override
    public void start() {
        master.start();
    }

    @Override
    public Readiness readiness() {
        return master.readiness();
    }

    @Override
    public String address() {
        return master.address();
    }

    @Override
    public void close() {
        master.close();
    }
}
