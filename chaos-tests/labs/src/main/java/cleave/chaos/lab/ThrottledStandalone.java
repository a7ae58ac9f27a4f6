package cleave.chaos.lab;

import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.deploy.access.Deployment;
import cleave.deploy.admin.AdminClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** An all-in-one process that limits what its partitions deliver. Confined to its owner. */
final class ThrottledStandalone implements AutoCloseable {
    private final Standalone standalone;
    private final AdminClient admin;

    private ThrottledStandalone(Standalone standalone, AdminClient admin) {
        this.standalone = standalone;
        this.admin = admin;
    }

    /** Starts it and waits until it is ready. */
    static ThrottledStandalone started(Path folder, List<String> jvmOptions, Patience patience) {
        Map<String, String> settings = Map.of(
                "throttle.partition-entities-per-second", Integer.toString(LabSystem.PARTITION_ENTITIES_PER_SECOND));
        Standalone standalone = Standalone.planned(folder, jvmOptions, settings);
        standalone.start(patience);
        Deployment deployment = Deployment.load(folder.resolve("data"));
        return new ThrottledStandalone(standalone, AdminClient.of(deployment.masters(), deployment.tls()));
    }

    LabSystem system() {
        return LabSystem.of(standalone.endpoint(), admin);
    }

    @Override
    public void close() {
        try {
            admin.close();
        } finally {
            standalone.close();
        }
    }
}
