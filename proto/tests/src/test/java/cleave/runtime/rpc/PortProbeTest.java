package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PortProbeTest {
    private final PortProbe probe = new PortProbe();

    @AfterEach
    void end() {
        probe.close();
    }

    @Test
    void whereNobodyListensAnyMoreItIsRefused() throws IOException {
        String address;
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = "127.0.0.1:" + listening.getLocalPort();
            assertThat(probe.refuses(address).join()).isFalse();
        }
        assertThat(probe.refuses(address).join()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-host.invalid:1", "nonsense", "inproc:somebody", "127.0.0.1:70000"})
    void whatCannotBeAskedRefusesNothing(String address) {
        assertThat(probe.refuses(address).join()).isFalse();
    }

    @Test
    void whoComesWhileTooManyWaitLearnsNothing() {
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        try (PortProbe busy = new PortProbe(address -> told.join())) {
            List<CompletableFuture<Boolean>> asked = new ArrayList<>();
            for (int i = 0; i < PortProbe.THREADS_MAX + PortProbe.WAITING_MAX; i++) {
                asked.add(busy.refuses("h:1"));
            }
            assertThat(busy.refuses("h:1")).isCompletedWithValue(false);
            told.complete(true);
            assertThat(asked).allMatch(CompletableFuture::join);
        }
    }

    @Test
    void aClosedOneAsksNothing() {
        probe.close();
        assertThat(probe.refuses("127.0.0.1:1").join()).isFalse();
    }
}
