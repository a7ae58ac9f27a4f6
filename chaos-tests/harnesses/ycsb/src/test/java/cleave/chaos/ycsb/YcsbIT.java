package cleave.chaos.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.JsonText;
import cleave.client.Requests;
import cleave.deploy.Cleave;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.Vector;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/** The binding, and YCSB with it, on a standalone. */
class YcsbIT {
    private static final Path WORKLOADS = Path.of("workloads").toAbsolutePath();
    private static final List<String> JVM = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    private static final long RUN_SECONDS_MAX = 300;

    @TempDir
    private static Path folder;

    private static Standalone standalone;
    private static Endpoint endpoint;

    private final String table = "Y" + UUID.randomUUID().toString().replace("-", "");

    @BeforeAll
    static void start() {
        standalone = Standalone.started(folder.resolve("standalone"), JVM, Patience.ofSeconds(60));
        endpoint = standalone.endpoint();
    }

    @AfterAll
    static void stop() {
        standalone.close();
    }

    /** A report of YCSB. */
    private record Run(int exitCode, String output) {
        /** The number in the line of this operation and figure, such as {@code [READ], Return=OK}; 0 if there is none. */
        long count(String operation, String figure) {
            Matcher line = Pattern.compile("(?m)^" + Pattern.quote("[" + operation + "], " + figure + ", ") + "(\\d+)")
                    .matcher(output);
            return line.find() ? Long.parseLong(line.group(1)) : 0;
        }

        Run succeeded() {
            assertThat(exitCode).as(output).isZero();
            assertThat(output).doesNotContain("FAILED").doesNotContainPattern("Return=(?!OK)");
            return this;
        }
    }

    private Run ycsbAt(String connectionString, String... arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "ycsb", ".out");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Ycsb.class.getName()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-p", "table=" + table));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put(Settings.VARIABLE, connectionString);
        Process process = builder.start();
        if (!process.waitFor(RUN_SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("YCSB does not end: " + Files.readString(output));
        }
        return new Run(process.exitValue(), Files.readString(output));
    }

    private Run ycsb(String... arguments) throws IOException, InterruptedException {
        return ycsbAt(endpoint.connectionString(), arguments);
    }

    private static String workload(String name) {
        return WORKLOADS.resolve(name).toString();
    }

