package cleave.deploy.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.TestPorts;
import cleave.runtime.rpc.Transport;
import cleave.wire.MapWatchGrpc;
import io.grpc.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/** The words for an operator when a master cannot be asked. */
class CallFailureTest {
    private static AbstractThrowableAssert<?, ?> asked(String address) {
        return assertThatThrownBy(() -> {
                    try (AdminClient client = new AdminClient(List.of(address), Transport.PLAIN, Duration.ZERO)) {
                        client.status();
                    }
                })
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.UNREACHABLE))
                .hasMessageContaining(address + ": ")
                .hasMessageNotContaining("io exception");
    }

    @Test
    void wherePortsAreClosedTheConnectionIsRefused() {
        asked("127.0.0.1:" + TestPorts.free()).hasMessageContaining("connection refused");
    }

    @Test
    void aNameThatIsWrongCannotBeResolved() {
        asked("no-such-master.invalid:1").hasMessageContaining("its name cannot be resolved");
    }

    @Test
    void aServiceThatEndsConnectionsMayBeOneThatRequiresTls() throws IOException {
        try (ServerSocket closing = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread ending = new Thread(() -> {
                while (true) {
                    try (Socket next = closing.accept()) {
                        next.getOutputStream().write(new byte[] {0x15, 3, 3, 0, 2, 2, 80});
                    } catch (IOException closed) {
                        return;
                    }
                }
            });
            ending.setDaemon(true);
            ending.start();
            asked("127.0.0.1:" + closing.getLocalPort()).hasMessageContaining("Does it require TLS");
        }
    }

    @Test
    void aProcessThatIsNoMasterIsCalledThat() {
        try (RpcServer server = RpcServer.start("127.0.0.1:0", new MapWatchGrpc.MapWatchImplBase() {})) {
            asked(server.address()).hasMessageContaining("it is no master");
        }
    }

    @Test
    void theOthersAreToldByTheirStatus() {
        assertThat(CallFailure.text("m1:1", Status.DEADLINE_EXCEEDED.asRuntimeException()))
                .startsWith("m1:1: ")
                .contains("no answer in time");
        assertThat(CallFailure.text(
                        "m1:1",
                        Status.PERMISSION_DENIED
                                .withDescription("a server may not")
                                .asRuntimeException()))
                .contains("a server may not")
                .contains("role admin");
    }
}
