package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.load.report.JsonReport;
import cleave.chaos.load.report.Summary;
import cleave.chaos.system.SecureSystem;
import cleave.chaos.system.SecureSystem.Authority;
import cleave.client.Endpoint;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Load over HTTP/2, on a front end with HTTPS. */
@ExtendWith(SecureSystem.class)
class Http2LoadIT {
    @TempDir
    private Path dir;

    @Test
    void requestsInFlightAreStreamsOnFewConnections(Endpoint endpoint, Authority authority) throws IOException {
        StringWriter out = new StringWriter();
        Path json = dir.resolve("load.json");

        int exit = new CommandLine(new LoadCommand())
                .setOut(new PrintWriter(out))
                .execute(
                        "--endpoint=https://" + endpoint.host() + ":" + endpoint.port(),
                        "--ca=" + authority.certificate(),
                        "--http2=2",
                        "--connections=16",
                        "--workload=mixed",
                        "--rate=100",
                        "--seconds=2",
                        "--warm-up=1",
                        "--verify",
                        "--json=" + json);

        assertThat(exit).as("%s", out).isZero();
        Summary summary = JsonReport.read(Files.readString(json));
        assertThat(summary.total().done()).isPositive();
        assertThat(summary.total().failed()).isZero();
        assertThat(summary.setting().endpoint()).endsWith("/devstoreaccount1 over HTTP/2 on 2 connections");
        assertThat(out.toString()).contains(", 16 in flight;", "verified: ");
    }
}