    private List<Map<String, @Nullable Object>> entities() throws IOException {
        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(30))) {
            Answer answer = connection.exchange(new Requests(endpoint).query(table, List.of()));
            assertThat(answer.header("x-ms-continuation-NextPartitionKey")).isEmpty();
            return JsonText.entities(answer.body());
        }
    }

    @Test
    void recordsAreLoadedReadAndUpdated() throws IOException, InterruptedException {
        String[] sizes = {
            "-threads", "4", "-p", "recordcount=200", "-p", "dataintegrity=true", "-P", workload("workloada")
        };

        Run load = ycsb(with(sizes, "-load")).succeeded();
        Run run = ycsb(with(sizes, "-t", "-p", "operationcount=400")).succeeded();

        assertThat(load.count("INSERT", "Return=OK")).isEqualTo(200);
        assertThat(run.count("READ", "Return=OK") + run.count("UPDATE", "Return=OK"))
                .isEqualTo(400);
        assertThat(run.count("VERIFY", "Return=OK")).isPositive().isEqualTo(run.count("READ", "Return=OK"));
        assertThat(entities()).hasSize(200).allSatisfy(entity -> {
            String key = String.valueOf(entity.get("RowKey"));
            assertThat(entity).containsEntry("PartitionKey", new Partitions(100).partitionKey(key));
            assertThat(entity.get("field3")).asString().hasSize(100).startsWith(key + ":field3:");
        });
    }

    @Test
    void aConstantRateIsMeasuredFromWhenOperationsWereDue() throws IOException, InterruptedException {
        String[] sizes = {
            "-threads",
            "2",
            "-p",
            "recordcount=100",
            "-p",
            "cleave.partitions=0",
            "-p",
            "fieldcount=2",
            "-P",
            workload("workloade")
        };

        ycsb(with(sizes, "-load")).succeeded();
        Run run = ycsb(with(
                        sizes,
                        "-t",
                        "-target",
                        "100",
                        "-p",
                        "operationcount=100",
                        "-p",
                        "measurement.interval=both",
                        "-p",
                        "measurementtype=hdrhistogram",
                        "-p",
                        "hdrhistogram.percentiles=50,99"))
                .succeeded();

        assertThat(run.count("SCAN", "Return=OK") + run.count("INSERT", "Return=OK"))
                .isEqualTo(100);
        assertThat(run.count("Intended-SCAN", "Operations")).isEqualTo(run.count("SCAN", "Operations"));
        assertThat(run.count("Intended-SCAN", "99thPercentileLatency(us)")).isPositive();
        assertThat(entities()).hasSize(100 + (int) run.count("INSERT", "Return=OK"));
        assertThat(entities())
                .allSatisfy(
                        entity -> assertThat(entity).containsEntry("RowKey", "").containsKeys("field0", "field1"));
    }

    @Test
    @Tag("nightly")
    void everyWorkloadRuns() throws IOException, InterruptedException {
        ycsb("-load", "-p", "recordcount=50", "-P", workload("workloada")).succeeded();
        for (String name : List.of("workloadb", "workloadc", "workloadf")) {
            Run run = ycsb("-t", "-p", "recordcount=50", "-p", "operationcount=50", "-P", workload(name))
                    .succeeded();
            assertThat(run.count("READ", "Return=OK")).as(name).isPositive();
        }
        Run latest = ycsb("-t", "-p", "recordcount=50", "-p", "operationcount=200", "-P", workload("workloadd"))
                .succeeded();
        assertThat(entities()).hasSize(50 + (int) latest.count("INSERT", "Return=OK"));
    }

    @Test
    void whatIsWrongIsSaidBeforeYcsbStarts() throws IOException, InterruptedException {
        Run wrong = ycsb("-load", "-P", workload("workloada"), "-p", "cleave.partitions=x");
        Run refused = ycsbAt(
                endpoint.connectionString().replaceFirst("AccountKey=..", "AccountKey=AA"),
                "-load",
                "-P",
                workload("workloada"));

        assertThat(wrong.exitCode).isEqualTo(2);
        assertThat(wrong.output).startsWith("cleave-ycsb: cleave.partitions=x is wrong");
        assertThat(refused.exitCode).isEqualTo(1);
        assertThat(refused.output)
                .contains("cannot be used: creating table " + table + " was answered 403")
                .doesNotContain("Starting test");
    }

    private static String[] with(String[] some, String... more) {
        List<String> all = new ArrayList<>(List.of(some));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private TableBinding binding(String... namesAndValues) throws DBException {
        Properties properties = new Properties();
        properties.setProperty("cleave.endpoint", "http://" + endpoint.host() + ":" + endpoint.port());
        properties.setProperty("table", table);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.setProperty(namesAndValues[i], namesAndValues[i + 1]);
        }
        TableBinding binding = new TableBinding();
        binding.setProperties(properties);
        binding.init();
        return binding;
    }

    private static Map<String, ByteIterator> fields(String... namesAndValues) {
        Map<String, ByteIterator> fields = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put(namesAndValues[i], new StringByteIterator(namesAndValues[i + 1]));
        }
        return fields;
    }

    private String read(TableBinding binding, String key, @Nullable Set<String> fields) {
        Map<String, ByteIterator> record = new HashMap<>();
        Status status = binding.read(table, key, fields, record);
        StringBuilder text = new StringBuilder(status.getName());
        record.keySet().stream()
                .sorted()
                .forEach(name -> text.append(' ').append(name).append('=').append(record.get(name)));
        return text.toString();
    }

    @Test
    void oneRecordLivesAndDies() throws DBException {
        TableBinding binding = binding();

        assertThat(read(binding, "it's", null)).isEqualTo("NOT_FOUND");
        assertThat(binding.update(table, "it's", fields("a", "1"))).isEqualTo(Status.NOT_FOUND);
        assertThat(binding.insert(table, "it's", fields("a", "1", "b", "é/%"))).isEqualTo(Status.OK);
        assertThat(binding.insert(table, "it's", fields("a", "2"))).isEqualTo(Outcomes.CONFLICT);
        assertThat(binding.update(table, "it's", fields("a", "3"))).isEqualTo(Status.OK);
        assertThat(read(binding, "it's", null)).isEqualTo("OK a=3 b=é/%");
        assertThat(read(binding, "it's", Set.of("b"))).isEqualTo("OK b=é/%");
        assertThat(binding.insert(table, "big", fields("a", "x".repeat(40_000))))
                .isEqualTo(Status.BAD_REQUEST);
        assertThat(binding.delete(table, "it's")).isEqualTo(Status.OK);
        assertThat(binding.delete(table, "it's")).isEqualTo(Status.NOT_FOUND);
        binding.cleanup();
    }

    @Test
    void anUpsertReplaces() throws DBException {
        TableBinding binding = binding("cleave.insert", "upsert");

        assertThat(binding.insert(table, "k", fields("a", "1", "b", "1"))).isEqualTo(Status.OK);
        assertThat(binding.insert(table, "k", fields("a", "2"))).isEqualTo(Status.OK);
        assertThat(read(binding, "k", null)).isEqualTo("OK a=2");
        binding.cleanup();
    }

    @Test
    void aScanReadsConsecutiveRecords() throws DBException {
        for (String partitions : List.of("0", "1")) {
            TableBinding binding = binding("cleave.partitions", partitions);
            for (int i = 0; i < 20; i++) {
                binding.insert(table, "k" + (10 + i), fields("a", "" + i, "b", ""));
            }
            assertThat(scanned(binding, "k15", 5, Set.of("a"))).containsExactly("5", "6", "7", "8", "9");
            assertThat(scanned(binding, "k28", 5, null)).containsExactly("18", "19");
            binding.cleanup();
        }
    }

    @SuppressWarnings({"JdkObsolete", "NonApiType"}) // YCSB's interface has it so.
    private List<String> scanned(TableBinding binding, String from, int count, @Nullable Set<String> fields) {
        Vector<HashMap<String, ByteIterator>> records = new Vector<>();
        assertThat(binding.scan(table, from, count, fields, records)).isEqualTo(Status.OK);
        return records.stream().map(record -> String.valueOf(record.get("a"))).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"url", "connection-string"})
    void aSignatureOfTheTableSuffices(String form) throws DBException, IOException {
        binding().cleanup();
        StringWriter out = new StringWriter();
        CommandLine sas = Cleave.commandLine().setOut(new PrintWriter(out, true));
        Path connection = Files.writeString(folder.resolve("connection.txt"), endpoint.connectionString());
        int exit = sas.execute(
                "sas",
                "table",
                table,
                "--permissions=ra",
                "--expiry=1h",
                "--print=" + form,
                "--connection-file=" + connection);
        assertThat(exit).isZero();
        Path file = Files.writeString(folder.resolve(table), out.toString());
        Properties properties = new Properties();
        properties.setProperty("cleave.connection-file", file.toString());
        properties.setProperty("table", table);
        TableBinding binding = new TableBinding();
        binding.setProperties(properties);
        binding.init();

        assertThat(binding.insert(table, "k", fields("a", "1"))).isEqualTo(Status.OK);
        assertThat(read(binding, "k", null)).isEqualTo("OK a=1");
        assertThat(binding.delete(table, "k")).isEqualTo(Status.FORBIDDEN);
        binding.cleanup();
    }
}
