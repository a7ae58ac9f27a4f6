package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.load.report.JsonReport;
import cleave.chaos.load.report.Judgement;
import cleave.chaos.load.report.Summary;
import cleave.deploy.Cleave;
import cleave.deploy.ExitCode;
import cleave.runtime.tls.TestAuthority;
import cleave.runtime.tls.TestAuthority.Issued;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Shows what {@code cleave load} says and leaves when a service does not answer as it should. */
class LoadFailuresIT {
    private static final Pattern METRICS = Pattern.compile("metrics: (\\S+)");

    @TempDir
    private Path dir;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("load", "--warm-up=0"));
        all.addAll(List.of(arguments));
        CommandLine line = Cleave.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(all.toArray(String[]::new));
    }

    private String workload(String operation) throws IOException {
        return "--workload="
                + Files.writeString(dir.resolve("one.properties"), "mix." + operation + "=1\npartitions=1\nrows=1\n");
    }

    @Test
    void onlyTheAuthorityThatIsNamedIsBelieved() throws IOException, GeneralSecurityException {
        UnaryOperator<String> good = ScriptedService.filling(line -> ScriptedService.json("{}"));
        Issued issued = new TestAuthority(Files.createDirectory(dir.resolve("ours"))).issue("front-end");
        Issued others = new TestAuthority(Files.createDirectory(dir.resolve("theirs"))).issue("front-end");
        Path ours = Files.writeString(dir.resolve("ours.pem"), issued.authorityPem());
        Path theirs = Files.writeString(dir.resolve("theirs.pem"), others.authorityPem());
        try (ScriptedService service = ScriptedService.secure(issued, good)) {
            String endpoint = "--endpoint=" + service.url();

            assertThat(run(endpoint, workload("get"), "--seconds=1", "--ca=" + ours))
                    .as("%s%s", out, err)
                    .isEqualTo(ExitCode.OK);
            assertThat(run(endpoint, workload("get"), "--seconds=1", "--ca=" + theirs))
                    .isEqualTo(ExitCode.FAILED);
            assertThat(err.toString()).contains("no load on https://127.0.0.1:", "--ca FILE names the authorities");
            assertThat(run(endpoint, workload("get"), "--seconds=1")).isEqualTo(ExitCode.FAILED);
        }
    }

    @Test
    void aFileThatNamesNoAuthorityIsRefused() throws IOException {
        Path empty = Files.writeString(dir.resolve("empty.pem"), "");
        Path key = Files.writeString(dir.resolve("key.pem"), "-----BEGIN CERTIFICATE-----\nabc\n");

        assertThat(run("--endpoint=https://127.0.0.1:1", "--ca=" + dir.resolve("none.pem")))
                .isEqualTo(ExitCode.USAGE);
        assertThat(run("--endpoint=https://127.0.0.1:1", "--ca=" + empty)).isEqualTo(ExitCode.USAGE);
        assertThat(run("--endpoint=https://127.0.0.1:1", "--ca=" + key)).isEqualTo(ExitCode.USAGE);
        assertThat(run("--endpoint=http://127.0.0.1:1", "--ca=" + empty)).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .contains(
                        "none.pem does not exist",
                        "empty.pem holds no certificate",
                        "key.pem holds no certificates in PEM: ")
                .contains("--ca is for https, but the endpoint is http://127.0.0.1:1/devstoreaccount1");
    }

    /** Two connections, each with one operation that waits for its retry longer than the run takes. */
    @Test
    void operationsThatWaitForARetryAtTheEndAreCutOffAndNotFailed() throws IOException {
        UnaryOperator<String> busy = ScriptedService.filling(line -> ScriptedService.BUSY);
        Path json = dir.resolve("load.json");
        try (ScriptedService service = new ScriptedService(busy)) {
            int exit = run(
                    "--endpoint=" + service.url(),
                    workload("get"),
                    "--connections=2",
                    "--seconds=3",
                    "--retry=fixed",
                    "--retry-z=60",
                    "--json=" + json);

            assertThat(exit).as("%s%s", out, err).isEqualTo(ExitCode.OK);
        }
        Summary summary = JsonReport.read(Files.readString(json));
        assertThat(summary.total().cutOff()).isEqualTo(2);
        assertThat(summary.total().failed()).isZero();
        assertThat(out.toString()).contains("cut off by the end: 2 operations", "answered with 503: 2");
    }

    /** The write may have happened, so the entity may be as it was or changed. */
    @Test
    void anAnswerThatNoHttpClientUnderstandsIsAWriteOfUnknownOutcome() throws IOException {
        String entity =
                "{\"value\":[{\"PartitionKey\":\"p000000\",\"RowKey\":\"r000000\",\"Write\":\"0\",\"Merged\":\"1\"}]}";
        UnaryOperator<String> torn = ScriptedService.filling(line -> line.startsWith("PATCH")
                ? "HTTP/1.1 204 No Content\r\nContent-Length: many\r\n\r\n".replace("204 No Content", "200 OK")
                : ScriptedService.json(entity));
        try (ScriptedService service = new ScriptedService(torn)) {
            int exit = run(
                    "--endpoint=" + service.url(),
                    workload("merge"),
                    "--connections=1",
                    "--rate=4",
                    "--seconds=2",
                    "--verify");

            assertThat(exit).as("%s%s", out, err).isEqualTo(ExitCode.FAILED);
        }
        assertThat(out.toString())
                .contains("FAILED merge", "no length of a body: many", "answered with broken connection: ", "(failed)")
                .contains("its other properties are not those that write 0 wrote")
                .doesNotContain("must be written by");
    }

    @Test
    void aTableThatCannotBeReadBackIsAFailureOfTheVerificationAloneAndTheReportIsWritten() throws IOException {
        UnaryOperator<String> deaf = ScriptedService.filling(
                line -> line.contains("()") ? ScriptedService.BROKEN : ScriptedService.json("{}"));
        Path json = dir.resolve("load.json");
        Path page = dir.resolve("load.html");
        try (ScriptedService service = new ScriptedService(deaf)) {
            int exit = run(
                    "--endpoint=" + service.url(),
                    workload("get"),
                    "--connections=1",
                    "--seconds=2",
                    "--timeout=1",
                    "--verify",
                    "--json=" + json,
                    "--html=" + page);

            assertThat(exit).as("%s%s", out, err).isEqualTo(ExitCode.FAILED);
            assertThat(service.requests()).noneMatch(line -> line.startsWith("DELETE"));
        }
        Summary summary = JsonReport.read(Files.readString(json));
        assertThat(summary.total().done()).isPositive();
        assertThat(summary.total().failed()).isZero();
        assertThat(summary.verification().failure()).contains("the connection ended");
        assertThat(out.toString()).contains("VERIFICATION FAILED: the table could not be read back");
        assertThat(err.toString()).contains(" is kept");
        assertThat(Files.readString(page)).contains("could not be read back");
    }

    /** The service itself scrapes the load, at each request. */
    @Test
    void metricsAreServedWhileTheLoadRuns() throws IOException {
        List<String> scrapes = new CopyOnWriteArrayList<>();
        UnaryOperator<String> scraping = ScriptedService.filling(line -> {
            Matcher port = METRICS.matcher(err.toString());
            scrapes.add(port.find() ? scraped(port.group(1)) : "no port");
            return ScriptedService.json("{}");
        });
        try (ScriptedService service = new ScriptedService(scraping)) {
            int exit = run(
                    "--endpoint=" + service.url(),
                    workload("get"),
                    "--connections=1",
                    "--rate=4",
                    "--seconds=4",
                    "--metrics-port=0");

            assertThat(exit).as("%s%s", out, err).isEqualTo(ExitCode.OK);
        }
        assertThat(scrapes)
                .anySatisfy(text -> assertThat(text)
                        .containsPattern("cleave_load_operations_total\\{op=\"get\",outcome=\"done\",} [1-9]")
                        .contains(
                                "cleave_load_latency_seconds_bucket{op=\"get\",le=\"+Inf\",}",
                                "process_cpu_seconds_total"));
        Matcher port = METRICS.matcher(err.toString());
        assertThat(port.find()).isTrue();
        assertThat(scraped(port.group(1))).as("after the load").startsWith("java.net.ConnectException");
    }

    private static String scraped(String url) {
        try (InputStream in = URI.create(url).toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            return failed.toString();
        }
    }

    @Test
    void aTableThatCannotBeFilledIsDeleted() throws IOException {
        try (ScriptedService service = new ScriptedService(line -> line.contains("/Tables")
                ? ScriptedService.NO_CONTENT
                : "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")) {
            int exit = run("--endpoint=" + service.url(), workload("get"));

            assertThat(exit).as("%s%s", out, err).isEqualTo(ExitCode.FAILED);
            assertThat(service.requests()).anyMatch(line -> line.startsWith("DELETE /devstoreaccount1/Tables('Load"));
        }
        assertThat(err.toString()).contains("cannot be filled: 400");
    }

    @Test
    void whatIsAmissBeforeTheLoadIsToldWithItsExitStatus() throws IOException {
        assertThat(run("--endpoint=http://127.0.0.1:1")).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(err.toString())
                .contains("no load on http://127.0.0.1:1/devstoreaccount1: Connection refused")
                .doesNotContain("was not deleted");
        assertThat(run("--endpoint=http://nowhere.invalid:1")).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(err.toString()).contains("unknown host nowhere.invalid");
        assertThat(run("--html=" + dir.resolve("no/such.html"))).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("such.html: there is no folder ");
        assertThat(run("--workload=" + dir.resolve("none.properties"))).isEqualTo(ExitCode.USAGE);
        assertThat(run("merge", dir.resolve("none.json").toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("there is no file ");
        assertThat(run("compare", "a.json,./a.json", "b.json")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("a report is given twice in [a.json, ./a.json]; a run counts once");
        assertThat(run("compare", dir.resolve("no.json").toString(), "b.json")).isEqualTo(ExitCode.USAGE);
    }

    /** Every get fails, so that without a condition the exit status would be 1. */
    @Test
    void aConditionDecidesTheExitStatusAndIsInTheReport() throws IOException {
        UnaryOperator<String> refusing =
                ScriptedService.filling(line -> "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
        Path json = dir.resolve("load.json");
        try (ScriptedService service = new ScriptedService(refusing)) {
            List<String> load = List.of(
                    "--endpoint=" + service.url(), workload("get"), "--rate=20", "--seconds=1", "--json=" + json);
            List<String> met = new ArrayList<>(load);
            met.addAll(List.of("--fail-if=errors >= 100%", "--fail-if=p99 > 1s"));
            List<String> unmet = new ArrayList<>(load);
            unmet.add("--fail-if=errors > 100%");

            assertThat(run(load.toArray(String[]::new))).isEqualTo(ExitCode.FAILED);
            assertThat(run(unmet.toArray(String[]::new))).isEqualTo(ExitCode.OK);
            assertThat(run(met.toArray(String[]::new))).isEqualTo(ExitCode.NOT_AS_DEMANDED);
        }
        assertThat(JsonReport.read(Files.readString(json)).judgements())
                .containsExactly(
                        new Judgement("errors >= 100%", "errors are 100.000%", true),
                        new Judgement("p99 > 1s", "p99 is unknown, since nothing succeeded", true));
        assertThat(out.toString()).contains("fail if errors > 100%: errors are 100.000%, passed");
        assertThat(run("merge", json.toString(), "--fail-if=errors > 0")).isEqualTo(ExitCode.NOT_AS_DEMANDED);
    }
}
