package cleave.chaos.bench.peer;

import cleave.chaos.process.Dependents;
import cleave.chaos.process.Patience;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** A process of another make, which does not outlive this one. What it prints is in a file. Confined to its owner. */
final class OtherProcess implements AutoCloseable {
    private static final Duration END = Duration.ofSeconds(20);
    private static final int TAIL_LINES = 30;

    private final String name;
    private final Path log;
    private final Process process;

    private OtherProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /**
     * Starts it.
     *
     * @param name for people, and of its log
     * @param folder where it works, and where its log is
     */
    static OtherProcess started(String name, Path folder, List<String> command) throws IOException {
        Path log = folder.resolve(name + ".log");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Dependents.add(process.toHandle());
        return new OtherProcess(name, log, process);
    }

    /** Runs it to its end; CommandFailure, with what it printed, unless it succeeds in time. */
    static void run(String name, Path folder, List<String> command, Duration limit)
            throws IOException, InterruptedException {
        try (OtherProcess started = started(name, folder, command)) {
            if (!started.process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS) || started.process.exitValue() != 0) {
                throw started.failure("failed");
            }
        }
    }

    /** Waits until it is ready; CommandFailure, with what it printed, if it ends before, or is not in time. */
    void awaitReady(Patience patience, Callable<Boolean> isReady) {
        try {
            patience.until(name + " is ready", () -> !process.isAlive() || isReady.call());
        } catch (IllegalStateException late) {
            throw failure("is not ready: " + late.getMessage());
        }
        if (!process.isAlive()) {
            throw failure("has ended");
        }
    }

    private CommandFailure failure(String what) {
        return CommandFailure.failed(name + " " + what + "; the end of what it printed:\n" + tail());
    }

    private String tail() {
        try {
            List<String> lines = new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    long id() {
        return process.pid();
    }

    /** SIGTERM, and SIGKILL to it and its children if it does not end. */
    @Override
    public void close() {
        process.destroy();
        process.onExit()
                .completeOnTimeout(process, END.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
