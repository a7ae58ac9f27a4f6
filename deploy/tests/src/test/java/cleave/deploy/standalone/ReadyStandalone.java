package cleave.deploy.standalone;

import cleave.deploy.role.ListenAddress;
import cleave.runtime.loop.Await;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import java.util.Map;

/** All roles in this process, for tests, on a folder of theirs and any port. */
final class ReadyStandalone {
    static final ListenAddress ANYWHERE = new ListenAddress("127.0.0.1", 0);

    private ReadyStandalone() {}

    /** Starts it and waits until it is ready. */
    static Standalone start(Path dir, Map<String, String> settings, CollectorRegistry registry) {
        Standalone standalone = new Standalone(new StandaloneConfig(dir, ANYWHERE, settings), registry);
        standalone.start();
        Await.until(
                () -> "ready: " + standalone.readiness().missing(),
                () -> standalone.readiness().ready());
        return standalone;
    }

    /** Zero if there is no such sample yet. */
    static double sample(CollectorRegistry registry, String name) {
        Double value = registry.getSampleValue(name);
        return value == null ? 0 : value;
    }
}
