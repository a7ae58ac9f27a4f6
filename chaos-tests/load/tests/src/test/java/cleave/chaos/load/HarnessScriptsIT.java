package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import cleave.chaos.system.StandaloneSystem;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.JsonText;
import cleave.client.Requests;
import cleave.deploy.Cleave;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * The scripts for other load generators: that of wrk by wrk, that of k6 by Node on stand-ins of k6's modules. Each is skipped where its program is
 * missing.
 */
@ExtendWith(StandaloneSystem.class)
class HarnessScriptsIT {
    private static final Path SCRIPTS = Path.of("..", "..", "harnesses").toAbsolutePath();
    private static final Path STAND_INS = Path.of("src", "test", "javascript", "k6");
    /** The operation, and how often its answer was right. */
    private static final Pattern CHECK = Pattern.compile("\"name\":\"(\\w+) [^\"]*\",\"right\":(\\d+)");

    private static final int FILLED = 20;
    private static final long RUN_SECONDS_MAX = 120;

    @TempDir
    private Path dir;

    private final String table = "H" + UUID.randomUUID().toString().replace("-", "");
    private final Endpoint endpoint;

    HarnessScriptsIT(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** How a script is permitted its requests. */
    private enum Permission {
        ACCOUNT_KEY,
        SIGNATURE
    }

    @BeforeEach
    void fillTable() throws IOException {
        Path workload = Files.writeString(dir.resolve("few.properties"), "mix.get=1\npartitions=4\nrows=5\n");
        Path connection = Files.writeString(dir.resolve("connection.txt"), endpoint.connectionString());
        cleave("load", "--workload=" + workload, "--fill-only", "--table=" + table, "--connection-file=" + connection);
        assertThat(entities()).isEqualTo(FILLED);
    }

    /** Runs the command and returns what it prints. */
    private static String cleave(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Cleave.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        assertThat(line.execute(arguments)).as("%s%s", out, err).isZero();
        return out.toString().strip();
    }

    private String signature(String form) {
        return cleave(
                "sas",
                "table",
                table,
                "--permissions=rau",
                "--expiry=1h",
                "--print=" + form,
                "--connection-file=" + dir.resolve("connection.txt"));
    }

    /** The number of entities in the table, at most a page of them. */
    private int entities() throws IOException {
        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(30))) {
            Answer answer = connection.exchange(new Requests(endpoint).query(table, List.of()));
            return JsonText.entities(answer.body()).size();
        }
    }

    private record Run(int exitCode, String output) {}

    private Run run(Map<String, String> environment, List<String> command) throws IOException, InterruptedException {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, command.get(0)))),
                "skipped: there is no " + command.get(0) + " on this machine's PATH");
        Path output = dir.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(RUN_SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(command + " does not end: " + Files.readString(output));
        }
        return new Run(process.exitValue(), Files.readString(output));
    }

    private Run wrk(String signature, String... options) throws IOException, InterruptedException {
        Path file = Files.writeString(dir.resolve("sas.txt"), signature + "\n");
        String script = SCRIPTS.resolve("wrk/cleave.lua").toString();
        List<String> command = Stream.concat(
                        Stream.of(
                                "wrk",
                                "-t2",
                                "-c4",
                                "-d1s",
                                "--timeout",
                                "60s",
                                "-s",
                                script,
                                endpoint.url(),
                                "--",
                                "table=" + table),
                        Stream.of(options))
                .toList();
        return run(Map.of("CLEAVE_SAS_FILE", file.toString()), command);
    }

    @ParameterizedTest
    @ValueSource(strings = {"token", "url", "connection-string"})
    void wrkReadsAndWritesWithASignature(String form) throws IOException, InterruptedException {
        Run run =
                wrk(signature(form), "partitions=4", "rows=5", "mix=get:70,insert:10,merge:10,query:10", "errors=show");

        assertThat(run.exitCode).as(run.output).isZero();
        assertThat(run.output).contains(" requests in ").doesNotContain("Non-2xx");
        assertThat(entities()).isGreaterThan(FILLED);
    }

    @Test
    void wrkSaysWhatFailedAndWhatIsWrong() throws IOException, InterruptedException {
        Run missing = wrk(signature("token"), "rows=1000000", "errors=show");
        Run mistyped = wrk(signature("token"), "row=5");

        assertThat(missing.exitCode).as(missing.output).isEqualTo(1);
        assertThat(missing.output).contains("cleave.lua: 404 ", "ResourceNotFound", "Non-2xx");
        assertThat(mistyped.exitCode).isEqualTo(2);
        assertThat(mistyped.output).contains("cleave.lua: 'row=5' is no option");
    }

    private Run k6(Map<String, String> settings) throws IOException, InterruptedException {
        Path modules = Files.createDirectories(dir.resolve("node_modules/k6"));
        try (Stream<Path> files = Files.list(STAND_INS.resolve("k6"))) {
            for (Path file : files.toList()) {
                Files.copy(file, modules.resolve(file.getFileName()));
            }
        }
        Files.copy(STAND_INS.resolve("run.mjs"), dir.resolve("run.mjs"));
        Files.copy(SCRIPTS.resolve("k6/cleave.js"), dir.resolve("cleave.mjs"));
        return run(settings, List.of("node", "run.mjs", "cleave.mjs", "80"));
    }

    @ParameterizedTest
    @EnumSource
    void theScriptOfK6ReadsAndWrites(Permission permission) throws IOException, InterruptedException {
        String connection = switch (permission) {
            case ACCOUNT_KEY -> endpoint.connectionString();
            case SIGNATURE -> signature("url");
        };
        Run run = k6(Map.of(
                "CLEAVE_CONNECTION_STRING",
                connection,
                "TABLE",
                table,
                "PARTITIONS",
                "4",
                "ROWS",
                "5",
                "RATE",
                "7",
                "MIX",
                "get:1,insert:2,merge:1,query:1"));

        assertThat(run.exitCode).as(run.output).isZero();
        assertThat(run.output).contains("\"executor\":\"constant-arrival-rate\",\"rate\":7,");
        Map<String, Integer> right = CHECK.matcher(run.output)
                .results()
                .collect(Collectors.toMap(check -> check.group(1), check -> Integer.valueOf(check.group(2))));
        assertThat(run.output).doesNotContainPattern("\"wrong\":[1-9]");
        assertThat(right.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(80);
        int inserted = right.getOrDefault("insert", 0);
        assertThat(entities()).isGreaterThan(FILLED).isEqualTo(FILLED + inserted);
    }

    @Test
    void theScriptOfK6SaysWhatIsWrong() throws IOException, InterruptedException {
        Run run = k6(Map.of("TABLE", table, "RATE", "fast"));

        assertThat(run.exitCode).isNotZero();
        assertThat(run.output).contains("RATE=fast is wrong; it must be a whole number above 0");
    }
}
