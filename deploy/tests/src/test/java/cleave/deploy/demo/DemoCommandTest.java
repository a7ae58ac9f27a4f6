package cleave.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.deploy.TestTerminal;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DemoCommandTest {
    private final TestTerminal terminal = new TestTerminal();
    private final AtomicInteger requests = new AtomicInteger();
    private HttpServer service;

    /** A front end that lets everything be made. */
    @BeforeEach
    void listen() throws IOException {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        service.start();
    }

    @AfterEach
    void stop() {
        service.stop(0);
    }

    private int demo(String... more) {
        String command = "demo --endpoint http://127.0.0.1:"
                + service.getAddress().getPort() + " --ranges 4 " + String.join(" ", more);
        return terminal.run(command.trim().split(" "));
    }

    @Test
    void withoutMastersToSplitTheTableItMakesNone() {
        assertThat(demo()).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("--ranges", "--masters ADDRESSES", "leave out --ranges");
        assertThat(requests).hasValue(0);
    }

    @Test
    void ifNoMasterAnswersItMakesNoTable() {
        assertThat(demo("--masters", "127.0.0.1:1")).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(terminal.err()).contains("no leader among the masters 127.0.0.1:1 answered");
        assertThat(requests).hasValue(0);
    }
}
