package cleave.chaos.process;

import cleave.client.Endpoint;
import cleave.deploy.cluster.Ports;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The all-in-one process. Confined to its owner. */
public final class Standalone implements AutoCloseable {
    private final ChildProcess process;
    private final Endpoint endpoint;
    private final Ports ports;

    private Standalone(ChildProcess process, Endpoint endpoint, Ports ports) {
        this.process = process;
        this.endpoint = endpoint;
        this.ports = ports;
    }

    /** Starts nothing yet. */
    public static Standalone planned(Path folder, List<String> jvmOptions, Map<String, String> settings) {
        Ports ports = new Ports();
        int port = ports.free();
        AdminPort admin = new AdminPort(ports.free());
        List<String> arguments = new ArrayList<>(List.of(
                "standalone",
                "--port",
                Integer.toString(port),
                "--data",
                folder.resolve("data").toString(),
                "--admin-port",
                Integer.toString(admin.port())));
        settings.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
        return new Standalone(
                new ChildProcess(folder, ClassArchive.jvm(jvmOptions), arguments, admin),
                Endpoint.development(port),
                ports);
    }

    /** Starts it and waits until it is ready. */
    public static Standalone started(Path folder, List<String> jvmOptions, Patience patience) {
        Standalone standalone = planned(folder, jvmOptions, Map.of());
        standalone.start(patience);
        return standalone;
    }

    public void start(Patience patience) {
        process.start();
        try {
            process.awaitReady(patience);
        } catch (RuntimeException failed) {
            String tail = process.logTail();
            close();
            throw new IllegalStateException(tail, failed);
        }
    }

    public ChildProcess process() {
        return process;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public void close() {
        process.endQuietly();
        ports.close();
    }
}
