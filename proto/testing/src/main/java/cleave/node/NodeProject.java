package cleave.node;

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

/** A folder of suites in JavaScript with their packages, installed by npm into the build folder. Immutable. */
public record NodeProject(Path folder) {
    private static final Path TESTS = Path.of("src", "test");
    private static final String LOCK = "package-lock.json";
    private static final long INSTALL_SECONDS = 300;
    private static final long RUN_SECONDS = 570;

    /** This machine lacks a program, or the packages cannot be had: nothing that is tested is wrong. The message says what is missing. */
    public static final class Missing extends IOException {
        private static final long serialVersionUID = 1;

        Missing(String message) {
            super(message);
        }
    }

    /**
     * Installs once, however many JVMs ask at the same time.
     *
     * @param sources the folder below {@code src/test} with the suites, {@code package.json} and its lock
     */
    @SuppressWarnings("try") // The lock is only held.
    public static synchronized NodeProject installed(Path sources) throws IOException {
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
            throw new Missing("npm cannot install the packages of " + target + " here: " + outcome.output);
        }
    }

    private static void needs(String program, String argument) throws IOException {
        program(program);
        if (run(Path.of("."), INSTALL_SECONDS, List.of(program, argument), Map.of()).exitCode != 0) {
            throw new Missing(program + " does not run on this machine");
        }
    }

    /** The first of these programs that is on this machine's PATH. */
    public static Path program(String... names) throws Missing {
        for (String name : names) {
            for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
                Path program = Path.of(folder, name);
                if (Files.isExecutable(program)) {
                    return program;
                }
            }
        }
        throw new Missing("there is no " + String.join(" and no ", names) + " on this machine's PATH");
    }

    /** Runs Node in the folder, and returns what it prints. */
    public String run(List<String> arguments, Map<String, String> environment) throws IOException {
        List<String> command = new ArrayList<>(List.of("node"));
        command.addAll(arguments);
        return printed(folder, command, environment);
    }

    /** Runs a program in a folder, and returns what it prints; one that fails or does not end is an error. */
    public static String printed(Path folder, List<String> command, Map<String, String> environment)
            throws IOException {
        Outcome outcome = run(folder, RUN_SECONDS, command, environment);
        if (outcome.exitCode != 0) {
            throw new IOException(String.join(" ", command) + " failed: " + outcome.output);
        }
        return outcome.output;
    }

    private record Outcome(int exitCode, String output) {}

    private static Outcome run(Path folder, long seconds, List<String> command, Map<String, String> environment)
            throws IOException {
        Path output = Files.createTempFile("node", ".out");
        ProcessBuilder builder = new ProcessBuilder(command)
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
