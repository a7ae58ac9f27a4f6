package cleave.chaos.system;

import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.client.Endpoint;
import java.util.List;
import java.util.Map;

/** The all-in-one process. */
public final class StandaloneSystem extends SharedSystem<StandaloneSystem.Running> {
    private static final List<String> JVM = List.of("-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    public StandaloneSystem() {
        super(Running.class, Map.of(Endpoint.class, running -> running.standalone.endpoint()));
    }

    static final class Running implements AutoCloseable {
        private final Standalone standalone =
                Standalone.planned(Folders.fresh("standalone"), JVM, Map.of("front-end.table-memory", "1s"));

        Running() {
            standalone.start(Patience.ofSeconds(60));
        }

        @Override
        public void close() {
            standalone.close();
        }
    }
}
