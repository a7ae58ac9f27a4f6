package cleave.chaos.conformance;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The JavaScript suite with its packages, installed by npm into the build folder. Immutable. Where there is no Node or npm, or
 * the packages cannot be had, the test that asks for it is skipped and says so.
 */
record NodeProject(Path folder) {
    private static final Path SOURCES = Path.of("src", "test", "javascript");
    private static final Path TARGET = Path.of("target", "javascript");
    /** Made when npm has ended well. */
    private static final Path INSTALLED = TARGET.resolve("node_modules/.installed");

    private static final List<String> FILES =
            List.of("package.json", "package-lock.json", "harness.mjs", "suite.mjs", "access.mjs", "service.mjs");
    private static final long INSTALL_SECONDS = 120;
    private static final long RUN_SECONDS = 300;

    /** Installs once, however many JVMs ask at the same time. */
    @SuppressWarnings("try") // The lock is only held.
    static synchronized NodeProject installed() throws IOException {
        needs("node", "--version");
        needs("npm", "--version");
        Files.createDirectories(TARGET);
        try (FileChannel lock = FileChannel.open(
                        TARGET.resolveSibling("javascript.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = lock.lock()) {
            boolean sameLock = isCopied("package-lock.json");
            for (String file : FILES) {
                if (!isCopied(file)) {
                    Files.copy(SOURCES.resolve(file), TARGET.resolve(file), StandardCopyOption.REPLACE_EXISTING);
                }
            }
            if (!sameLock || !Files.exists(INSTALLED)) {
                install();
            }
        }
        return new NodeProject(TARGET);
    }

    private static boolean isCopied(String file) throws IOException {
        return Files.exists(TARGET.resolve(file)) && Files.mismatch(SOURCES.resolve(file), TARGET.resolve(file)) < 0;
    }

    private static void install() throws IOException {
        Outcome outcome = run(
                TARGET, INSTALL_SECONDS, List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"), Map.of());
        if (outcome.exitCode != 0) {
            abort("skipped: npm cannot install the JavaScript SDK here: " + outcome.output);
        }
        Files.writeString(INSTALLED, "");
    }

    private static void needs(String program, String argument) throws IOException {
        boolean found = folders(System.getenv("PATH")).stream()
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
        if (!found || run(Path.of("."), INSTALL_SECONDS, List.of(program, argument), Map.of()).exitCode != 0) {
            abort("skipped: there is no " + program + " on this machine's PATH");
        }
    }

    private static List<String> folders(String path) {
        return List.of(path.split(File.pathSeparator));
    }

    /** What the script prints. */
    String run(String script, String argument, Map<String, String> environment) throws IOException {
        Outcome outcome = run(folder, RUN_SECONDS, List.of("node", script, argument), environment);
        if (outcome.exitCode != 0) {
            throw new IOException("node " + script + " failed: " + outcome.output);
        }
        return outcome.output;
    }

    private record Outcome(int exitCode, String output) {}

    private static Outcome run(Path folder, long seconds, List<String> command, Map<String, String> environment)
            throws IOException {
        Path output = Files.createTempFile("node", ".out");
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(command + " did not end in " + seconds + " s");
            }
            return new Outcome(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } catch (InterruptedException stopped) {
            throw new IOException(stopped);
        } finally {
            Files.deleteIfExists(output);
        }
    }
}
