package cleave.chaos.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One process of a cluster, over its lives: started, killed without warning, paused, started again. Confined to its owner. Ends
 * only what it started itself, by its handle.
 */
public final class ChildProcess {
    private static final long END_SECONDS = 20;
    private static final int TAIL_LINES = 40;

    private final String name;
    private final List<String> command;
    private final Path folder;
    private final AdminPort admin;
    private @Nullable Process process;
    private long loggedBefore;

    ChildProcess(String name, List<String> command, Path folder, AdminPort admin) {
        this.name = name;
        this.command = List.copyOf(command);
        this.folder = folder;
        this.admin = admin;
    }

    /** The command that runs Cleave on the class path of this JVM. */
    static List<String> cleave(List<String> jvmOptions, Path folder, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.add("-Djava.io.tmpdir=" + folder);
        command.addAll(ClassArchive.options());
        command.add("cleave.deploy.Cleave");
        command.addAll(arguments);
        return command;
    }

    public String name() {
        return name;
    }

    public Path folder() {
        return folder;
    }

    public AdminPort admin() {
        return admin;
    }

    public void start() {
        if (isAlive()) {
            throw new IllegalStateException(name + " runs already");
        }
        try {
            Files.createDirectories(folder);
            loggedBefore = Files.exists(log()) ? Files.size(log()) : 0;
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** SIGKILL; returns when the process is gone. */
    public void kill() {
        Process running = running();
        running.destroyForcibly();
        await(running);
    }

    /** SIGTERM; returns when the process is gone. */
    public void stop() {
        Process running = running();
        running.destroy();
        await(running);
    }

    /** SIGSTOP: it does nothing until it is resumed, and does not notice. */
    public void pause() {
        signal("STOP");
    }

    /** SIGCONT. */
    public void resume() {
        signal("CONT");
    }

    /** The exit code of a process that ends by itself; null if it has not within the given time. */
    public @Nullable Integer exitCode(long seconds) throws InterruptedException {
        Process running = running();
        return running.waitFor(seconds, TimeUnit.SECONDS) ? running.exitValue() : null;
    }

    void endQuietly() {
        if (process != null && process.isAlive()) {
            process.destroyForcibly();
            await(process);
        }
    }

    private void signal(String signal) {
        try {
            Process kill = new ProcessBuilder(
                            "kill", "-" + signal, Long.toString(running().pid()))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill -" + signal + " " + name + ": " + said);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    private Process running() {
        if (process == null) {
            throw new IllegalStateException(name + " was never started");
        }
        return process;
    }

    private void await(Process ending) {
        try {
            if (!ending.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(name + " does not end");
            }
        } catch (InterruptedException stopped) {
            throw new IllegalStateException(stopped);
        }
    }

    private Path log() {
        return folder.resolve("output.log");
    }

    /** The end of what it wrote, for whoever looks into a failure. */
    public String logTail() {
        try {
            List<String> lines = Files.exists(log()) ? Files.readAllLines(log(), StandardCharsets.UTF_8) : List.of();
            int from = Math.max(0, lines.size() - TAIL_LINES);
            return "---- " + name + (isAlive() ? "" : " (dead)") + " " + log() + "\n"
                    + String.join("\n", lines.subList(from, lines.size()));
        } catch (IOException unreadable) {
            return "---- " + name + ": " + unreadable;
        }
    }

    /** True if a line holds this text, of those that it wrote since its latest start. */
    public boolean hasLogged(String text) throws IOException {
        if (!Files.exists(log())) {
            return false;
        }
        byte[] log = Files.readAllBytes(log());
        int from = (int) loggedBefore;
        return new String(log, from, log.length - from, StandardCharsets.UTF_8).contains(text);
    }
}
