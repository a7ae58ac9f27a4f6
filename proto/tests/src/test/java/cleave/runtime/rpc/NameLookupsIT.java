package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminGrpc;
import io.grpc.ConnectivityState;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs in a separate process, whose names are in a file: the JDK reads both settings only once. */
@Timeout(300)
class NameLookupsIT {
    private static final String NAME = "peer.example";
    /** Less than gRPC remembers by default, and many times what is set. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(25);

    /** Calls a peer that moves from one address to another. */
    public static final class Caller {
        private Caller() {}

        public static void main(String[] args) throws IOException {
            NameLookups.forgetSoon();
            Path hosts = Path.of(args[0]);
            try (Channels channels = new Channels()) {
                int port = first(channels, hosts);
                try (RpcServer second = RpcServer.start("127.0.0.2:" + port)) {
                    Files.writeString(hosts, "127.0.0.2 " + NAME + "\n");
                    System.out.println(
                            "moved: " + callUntilReached(channels, NAME + ":" + port) + " at " + second.address());
                }
                cameBack(channels, hosts, port);
                stranger(channels, hosts, port);
            }
            System.exit(0);
        }

        /** Without a call meanwhile, the peer has left, a silent process has got its address, and the peer has come back elsewhere. */
        private static void cameBack(Channels channels, Path hosts, int port) throws IOException {
            await(() -> channels.to(NAME + ":" + port).getState(false) == ConnectivityState.IDLE);
            Files.writeString(hosts, "127.0.0.5 " + NAME + "\n");
            await(() -> InetAddress.getAllByName(NAME)[0].getHostAddress().equals("127.0.0.5"));
            try (ServerSocketChannel silent =
                            ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.2", port));
                    RpcServer back = RpcServer.start("127.0.0.5:" + port)) {
                silent.configureBlocking(false);
                Status.Code code = call(channels, NAME + ":" + port, 10_000);
                System.out.println("came back: " + code + " at " + back.address() + ", its old address was "
                        + (silent.accept() == null ? "left alone" : "tried"));
            }
        }

        private static void await(Callable<Boolean> condition) {
            long began = System.nanoTime();
            try {
                while (!condition.call()) {
                    if (System.nanoTime() - began > PATIENCE_NANOS) {
                        throw new IllegalStateException("this does not happen");
                    }
                    Thread.sleep(10);
                }
            } catch (Exception failed) {
                throw new IllegalStateException(failed);
            }
        }

        /** The name leads to a process of another cluster, which keeps the connection; then it is set right. */
        private static void stranger(Channels channels, Path hosts, int port) throws IOException {
            Files.writeString(hosts, "127.0.0.3 " + NAME + "\n");
            channels.ofCluster(() -> "a");
            try (RpcServer other = peer("127.0.0.3:" + port, "b");
                    RpcServer own = peer("127.0.0.4:" + port, "a")) {
                Status.Code code = callUntil(Status.Code.FAILED_PRECONDITION, channels, NAME + ":" + port);
                System.out.println("another cluster: " + code + " at " + other.address());
                Files.writeString(hosts, "127.0.0.4 " + NAME + "\n");
                code = callUntilReached(channels, NAME + ":" + port);
                System.out.println("set right: " + code + " at " + own.address());
            }
        }

        private static RpcServer peer(String address, String cluster) {
            return RpcServer.start(Transport.PLAIN, List.of(address), () -> cluster, new AdminGrpc.AdminImplBase() {});
        }

        /** The peer at its first address, for a while. */
        private static int first(Channels channels, Path hosts) throws IOException {
            try (RpcServer first = RpcServer.start("127.0.0.1:0")) {
                String address = NAME + ":" + first.port();
                System.out.println("without a name: " + call(channels, address));
                Files.writeString(hosts, "127.0.0.1 " + NAME + "\n");
                System.out.println("with a name: " + callUntilReached(channels, address));
                return first.port();
            }
        }

        private static Status.Code callUntilReached(Channels channels, String address) {
            return callUntil(Status.Code.UNIMPLEMENTED, channels, address);
        }

        private static Status.Code callUntil(Status.Code wanted, Channels channels, String address) {
            long began = System.nanoTime();
            Status.Code code = call(channels, address);
            while (code != wanted && System.nanoTime() - began < PATIENCE_NANOS) {
                code = call(channels, address);
            }
            return code;
        }

        /** UNIMPLEMENTED if a server was reached, for none implements a service. */
        private static Status.Code call(Channels channels, String address) {
            return call(channels, address, 200);
        }

        private static Status.Code call(Channels channels, String address, long millisMax) {
            try {
                AdminGrpc.newBlockingStub(channels.to(address))
                        .withDeadlineAfter(millisMax, TimeUnit.MILLISECONDS)
                        .withWaitForReady()
                        .drain(AdminDrainRequest.getDefaultInstance());
                return Status.Code.OK;
            } catch (StatusRuntimeException failed) {
                return failed.getStatus().getCode();
            }
        }
    }

    @Test
    void aChannelFollowsANameThatAppearsThatMovesAndThatLedToAnotherCluster(@TempDir Path scratch) throws Exception {
        Path hosts = Files.createFile(scratch.resolve("hosts"));
        // By default the JDK remembers for 10 s that there is no address: less time than a slow machine needs.
        Path remembered = Files.writeString(
                scratch.resolve("security"), "networkaddress.cache.ttl=600\nnetworkaddress.cache.negative.ttl=600\n");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djdk.net.hosts.file=" + hosts,
                        "-Djava.security.properties=" + remembered,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Caller.class.getName(),
                        hosts.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = process.inputReader()) {
            String printed = out.lines().collect(Collectors.joining("\n"));
            assertThat(printed)
                    .containsSubsequence(
                            "without a name: DEADLINE_EXCEEDED",
                            "with a name: UNIMPLEMENTED",
                            "moved: UNIMPLEMENTED at 127.0.0.2:",
                            "came back: UNIMPLEMENTED at 127.0.0.5:",
                            "its old address was left alone",
                            "another cluster: FAILED_PRECONDITION at 127.0.0.3:",
                            "set right: UNIMPLEMENTED at 127.0.0.4:")
                    .contains("this process belongs to cluster b, its caller to cluster a");
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }
}
