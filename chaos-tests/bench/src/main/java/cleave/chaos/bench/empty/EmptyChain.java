package cleave.chaos.bench.empty;

import cleave.chaos.bench.empty.EmptyChainCommand.Role;
import cleave.chaos.process.AdminPort;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import cleave.deploy.cluster.Jvm;
import cleave.deploy.cluster.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The three processes, of which each knows the next. Confined to its owner. */
public final class EmptyChain implements AutoCloseable {
    private final Ports ports = new Ports();
    private final Jvm jvm;
    private final Path folder;
    private final List<ChildProcess> started = new ArrayList<>();
    private final int port;

    private EmptyChain(Jvm jvm, Path folder) {
        this.jvm = jvm;
        this.folder = folder;
        this.port = ports.free();
    }

    /**
     * Starts them, the last one first, and waits until they are ready.
     *
     * @param jvm finds this module's classes
     * @param like a service with the development account, whose answers are given
     */
    public static EmptyChain started(Jvm jvm, Path folder, Endpoint like, Patience patience) throws IOException {
        EmptyChain chain = new EmptyChain(jvm, Files.createDirectories(folder));
        boolean isReady = false;
        try {
            int dfs = chain.ports.free();
            chain.start(
                    Role.DFS,
                    dfs,
                    patience,
                    "--file=" + folder.resolve("journal").toAbsolutePath());
            int server = chain.ports.free();
            chain.start(Role.SERVER, server, patience, "--next=127.0.0.1:" + dfs);
            chain.start(Role.FRONT_END, chain.port, patience, "--next=127.0.0.1:" + server, "--like=" + like.url());
            isReady = true;
            return chain;
        } finally {
            if (!isReady) {
                chain.close();
            }
        }
    }

    private void start(Role role, int listen, Patience patience, String... options) {
        ChildProcess process = process(role, jvm, folder, listen, ports.free(), options);
        started.add(0, process);
        process.start();
        process.awaitReady(patience);
    }

    /** One that was not started yet. */
    static ChildProcess process(Role role, Jvm jvm, Path folder, int listen, int adminPort, String... options) {
        List<String> arguments =
                new ArrayList<>(List.of("empty-chain", role.name(), "--port=" + listen, "--admin-port=" + adminPort));
        arguments.addAll(List.of(options));
        return new ChildProcess(folder.resolve("empty-" + role.word()), jvm, arguments, new AdminPort(adminPort));
    }

    public Endpoint endpoint() {
        return Endpoint.development(port);
    }

    public ChildProcess frontEnd() {
        return started.get(0);
    }

    public ChildProcess server() {
        return started.get(1);
    }

    public ChildProcess dfs() {
        return started.get(2);
    }

    @Override
    public void close() {
        started.forEach(ChildProcess::endQuietly);
        ports.close();
    }
}
