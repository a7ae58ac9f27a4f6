package cleave.deploy.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import cleave.runtime.rpc.TestPorts;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image in a container as the manifests ask for it: another user than root, a read-only root, no capabilities. Skipped where there is
 * no image (deploy/image/build makes it), no runc, or no right to use it.
 */
class ImageIT {
    private static final Path ARCHIVE = Path.of("..", "target", "image", "cleave-amd64.tar");
    private static final long IMAGE_BYTES_MAX = 150_000_000;
    private static final Pattern DIGEST = Pattern.compile("blobs/sha256/[0-9a-f]{64}");
    private static final int USER = 10001;

    @TempDir
    private Path dir;

    private final String container = "cleave-image-" + ProcessHandle.current().pid();

    /** The exit status and output of a command. */
    private record Ran(int status, String out) {}

    private static Ran run(Path folder, String... command) throws IOException, InterruptedException {
        Path out = Files.createTempFile("cleave-image", ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            assertThat(process.waitFor(2, TimeUnit.MINUTES))
                    .as(String.join(" ", command))
                    .isTrue();
            return new Ran(process.exitValue(), Files.readString(out));
        } finally {
            Files.delete(out);
        }
    }

    @BeforeEach
    void unpack() throws IOException, InterruptedException {
        assumeThat(ARCHIVE).as("there is no image; deploy/image/build makes it").exists();
        boolean hasRunc = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "runc")));
        assumeThat(hasRunc)
                .as("there is no runc on the PATH (Debian: apt install runc): the image is not started")
                .isTrue();
        assumeThat(System.getProperty("user.name"))
                .as("only root may start a container: the image is not started")
                .isEqualTo("root");
        Path layout = Files.createDirectory(dir.resolve("layout"));
        Path root = Files.createDirectory(dir.resolve("rootfs"));
        assertThat(run(dir, "tar", "-xf", ARCHIVE.toAbsolutePath().toString(), "-C", layout.toString())
                        .status())
                .isZero();
        String layers = Files.readString(layout.resolve("manifest.json")).split("\"Layers\"", 2)[1];
        for (Matcher layer = DIGEST.matcher(layers); layer.find(); ) {
            assertThat(run(layout, "tar", "-xzf", layer.group(), "-C", root.toString())
                            .status())
                    .isZero();
        }
        Files.createDirectories(root.resolve("data"));
    }

    @AfterEach
    void remove() throws IOException, InterruptedException {
        if (Files.exists(dir.resolve("config.json"))) {
            run(dir, "runc", "delete", "--force", container);
        }
    }

    /** A container on the network of this machine, with /tmp and /data to write to. */
    private void configure(String... arguments) throws IOException, InterruptedException {
        for (String folder : List.of("tmp", "data")) {
            Path made = Files.createDirectory(dir.resolve(folder));
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (JsonGenerator json = new JsonFactory()
                .createGenerator(Files.newBufferedWriter(dir.resolve("config.json"), StandardCharsets.UTF_8))) {
            json.writeStartObject();
            json.writeStringField("ociVersion", "1.0.2");
            json.writeObjectFieldStart("root");
            json.writeStringField("path", "rootfs");
            json.writeBooleanField("readonly", true);
            json.writeEndObject();
            process(json, arguments);
            json.writeArrayFieldStart("mounts");
            mount(json, "/proc", "proc", "proc");
            mount(json, "/dev", "tmpfs", "tmpfs", "nosuid", "mode=755");
            mount(json, "/tmp", "bind", dir.resolve("tmp").toString(), "bind", "rw");
            mount(json, "/data", "bind", dir.resolve("data").toString(), "bind", "rw");
            json.writeEndArray();
            json.writeObjectFieldStart("linux");
            json.writeArrayFieldStart("namespaces");
            for (String namespace : List.of("pid", "ipc", "uts", "mount")) {
                json.writeStartObject();
                json.writeStringField("type", namespace);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
            json.writeEndObject();
        }
    }

    private static void process(JsonGenerator json, String... arguments) throws IOException {
        json.writeObjectFieldStart("process");
        json.writeObjectFieldStart("user");
        json.writeNumberField("uid", USER);
        json.writeNumberField("gid", USER);
        json.writeEndObject();
        json.writeArrayFieldStart("args");
        for (String argument : arguments) {
            json.writeString(argument);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("env");
        json.writeString("PATH=/opt/cleave/bin:/opt/java/bin:/bin");
        json.writeString("CLEAVE_JAVA_OPTS=-Xmx256m");
        json.writeEndArray();
        json.writeStringField("cwd", "/");
        json.writeBooleanField("noNewPrivileges", true);
        json.writeObjectFieldStart("capabilities");
        json.writeEndObject();
        json.writeArrayFieldStart("rlimits");
        json.writeStartObject();
        json.writeStringField("type", "RLIMIT_NOFILE");
        json.writeNumberField("hard", 16_384);
        json.writeNumberField("soft", 16_384);
        json.writeEndObject();
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void mount(JsonGenerator json, String destination, String type, String source, String... options)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("destination", destination);
        json.writeStringField("type", type);
        json.writeStringField("source", source);
        json.writeArrayFieldStart("options");
        for (String option : options) {
            json.writeString(option);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    @Test
    void theImageIsSmallerThanItsLimit() throws IOException {
        assertThat(Files.size(ARCHIVE)).isLessThan(IMAGE_BYTES_MAX);
    }

    @Test
    void nothingCanBeWrittenButWhatIsMounted() throws Exception {
        configure(
                "/bin/sh",
                "-c",
                "(echo no > /opt/cleave/x) 2>/dev/null || echo read-only; echo yes > /data/x && echo written");
        assertThat(run(dir, "runc", "run", container).out()).isEqualTo("read-only\nwritten\n");
    }

    /** It is optional for the JVM, which would be silent about one that does not fit; starts would only take longer. */
    @Test
    void classesComeFromTheArchiveThatWasMadeForIt() throws Exception {
        configure("/bin/sh", "-c", "CLEAVE_JAVA_OPTS=-Xlog:class+load:stdout exec /opt/cleave/bin/cleave --version");
        assertThat(run(dir, "runc", "run", container)
                        .out()
                        .lines()
                        .filter(line -> line.contains(" cleave.deploy.Cleave ")))
                .singleElement()
                .asString()
                .contains("source: shared objects file");
    }

    @Test
    void allRolesStartInItAndEndWhenTold() throws Exception {
        int admin = TestPorts.free();
        configure(
                "/opt/cleave/bin/cleave",
                "standalone",
                "--port",
                Integer.toString(TestPorts.free()),
                "--data",
                "/data/cleave",
                "--admin-port",
                Integer.toString(admin));
        Process started = new ProcessBuilder("runc", "run", container)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
        try {
            assertThat(awaitReady(started, admin))
                    .as(Files.readString(dir.resolve("log")))
                    .isTrue();
            try (Stream<Path> unpacked = Files.walk(dir.resolve("tmp"))) {
                assertThat(unpacked.map(Path::toString))
                        .as("native libraries are loaded from the image, not unpacked")
                        .noneMatch(name -> name.contains(".so"));
            }
            assertThat(Files.readString(dir.resolve("log")))
                    .as("the JVM has the permissions that it warns of")
                    .doesNotContain("WARNING:");
            assertThat(run(dir, "runc", "kill", container, "TERM").status()).isZero();
            assertThat(started.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(started.exitValue())
                    .as(Files.readString(dir.resolve("log")))
                    .isZero();
        } finally {
            started.destroyForcibly();
        }
    }

    private static boolean awaitReady(Process process, int port) throws IOException, InterruptedException {
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest ready = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/readyz"))
                .build();
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (System.nanoTime() < end && !process.waitFor(100, TimeUnit.MILLISECONDS)) {
            try {
                if (http.send(ready, BodyHandlers.discarding()).statusCode() == 200) {
                    return true;
                }
            } catch (ConnectException notYet) {
                // The loop goes on.
            }
        }
        return false;
    }
}
