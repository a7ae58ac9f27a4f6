package cleave.chaos.lab.exercise;

import cleave.deploy.CommandFailure;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Processes of bounded duration. They end with this process. Stateless. */
final class Child {
    private static final Duration GIT_MAX = Duration.ofMinutes(5);

    private Child() {}

    /**
     * The end of a process. Immutable.
     *
     * @param status of its exit; means nothing if it was killed
     * @param wasKilled because its time was over
     * @param lines all that it printed
     */
    record Ended(int status, boolean wasKilled, List<String> lines) {
        boolean isRight() {
            return status == 0 && !wasKilled;
        }
    }

    /**
     * Runs a command to its end, Maven on this process' Java if that has a compiler.
     *
     * @param log receives the output; null: nothing does
     * @param seen called with each line, as it is printed
     * @throws CommandFailure if there is no such program
     */
    static Ended run(Path folder, List<String> command, Duration most, @Nullable Path log, Consumer<String> seen)
            throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        Path java = Path.of(System.getProperty("java.home"));
        if (Files.isExecutable(java.resolve("bin/javac"))) {
            builder.environment().put("JAVA_HOME", java.toString());
        }
        // Git must see no repository but the one in the folder.
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        builder.environment().put("GIT_CEILING_DIRECTORIES", String.valueOf(folder.getParent()));
        Process process = started(builder);
        Thread hook = new Thread(() -> kill(process));
        Runtime.getRuntime().addShutdownHook(hook);
        CompletableFuture<Void> overdue = CompletableFuture.runAsync(
                () -> kill(process), CompletableFuture.delayedExecutor(most.toMillis(), TimeUnit.MILLISECONDS));
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
                Writer kept = log == null ? Writer.nullWriter() : new BufferedWriter(Files.newBufferedWriter(log))) {
            process.getOutputStream().close();
            List<String> lines = new ArrayList<>();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
                kept.write(line + "\n");
                seen.accept(line);
            }
            return new Ended(process.waitFor(), !overdue.cancel(false), lines);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted in " + command.get(0), interrupted));
        } finally {
            overdue.cancel(false);
            kill(process);
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException ending) {
                // It is running, or has run.
            }
        }
    }

    private static Process started(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException missing) {
            String program = builder.command().get(0);
            throw CommandFailure.failed(
                    "exercises need " + program + ", but there is none on the PATH (Debian: apt install "
                            + (program.equals("mvn") ? "maven" : program) + "): " + missing.getMessage());
        }
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /**
     * Runs git in a folder, and returns what it printed.
     *
     * @throws IOException with git's words if it refuses
     */
    static List<String> git(Path folder, String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("git", "-c", "core.quotePath=false", "-c", "core.autocrlf=false"));
        command.addAll(List.of(arguments));
        Ended ended = run(folder, command, GIT_MAX, null, line -> {});
        if (!ended.isRight()) {
            throw new IOException(String.join("; ", ended.lines()));
        }
        return ended.lines();
    }
}
