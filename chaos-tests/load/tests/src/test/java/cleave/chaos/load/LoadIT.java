package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.load.report.JsonReport;
import cleave.chaos.load.report.Search;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.run.Filling;
import cleave.chaos.load.run.Ledger;
import cleave.chaos.load.run.Step;
import cleave.chaos.load.run.Verification;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Planner;
import cleave.chaos.load.workload.Workload;
import cleave.chaos.load.workload.WorkloadFile;
import cleave.chaos.process.ClassArchive;
import cleave.chaos.system.StandaloneSystem;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.deploy.Cleave;
import cleave.deploy.cluster.Jvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@ExtendWith(StandaloneSystem.class)
class LoadIT {
    @TempDir
    private Path dir;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        return new CommandLine(new LoadCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err, true))
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
                "--warm-up=1",
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
        assertThat(summary.total().operations() + summary.neverSent()).isEqualTo(600);
        assertThat(summary.warmUp().seconds()).isEqualTo(1);
        assertThat(summary.warmUp().operations()).isBetween(1L, 200L);
        assertThat(out.toString()).contains("warmed up for 1 s with ").contains("  cleave load --endpoint=");
        assertThat(summary.verification().entities()).isGreaterThan(9_000);
        assertThat(summary.latency().getTotalCount()).isEqualTo(summary.total().done());
        assertThat(Files.readString(page)).contains("mixed on http", "are as they were acknowledged");
        assertThat(logged(log).getTotalCount()).isEqualTo(summary.total().done());
    }

    /** So little that no machine is too slow for it. */
    @Test
    void thePeakOfAnApplicationIsPutOnOnePartitionAndJudged(Endpoint endpoint) {
        int exit = run(
                "stress",
                "--endpoint=" + base(endpoint),
                "--workload=ycsb-a",
                "--rate=20",
                "--seconds=2",
                "--warm-up=0",
                "--connections=8");

        assertThat(exit).as("%s%s", out, err).isZero();
        assertThat(out.toString()).contains("One partition: GET ", "This key is fine enough for this load: ");
    }

    @Test
    void withoutADemandTheStressTestTellsWhatAPartitionCanDoAndJudgesNothing(Endpoint endpoint) {
        int exit = run("stress", "--endpoint=" + base(endpoint), "--workload=ycsb-a", "--seconds=1", "--warm-up=0");

        assertThat(exit).as("%s%s", out, err).isZero();
        assertThat(out.toString())
                .contains("One partition: GET ", "No verdict, since nothing was demanded: one partition can do ");
    }

    @Test
    void eachStepIsReported(Endpoint endpoint) throws IOException {
        Path json = dir.resolve("steps.json");

        int exit = run(
                "--endpoint=" + base(endpoint),
                "--workload=few",
                "--steps=50,100",
                "--step-seconds=1.5",
                "--warm-up=0.5",
                "--json=" + json);

        assertThat(exit).as("%s%s", out, err).isZero();
        assertThat(out.toString()).containsPattern("\n50/s for 1.5 s +75 ").containsPattern("\n100/s for 1.5 s +150 ");
        Summary summary = JsonReport.read(Files.readString(json));
        assertThat(summary.steps()).extracting(Step::due).containsExactly(75L, 150L);
        assertThat(summary.steps().stream().mapToLong(Step::done).sum())
                .isEqualTo(summary.total().done());
        assertThat(summary.steps().stream()
                        .mapToLong(step -> step.latency().getTotalCount())
                        .sum())
                .isEqualTo(summary.latency().getTotalCount());
    }

    /** Two connections cannot reach every rate, so the search ends on any machine. */
    @Test
    void theGreatestRateIsFoundAndDrawn(Endpoint endpoint) throws IOException {
        Path json = dir.resolve("search.json");
        Path picture = dir.resolve("search.svg");
        Path csv = dir.resolve("search.csv");

        int exit = run(
                "--endpoint=" + base(endpoint),
                "--workload=ycsb-d",
                "--find-rate=max < 60s",
                "--step-seconds=0.5",
                "--warm-up=0",
                "--connections=2",
                "--fail-if=rate < 1",
                "--json=" + json,
                "--picture=" + picture,
                "--csv=" + csv);

        assertThat(exit).as("%s%s", out, err).isZero();
        assertThat(out.toString()).contains("The greatest rate that keeps max < 60s is ");
        Summary summary = JsonReport.read(Files.readString(json));
        Search search = Objects.requireNonNull(summary.search());
        assertThat(search.rate()).isPositive();
        assertThat(search.broken()).isLessThanOrEqualTo(search.rate() * 1.05);
        assertThat(summary.steps()).hasSameSizeAs(summary.search().tries());
        assertThat(summary.total().failed()).isZero();
        assertThat(Files.readString(picture)).contains("keeps max &lt; 60s");
        assertThat(Files.readAllLines(csv))
                .hasSize(1 + summary.steps().size())
                .element(1)
                .asString()
                .matches("100\\.0,0\\.5,50,\\d+,0,([0-9.]+,){5}true");
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
                Verification.of(requests, table, ledger, workload.shape().entityBytes(), Duration.ofSeconds(60));
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
        assertThat(run(
                        "--endpoint=" + base(endpoint),
                        "--table=" + table,
                        "--seconds=0.5",
                        "--warm-up=0",
                        "--workload=ycsb-f"))
                .as("%s", out)
                .isZero();
        assertThat(run("--endpoint=" + base(endpoint), "--table=" + table, "--fill-only"))
                .isEqualTo(1);
    }

    private static String freshTable() {
        return "S" + UUID.randomUUID().toString().replace("-", "");
    }

    private String made(Endpoint endpoint, String... arguments) throws IOException {
        Path account = Files.writeString(dir.resolve("account.txt"), endpoint.connectionString());
        List<String> all = new ArrayList<>(List.of("sas"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--expiry=1h", "--print=url", "--connection-file=" + account));
        StringWriter url = new StringWriter();
        CommandLine line = Cleave.commandLine();
        line.setOut(new PrintWriter(url, true));
        assertThat(line.execute(all.toArray(String[]::new))).isZero();
        return "--connection-file=" + Files.writeString(dir.resolve("sas.txt"), url.toString());
    }

    /** A signature of one table does not permit creating it, so an empty one is filled. */
    @Test
    void aSignatureOfATableSufficesToLoadIt(Endpoint endpoint) throws IOException {
        String table = freshTable();
        Requests requests = new Requests(endpoint);
        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(30))) {
            assertThat(connection.exchange(requests.createTable(table)).status())
                    .isEqualTo(204);
        }
        String signature = made(endpoint, "table", table, "--permissions=raud");

        assertThat(run(signature, "--table=" + table, "--workload=few", "--seconds=0.5", "--warm-up=0", "--verify"))
                .as("%s", out)
                .isZero();
        assertThat(run(signature, "--workload=few", "--seconds=0.5", "--warm-up=0"))
                .as("%s", out)
                .isZero();
        assertThat(out.toString()).contains("table " + table + ";").doesNotContain("sig=");
        assertThat(run(signature, "--table=Another", "--seconds=0.5", "--warm-up=0"))
                .isNotZero();
        assertThat(err.toString()).contains("--table is Another, but the signature is of table " + table + " alone");
    }

    @Test
    void aSignatureThatDoesNotPermitCreatingTablesNeedsOneThatExists(Endpoint endpoint) throws IOException {
        String table = freshTable();
        String signature = made(endpoint, "account", "--resource-types=o", "--permissions=rwdlacu");

        assertThat(run(signature, "--table=" + table, "--workload=few", "--seconds=0.5", "--warm-up=0"))
                .isNotZero();
        assertThat(err.toString())
                .contains("there is no table " + table + ", and the signature does not permit creating it");
        assertThat(run("--endpoint=" + base(endpoint), "--table=" + table, "--workload=few", "--fill-only"))
                .isZero();
        assertThat(run(signature, "--table=" + table, "--workload=few", "--seconds=0.5", "--warm-up=0"))
                .as("%s", out)
                .isZero();
    }

    @Test
    void severalProcessesAreReportedAsOne(Endpoint endpoint) throws IOException {
        Path json = dir.resolve("all.json");

        int exit = run(
                "--endpoint=" + base(endpoint),
                "--workload=few",
                "--shards=2",
                "--rate=100",
                "--seconds=3",
                "--warm-up=1",
                "--json=" + json);

        assertThat(exit).as("%s%s", out, err).isZero();
        Summary summary = JsonReport.read(Files.readString(json));
        assertThat(summary.setting().loop()).isEqualTo("open loop, 100/s for 3 s");
        assertThat(summary.setting().processes()).isEqualTo(2);
        assertThat(summary.total().operations() + summary.neverSent()).isEqualTo(300);
        assertThat(summary.series().stream()
                        .mapToDouble(second -> second.done() * second.length())
                        .sum())
                .isCloseTo((double) summary.total().done(), Offset.offset(1.0));
    }

    /** SIGTERM, as on Ctrl-C or from a scheduler, while the load is under way. */
    @Test
    void anInterruptedLoadLeavesNoTable(Endpoint endpoint) throws IOException, InterruptedException {
        Jvm jvm = ClassArchive.sameClassPath(List.of());
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(jvm.flags());
        command.addAll(List.of(
                "-cp",
                jvm.classPath(),
                "cleave.deploy.Cleave",
                "load",
                "--endpoint=" + base(endpoint),
                "--workload=few",
                "--seconds=600"));
        Process process =
                new ProcessBuilder(command).redirectOutput(Redirect.DISCARD).start();
        String table = "";
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null && !line.contains("/s  p50"); line = lines.readLine()) {
                table = line.startsWith("filling table ") ? line.substring("filling table ".length()) : table;
            }
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }

        assertThat(table).startsWith("Load");
        Requests requests = new Requests(endpoint);
        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(30))) {
            assertThat(connection.exchange(requests.query(table, List.of())).status())
                    .isEqualTo(404);
        }
    }
}
