package cleave.chaos.conformance;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A folder of suites in JavaScript with their packages, installed by npm into the build folder. Immutable. Where there is no Node or npm, or
 * the packages cannot be had, the test that asks for it is skipped and says so.
 */
record NodeProject(Path folder) {
    private static final Path TESTS = Path.of("src", "test");
    private static final String LOCK = "package-lock.json";
    private static final long INSTALL_SECONDS = 300;
    private static final long RUN_SECONDS = 300;

    /**
     * Installs once, however many JVMs ask at the same time.
     *
     * @param sources the folder below {@code src/test} with the suites, {@code package.json} and its lock
     */
    @SuppressWarnings("try") // The lock is only held.
    static synchronized NodeProject installed(Path sources) throws IOException {
        needs("node", "--version");
        needs("npm", "--version");
        Path target = Path.of("target").resolve(TESTS.relativize(sources));
        Files.createDirectories(target);
        try (FileChannel lock = FileChannel.open(
                        target.resolveSibling(target.getFileName() + ".lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
                FileLock held = lock.lock()) {
            Path installed = target.resolve("node_modules/.installed"); // Made when npm has ended well.
            boolean sameLock = isCopied(sources.resolve(LOCK), target);
            copy(sources, target);
            if (!sameLock || !Files.exists(installed)) {
                install(target);
                Files.writeString(installed, "");
            }
        }
        return new NodeProject(target);
    }

    private static void copy(Path sources, Path target) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(sources, Files::isRegularFile)) {
            for (Path file : files) {
                if (!isCopied(file, target)) {
                    Files.copy(file, target.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    private static boolean isCopied(Path file, Path target) throws IOException {
        Path copy = target.resolve(file.getFileName());
        return Files.exists(copy) && Files.mismatch(file, copy) < 0;
    }

    private static void install(Path target) throws IOException {
        Outcome outcome = run(
                target, INSTALL_SECONDS, List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"), Map.of());
        if (outcome.exitCode != 0) {
            abort("skipped: npm cannot install the packages of " + target + " here: " + outcome.output);
        }
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

    /** Runs the script and returns what it prints. */
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
