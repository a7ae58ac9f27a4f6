package cleave.chaos.bench.empty;

import cleave.chaos.bench.empty.EmptyChainCommand.Role;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import cleave.deploy.cluster.Jvm;
import cleave.deploy.cluster.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A process that receives requests as a front end does, verifies their signatures, and gives canned answers: no service with Shared Key over HTTP
 * costs less. Confined to its owner.
 */
public final class SignedEcho implements AutoCloseable {
    private final Ports ports;
    private final int port;
    private final ChildProcess process;

    private SignedEcho(Ports ports, int port, ChildProcess process) {
        this.ports = ports;
        this.port = port;
        this.process = process;
    }

    /**
     * Starts it and waits until it is ready.
     *
     * @param jvm finds this module's classes
     * @param like a service with the development account, whose answers are given
     */
    public static SignedEcho started(Jvm jvm, Path folder, Endpoint like, Patience patience) throws IOException {
        Ports ports = new Ports();
        int port = ports.free();
        Files.createDirectories(folder);
        ChildProcess process = EmptyChain.process(Role.ECHO, jvm, folder, port, ports.free(), "--like=" + like.url());
        SignedEcho echo = new SignedEcho(ports, port, process);
        boolean isReady = false;
        try {
            process.start();
            process.awaitReady(patience);
            isReady = true;
            return echo;
        } finally {
            if (!isReady) {
                echo.close();
            }
        }
    }

    public Endpoint endpoint() {
        return Endpoint.development(port);
    }

    public ChildProcess process() {
        return process;
    }

    @Override
    public void close() {
        process.endQuietly();
        ports.close();
    }
}
