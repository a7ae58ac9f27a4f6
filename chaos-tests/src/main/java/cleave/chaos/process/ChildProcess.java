package cleave.chaos.process;

import cleave.deploy.cluster.Jvm;
import cleave.deploy.cluster.NodeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** One process of a cluster, over its lives: started, killed without warning, paused, started again. Confined to its owner. */
public final class ChildProcess {
    private static final int TAIL_LINES = 40;

    private final Path folder;
    private Jvm jvm;
    private List<String> arguments;
    private final AdminPort admin;
    private final NodeProcess process;
    private long loggedBefore;

    ChildProcess(Path folder, Jvm jvm, List<String> arguments, AdminPort admin) {
        this.folder = folder;
        this.jvm = jvm;
        this.arguments = List.copyOf(arguments);
        this.admin = admin;
        this.process = new NodeProcess(name(), folder);
    }

    /** Such as {@code server-2}. */
    public String name() {
        return folder.getFileName().toString();
    }

    public Path folder() {
        return folder;
    }

    public AdminPort admin() {
        return admin;
    }

    public void start() {
        if (isAlive()) {
            throw new IllegalStateException(name() + " is already running");
        }
        try {
            loggedBefore = Files.exists(process.log()) ? Files.size(process.log()) : 0;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        process.start(jvm, arguments);
    }

    /** Its next starts are those of another build, or with more arguments. */
    void becomes(Jvm next, List<String> more) {
        jvm = next;
        arguments = Stream.concat(arguments.stream(), more.stream()).toList();
    }

    public boolean isAlive() {
        return process.living().isPresent();
    }

    /** SIGKILL; returns when the process is gone. */
    public void kill() {
        process.kill();
    }

    /** SIGTERM: it hands over what it has and ends; returns when it is gone. */
    public void stop(Patience patience) {
        process.requestEnd();
        if (!process.awaitEnd(patience.limit())) {
            throw new IllegalStateException(name() + " does not end:\n" + logTail());
        }
    }

    /** SIGSTOP: it does nothing until it is resumed, and does not notice. */
    public void pause() {
        process.pause();
    }

    /** SIGCONT. */
    public void resume() {
        process.resume();
    }

    void endQuietly() {
        if (isAlive()) {
            process.kill();
        }
    }

    /** The end of its log, for a report of a failure. */
    public String logTail() {
        return "---- " + name() + (isAlive() ? "" : " (dead)") + " " + process.log() + "\n"
                + process.lastLines(TAIL_LINES);
    }

    /** True if a line holds this text, of those that it wrote since its latest start. */
    public boolean hasLogged(String text) throws IOException {
        if (!Files.exists(process.log())) {
            return false;
        }
        byte[] log = Files.readAllBytes(process.log());
        int from = (int) loggedBefore;
        return new String(log, from, log.length - from, StandardCharsets.UTF_8).contains(text);
    }
}
