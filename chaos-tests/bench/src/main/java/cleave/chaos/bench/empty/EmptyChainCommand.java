package cleave.chaos.bench.empty;

import cleave.client.Endpoint;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.role.RoleProcess;
import cleave.deploy.role.RunningRole;
import cleave.model.Readiness;
import cleave.runtime.settings.ProcessMemory;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cleave empty-chain ROLE}: one process of the empty chain. Not for people. */
@Command(name = "empty-chain", mixinStandardHelpOptions = true, hidden = true, header = "used by cleave bench")
public final class EmptyChainCommand implements Callable<Integer> {
    /** The processes, in the order of a request's way. */
    enum Role {
        FRONT_END,
        SERVER,
        DFS,
        /** The only process of a service that verifies signatures and does nothing else. */
        ECHO;

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Parameters(paramLabel = "ROLE")
    private Role role = Role.FRONT_END;

    @Option(names = "--port", required = true)
    private int port;

    @Option(names = "--admin-port", required = true)
    private int adminPort;

    @Option(names = "--next", description = "address of the next process")
    private String next = "";

    @Option(names = "--like", description = "the service whose answers a front end gives")
    private URI like = URI.create("");

    @Option(names = "--file", description = "the file that a DFS node writes")
    private Path file = Path.of("");

    /** A role in this process. */
    private record Running(String name, Runnable starting, Supplier<String> reached, Runnable closing)
            implements RunningRole {
        @Override
        public ProcessMemory memory() {
            return ProcessMemory.withStores(0);
        }

        @Override
        public void start() {
            starting.run();
        }

        @Override
        public Readiness readiness() {
            return Readiness.READY;
        }

        @Override
        public Map<String, Executor> loops() {
            return Map.of();
        }

        @Override
        public String address() {
            return reached.get();
        }

        @Override
        public void close() {
            closing.run();
        }
    }

    @Override
    public Integer call() {
        ListenAddress admin = new ListenAddress("127.0.0.1", adminPort);
        return new RoleProcess(admin, new CollectorRegistry(), RoleProcess.Announcer.NONE).run(this::made);
    }

    private RunningRole made() {
        try {
            return switch (role) {
                case FRONT_END -> {
                    EmptyFrontEnd its = new EmptyFrontEnd(port, next, CannedAnswers.of(Endpoint.development(like)));
                    yield new Running(role.word(), its::start, its::address, its::close);
                }
                case ECHO -> {
                    EmptyFrontEnd its = new EmptyFrontEnd(port, null, CannedAnswers.of(Endpoint.development(like)));
                    yield new Running(role.word(), its::start, its::address, its::close);
                }
                case SERVER -> {
                    EmptyServer its = new EmptyServer(port, next);
                    yield new Running(role.word(), its::start, its::address, its::close);
                }
                case DFS -> {
                    EmptyDfs its = new EmptyDfs(port, file);
                    yield new Running(role.word(), its::start, its::address, its::close);
                }
            };
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
