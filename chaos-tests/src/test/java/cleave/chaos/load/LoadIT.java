package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Requests;
import cleave.chaos.load.report.JsonReport;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.run.Filling;
import cleave.chaos.load.run.Ledger;
import cleave.chaos.load.run.Verification;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Planner;
import cleave.chaos.load.workload.Workload;
import cleave.chaos.load.workload.WorkloadFile;
import cleave.chaos.system.StandaloneSystem;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@ExtendWith(StandaloneSystem.class)
class LoadIT {
    @TempDir
    private Path dir;

    private final StringWriter out = new StringWriter();

    private int run(String... arguments) {
        return new CommandLine(new LoadCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(new StringWriter()))
                .execute(arguments);
    }

    private static String base(Endpoint endpoint) {
        return endpoint.scheme() + "://" + endpoint.host() + ":" + endpoint.port();
    }

    @Test
    void anOpenLoopOfEveryOperationIsMeasuredAndVerified(Endpoint endpoint) throws IOException {
        Path json = dir.resolve("load.json");
        Path log = dir.resolve("load.hlog");
        Path page = dir.resolve("load.html");

        int exit = run(
                "--endpoint=" + base(endpoint),
                "--workload=mixed",
                "--rate=200",
                "--seconds=3",
                "--connections=8",
                "--retry=fixed",
                "--retry-z=0.2",
                "--retries=20",
                "--verify",
                "--json=" + json,
                "--html=" + page,
                "--histogram=" + log);

        assertThat(exit).as("%s", out).isZero();
        assertThat(out.toString()).contains("verified: ", "open loop, 200/s for 3 s", "goodput");
        Summary summary = JsonReport.read(Files.readString(json));
        assertThat(summary.total().done() + summary.neverSent()).isEqualTo(600);
        assertThat(summary.verification().entities()).isGreaterThan(9_000);
        assertThat(summary.latency().getTotalCount()).isEqualTo(summary.total().done());
        assertThat(Files.readString(page)).contains("mixed on http", "are as they were acknowledged");
        assertThat(logged(log).getTotalCount()).isEqualTo(summary.total().done());
    }

    private static Histogram logged(Path log) throws IOException {
        Histogram sum = new Histogram(3);
        try (HistogramLogReader reader = new HistogramLogReader(log.toFile())) {
            for (EncodableHistogram each = reader.nextIntervalHistogram();
                    each != null;
                    each = reader.nextIntervalHistogram()) {
                sum.add((Histogram) each);
            }
        }
        return sum;
    }

    @Test
    void aLostAndAChangedEntityAreNamed(Endpoint endpoint) throws IOException {
        Workload workload = WorkloadFile.parse("few", "few", "mix.get=1\npartitions=2\nrows=5");
        Requests requests = new Requests(endpoint);
        String table = "V" + UUID.randomUUID().toString().replace("-", "");
        Ledger ledger = new Ledger();
        assertThat(Filling.fill(requests, table, workload, ledger)).isTrue();
        EntityKey lost = Planner.loadedKey(workload, 3);
        EntityKey changed = Planner.loadedKey(workload, 4);

        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(30))) {
            Answer deleted = connection.exchange(requests.delete(table, lost.partition(), lost.row(), "*"));
            Answer merged = connection.exchange(
                    requests.merge(table, changed.partition(), changed.row(), "*", "{\"Count\":7}"));
            assertThat(deleted.status() + merged.status()).isEqualTo(408);
        }

        Verification.Result result =
                Verification.of(requests, table, ledger, workload.shape().entityBytes());
        assertThat(result.entities()).isEqualTo(9);
        assertThat(result.problems())
                .hasSize(2)
                .anySatisfy(problem -> assertThat(problem).isEqualTo(lost + " is lost: it must be written by 3"));
        assertThat(result.problems()).anySatisfy(problem -> assertThat(problem).startsWith(changed + " is wrong"));
    }

    @Test
    void aTableIsFilledOnceAndUsedAgain(Endpoint endpoint) {
        String table = "F" + UUID.randomUUID().toString().replace("-", "");

        assertThat(run("--endpoint=" + base(endpoint), "--table=" + table, "--fill-only"))
                .isZero();
        assertThat(run("--endpoint=" + base(endpoint), "--table=" + table, "--seconds=0.5", "--workload=ycsb-f"))
                .as("%s", out)
                .isZero();
        assertThat(run("--endpoint=" + base(endpoint), "--table=" + table, "--fill-only"))
                .isEqualTo(1);
    }
}
