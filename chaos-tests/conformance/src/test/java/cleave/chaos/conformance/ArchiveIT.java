package cleave.chaos.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import cleave.runtime.rpc.TestPorts;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.TableEntity;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of a release where there is neither a JDK nor Maven. Skipped where there is none; {@code .ci/release} makes it. */
class ArchiveIT {
    private static final Path RELEASES = Path.of("..", "..", "deploy", "target", "release");
    private static final Patience PATIENCE = Patience.ofSeconds(120);

    /** It has a blank, as a user's folder may. */
    @TempDir
    private Path dir;

    private Path cleave = Path.of("");

    @BeforeEach
    void unpack() throws IOException, InterruptedException {
        String platform = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
        assumeThat(RELEASES).as("there is no release; .ci/release makes it").isDirectory();
        Optional<Path> archive;
        try (Stream<Path> files = Files.list(RELEASES)) {
            archive = files.filter(file -> file.toString().endsWith("-linux-" + platform + ".tar.gz"))
                    .max(Path::compareTo);
        }
        assumeThat(archive).as("there is no archive for " + platform).isPresent();
        Path folder = Files.createDirectory(dir.resolve("a folder"));
        assertThat(new ProcessBuilder(
                                "tar",
                                "-xzf",
                                archive.orElseThrow().toAbsolutePath().toString(),
                                "--strip-components=1")
                        .directory(folder.toFile())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        cleave = Files.createSymbolicLink(dir.resolve("cleave"), folder.resolve("bin/cleave"));
    }

    /** A process that finds no program but those that every system has. */
    private Process start(String... arguments) throws IOException {
        return start(dir.resolve("log"), arguments);
    }

    private Process start(Path log, String... arguments) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(Stream.concat(Stream.of(cleave.toString()), Stream.of(arguments))
                .toList());
        builder.environment().clear();
        Path bin = Files.createDirectories(dir.resolve("bin"));
        for (String tool : List.of("sh", "readlink")) {
            if (!Files.exists(bin.resolve(tool))) {
                Files.createSymbolicLink(bin.resolve(tool), Path.of("/bin", tool));
            }
        }
        builder.environment().putAll(Map.of("PATH", bin.toString(), "CLEAVE_JAVA_OPTS", "-Xmx256m"));
        return builder.directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    @Test
    void theCommandNamesItsVersionAndCommit() throws Exception {
        Process version = start("--version");
        assertThat(version.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(Files.readString(dir.resolve("log")))
                .matches("cleave \\d+\\.\\d+\\.\\d+\\S*-[0-9a-f]{12} \\(Java .*\\)\\n");
    }

    @Test
    void itServesTheSdkIsRecordedAndEndsWhenTold() throws Exception {
        int port = TestPorts.free();
        int admin = TestPorts.free();
        Process process = start(
                "standalone",
                "--port",
                Integer.toString(port),
                "--admin-port",
                Integer.toString(admin),
                "--data",
                "data",
                "--no-board");
        try {
            TableServiceClient service = JavaSdk.of(Endpoint.development(URI.create("http://127.0.0.1:" + port)))
                    .service();
            PATIENCE.until("it serves", () -> {
                assertThat(process.isAlive())
                        .as(Files.readString(dir.resolve("log")))
                        .isTrue();
                service.createTableIfNotExists("notes");
                return true;
            });
            TableClient table = service.getTableClient("notes");
            table.createEntity(new TableEntity("today", "1").addProperty("Text", "hello"));
            assertThat(table.getEntity("today", "1").getProperty("Text")).isEqualTo("hello");
            assertIsRecorded(admin);
            process.destroy();
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue())
                    .as(Files.readString(dir.resolve("log")))
                    .isZero();
            assertThat(Files.readString(dir.resolve("log"))).doesNotContain("WARNING:");
        } finally {
            process.destroyForcibly();
        }
    }

    /** The trimmed runtime has a Flight Recorder. */
    private void assertIsRecorded(int admin) throws Exception {
        Path log = dir.resolve("recording.log");
        Process recorded = start(
                log, "admin", "process", "recording", "127.0.0.1:" + admin, "--seconds", "1", "--output", "own.jfr");
        assertThat(recorded.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(recorded.exitValue()).as(Files.readString(log)).isZero();
        assertThat(RecordingFile.readAllEvents(dir.resolve("own.jfr"))).isNotEmpty();
    }
}
