package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.Wait;
import cleave.runtime.files.PrivateFiles;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The process of one node, found again by the record in its folder. Confined to one thread.
 *
 * <p>Each process gets its own token on its command line, and is signalled only if the process with the recorded id still carries that
 * token. So a process that was given the same id since is never touched.
 */
public class NodeProcess {
    private static final String TOKEN = "-Dcleave.process=";
    /** Java cannot choose the mode of files that libraries make. */
    private static final List<String> PRIVATELY = List.of("/bin/sh", "-c", "umask 077; exec \"$@\"", "sh");

    private static final Duration KILL_PATIENCE = Duration.ofSeconds(20);
    private static final Duration EXEC_PATIENCE = Duration.ofSeconds(1);
    private static final Duration POLL = Duration.ofMillis(5);

    private final String name;
    private final Path folder;

    /** @param name for people: {@code server 2} */
    public NodeProcess(String name, Path folder) {
        this.name = name;
        this.folder = folder;
    }

    public final String name() {
        return name;
    }

    public final Path folder() {
        return folder;
    }

    public final Path log() {
        return folder.resolve("log");
    }

    /** Starts it; a detached one in its own session where the system has setsid. */
    public final Process start(Launch launch) {
        Jvm jvm = launch.jvm();
        String token = UUID.randomUUID().toString();
        List<String> command = new ArrayList<>();
        Path setsid = Path.of("/usr/bin/setsid");
        if (jvm.isDetached() && Files.isExecutable(setsid)) {
            command.add(setsid.toString());
        }
        if (Files.isExecutable(Path.of(PRIVATELY.get(0)))) {
            command.addAll(PRIVATELY);
        }
        command.add(Jvm.executable());
        command.add(TOKEN + token);
        command.add("@" + jvm.writeArguments(folder, folder.getFileName().toString()));
        command.addAll(launch.command());
        try {
            PrivateFiles.make(folder);
            PrivateFiles.open(log(), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                    .close();
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectInput(Redirect.from(new File("/dev/null")))
                    .redirectOutput(Redirect.appendTo(log().toFile()))
                    .redirectErrorStream(true)
                    .start();
            PrivateFiles.write(remembered(), "pid=" + process.pid() + "\ntoken=" + token + "\n");
            return process;
        } catch (IOException failed) {
            throw new UncheckedIOException("starting " + name, failed);
        }
    }

    /** The process, if the one that was started last still lives. */
    public final Optional<ProcessHandle> living() {
        Properties properties = new Properties();
        if (!Files.exists(remembered())) {
            return Optional.empty();
        }
        try (Reader in = Files.newBufferedReader(remembered(), StandardCharsets.UTF_8)) {
            properties.load(in);
            long pid = Long.parseLong(properties.getProperty("pid", "0"));
            String token = TOKEN + properties.getProperty("token", "");
            return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).filter(handle -> carries(handle, token));
        } catch (IOException | NumberFormatException unreadable) {
            return Optional.empty();
        }
    }

    private static boolean carries(ProcessHandle handle, String token) {
        AtomicReference<List<String>> words = new AtomicReference<>(List.of());
        // A process has no arguments while it replaces its program, as setsid and the shell do.
        Wait.until(
                () -> !handle.isAlive()
                        || !Objects.requireNonNull(words.updateAndGet(none -> words(handle)))
                                .isEmpty(),
                EXEC_PATIENCE,
                POLL);
        return Objects.requireNonNull(words.get()).stream().anyMatch(word -> word.contains(token));
    }

    private static List<String> words(ProcessHandle handle) {
        ProcessHandle.Info info = handle.info();
        return info.arguments()
                .map(List::of)
                .or(() -> info.commandLine().map(List::of))
                .orElse(List.of());
    }

    /** SIGKILL, and waits until it is gone. */
    public final void kill() {
        ProcessHandle handle = mustLive();
        handle.destroyForcibly();
        if (!awaitEnd(handle, KILL_PATIENCE)) {
            throw CommandFailure.failed(name + " was killed but does not end");
        }
    }

    /** SIGTERM, if it lives: it ends in order, also if it was paused. */
    public final void requestEnd() {
        living().ifPresent(handle -> {
            signal(handle, "CONT");
            handle.destroy();
        });
    }

    /** False if it still lives after the time. */
    public final boolean awaitEnd(Duration atMost) {
        return living().map(handle -> awaitEnd(handle, atMost)).orElse(true);
    }

    public final void pause() {
        signal(mustLive(), "STOP");
    }

    public final void resume() {
        signal(mustLive(), "CONT");
    }

    /** True if it is stopped by a signal; false where the system does not show it. */
    boolean isPaused() {
        return living().map(handle -> {
                    try {
                        String stat = Files.readString(Path.of("/proc/" + handle.pid() + "/stat"));
                        return stat.substring(stat.lastIndexOf(')') + 1).strip().startsWith("T");
                    } catch (IOException unknown) {
                        return false;
                    }
                })
                .orElse(false);
    }

    /** The log's last lines, for a process that did not come up. */
    public final String lastLines(int count) {
        try {
            List<String> lines = Files.readAllLines(log(), StandardCharsets.UTF_8);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - count), lines.size()));
        } catch (IOException unreadable) {
            return "(no log)";
        }
    }

    private ProcessHandle mustLive() {
        return living().orElseThrow(() ->
                CommandFailure.failed(name + " is not running; 'cleave cluster status' shows which processes are"));
    }

    private static boolean awaitEnd(ProcessHandle handle, Duration atMost) {
        try {
            handle.onExit().get(atMost.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (ExecutionException unknown) {
            return !handle.isAlive();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Java can send only two signals itself. */
    private static void signal(ProcessHandle handle, String name) {
        @Nullable IOException failure = null;
        try {
            Process shell = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + handle.pid())
                    .redirectErrorStream(true)
                    .start();
            shell.getInputStream().transferTo(OutputStream.nullOutputStream());
            if (shell.waitFor() == 0) {
                return;
            }
        } catch (IOException failed) {
            failure = failed;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        throw CommandFailure.failed("signal " + name + " could not be sent to process " + handle.pid()
                + (failure == null ? "" : ": " + failure));
    }

    private Path remembered() {
        return folder.resolve("process");
    }
}
