package cleave.chaos.lab;

import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.client.Endpoint;
import cleave.deploy.access.Deployment;
import cleave.deploy.admin.AdminClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** An all-in-one process with the settings that some labs need. Confined to its owner. */
final class SpecialStandalone implements AutoCloseable {
    private final Standalone standalone;
    private final AdminClient admin;

    private SpecialStandalone(Standalone standalone, AdminClient admin) {
        this.standalone = standalone;
        this.admin = admin;
    }

    /** Starts the one that a lab with these needs runs on, and waits until it is ready. */
    static SpecialStandalone started(Needs needs, Path folder, List<String> jvmOptions, Patience patience) {
        Standalone standalone = Standalone.planned(folder, jvmOptions, settings(needs, folder));
        standalone.start(patience);
        Deployment deployment = Deployment.load(folder.resolve("data"));
        return new SpecialStandalone(standalone, AdminClient.of(deployment.masters(), deployment.tls()));
    }

    private static Map<String, String> settings(Needs needs, Path folder) {
        String limit = Integer.toString(LabSystem.PARTITION_ENTITIES_PER_SECOND);
        return switch (needs) {
            case THROTTLED -> Map.of("throttle.partition-entities-per-second", limit);
            case TWO_ACCOUNTS -> Map.of("front-end.accounts", accounts(folder).toString());
            default -> Map.of();
        };
    }

    /** A file with the account of all labs, and its neighbour. */
    private static Path accounts(Path folder) {
        try {
            return Files.write(
                    Files.createDirectories(folder).resolve("accounts"),
                    List.of(
                            Endpoint.DEVELOPMENT_ACCOUNT + "=" + Endpoint.DEVELOPMENT_KEY,
                            LabSystem.NEIGHBOUR.account() + "=" + LabSystem.NEIGHBOUR.key()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
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
