package cleave.chaos.lab.exercise;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Processes of bounded duration, whose output is kept in a file. They end with this process. Stateless. */
final class Child {
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
     * Runs a command to its end.
     *
     * @param log receives the output
     * @param seen called with each line, as it is printed
     * @throws IOException if it cannot be started
     */
    static Ended run(
            Path folder,
            List<String> command,
            Map<String, String> environment,
            Duration most,
            Path log,
            Consumer<String> seen)
            throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        Thread hook = new Thread(() -> kill(process));
        Runtime.getRuntime().addShutdownHook(hook);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "end-of-time");
            thread.setDaemon(true);
            return thread;
        });
        AtomicBoolean killed = new AtomicBoolean();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
                Writer kept = Files.newBufferedWriter(log)) {
            process.getOutputStream().close();
            timer.schedule(
                    () -> {
                        killed.set(true);
                        kill(process);
                    },
                    most.toMillis(),
                    TimeUnit.MILLISECONDS);
            List<String> lines = new ArrayList<>();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
                kept.write(line + "\n");
                seen.accept(line);
            }
            return new Ended(process.waitFor(), killed.get(), lines);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted in " + command.get(0), interrupted));
        } finally {
            timer.shutdownNow();
            kill(process);
            forget(hook);
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // It is running, or has run.
        }
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
