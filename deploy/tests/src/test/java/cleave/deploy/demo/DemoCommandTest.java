package cleave.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.Cleave;
import cleave.deploy.ExitCode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DemoCommandTest {
    private final StringWriter err = new StringWriter();
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
        CommandLine line = Cleave.commandLine();
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(err, true));
        String command = "demo --endpoint http://127.0.0.1:"
                + service.getAddress().getPort() + " --ranges 4 " + String.join(" ", more);
        return line.execute(command.trim().split(" "));
    }

    @Test
    void withoutMastersToSplitTheTableItMakesNone() {
        assertThat(demo()).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--ranges", "--masters ADDRESSES", "leave out --ranges");
        assertThat(requests).hasValue(0);
    }

    @Test
    void ifNoMasterAnswersItMakesNoTable() {
        assertThat(demo("--masters", "127.0.0.1:1")).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(err.toString()).contains("no leader among the masters 127.0.0.1:1 answered");
        assertThat(requests).hasValue(0);
    }
}
