package cleave.chaos.process;

import cleave.deploy.cluster.Jvm;
import cleave.deploy.cluster.Launch;
import cleave.deploy.cluster.NodeProcess;
import cleave.model.Readiness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One process of a cluster, over its lives: started, killed without warning, paused, started again. It does not outlive this process. Confined
 * to its owner.
 */
public final class ChildProcess {
    private static final int TAIL_LINES = 40;

    private final Path folder;
    private Supplier<Launch> launch;
    private final @Nullable AdminPort admin;
    private final Callable<Readiness> readiness;
    private final NodeProcess process;
    private long loggedBefore;

    /** One that runs the {@code cleave} command. */
    public ChildProcess(Path folder, Jvm jvm, List<String> arguments, AdminPort admin) {
        this(folder, () -> Launch.cleave(jvm, arguments), admin, admin::readiness);
    }

    /** One of another make, without an admin port. */
    ChildProcess(Path folder, Supplier<Launch> launch, Callable<Readiness> readiness) {
        this(folder, launch, null, readiness);
    }

    private ChildProcess(
            Path folder, Supplier<Launch> launch, @Nullable AdminPort admin, Callable<Readiness> readiness) {
        this.folder = folder;
        this.launch = launch;
        this.admin = admin;
        this.readiness = readiness;
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
        if (admin == null) {
            throw new IllegalStateException(name() + " has no admin port");
        }
        return admin;
    }

    public Readiness readiness() throws Exception {
        return readiness.call();
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
        Dependents.add(process.start(launch.get()).toHandle());
    }

    /** Its next starts are those of another build, or with more arguments. */
    void becomes(Jvm next, List<String> more) {
        Launch before = launch.get();
        launch = () -> new Launch(
                next, Stream.concat(before.command().stream(), more.stream()).toList());
    }

    /** Waits until it says that it is ready; fails at once if it ends. */
    public void awaitReady(Patience patience) {
        patience.until(name() + " is ready", () -> !isAlive() || isReady());
        if (!isAlive()) {
            throw new IllegalStateException(name() + " has ended:\n" + logTail());
        }
    }

    private boolean isReady() throws Exception {
        Readiness now = readiness();
        if (!now.ready()) {
            throw new IOException("it lacks: " + now.missing());
        }
        return true;
    }

    /** The operating system's id of the process, which lives. */
    public long id() {
        return process.living()
                .orElseThrow(() -> new IllegalStateException(name() + " does not run"))
                .pid();
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

    public void endQuietly() {
        if (isAlive()) {
            process.kill();
        }
    }

    /** The end of its log, for a report of a failure. */
    public String logTail() {
        return "---- " + logPlace() + "\n" + process.lastLines(TAIL_LINES);
    }

    /** Where its log is, and whether it lives. */
    public String logPlace() {
        return name() + (isAlive() ? "" : " (dead)") + ": " + process.log();
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
