package cleave.deploy.engine;

import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/** Waits for {@code cleave engine format}. Stateless. */
final class Formatted {
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration FOREVER = Duration.ofDays(365);

    private Formatted() {}

    /**
     * Returns when ZooKeeper serves and has BookKeeper's metadata.
     *
     * @param missing gets the missing part, while there is one
     */
    static void await(EngineConfig config, ZooKeeperProbe zookeeper, Consumer<String> missing) {
        Wait.until(() -> isThere(config, zookeeper, missing), FOREVER, PAUSE);
        missing.accept("it is starting");
    }

    private static boolean isThere(EngineConfig config, ZooKeeperProbe zookeeper, Consumer<String> missing) {
        if (zookeeper.ephemerals().isEmpty()) {
            missing.accept("ZooKeeper does not answer "
                    + (config.tls() == null ? "in the clear" : "over TLS")
                    + ", or is blank: a new ensemble is prepared by 'cleave engine format', once");
            return false;
        }
        missing.accept(
                "ZooKeeper has no metadata of BookKeeper: 'cleave engine format' prepares it, once. If it was prepared"
                        + " before, its data is lost");
        try {
            return EngineProgram.hasLedgersRoot(config.text("metadataServiceUri"));
        } catch (IOException failed) {
            missing.accept("ZooKeeper cannot be read: " + failed.getMessage());
            return false;
        }
    }
}
