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
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One process of a cluster under test, over its lives. It does not outlive this process. Confined to its owner. */
public final class ChildProcess extends NodeProcess {
    private static final int TAIL_LINES = 40;

    private Supplier<Launch> launch;
    private final @Nullable AdminPort admin;
    private final Callable<Readiness> readiness;
    private long loggedBefore;

    /** One that runs the {@code cleave} command. */
    public ChildProcess(Path folder, Jvm jvm, List<String> arguments, AdminPort admin) {
        this(folder, () -> Launch.cleave(jvm, arguments), admin, admin::readiness);
    }

    /** @param admin null for one of another make */
    ChildProcess(Path folder, Supplier<Launch> launch, @Nullable AdminPort admin, Callable<Readiness> readiness) {
        super(String.valueOf(folder.getFileName()), folder);
        this.launch = launch;
        this.admin = admin;
        this.readiness = readiness;
    }

    public AdminPort admin() {
        return Objects.requireNonNull(admin, name());
    }

    public Readiness readiness() throws Exception {
        return readiness.call();
    }

    public void start() {
        if (isAlive()) {
            throw new IllegalStateException(name() + " is already running");
        }
        try {
            loggedBefore = Files.exists(log()) ? Files.size(log()) : 0;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Dependents.add(start(launch.get()).toHandle());
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
        return living().orElseThrow().pid();
    }

    public boolean isAlive() {
        return living().isPresent();
    }

    /** SIGTERM: it hands over what it has and ends; returns when it is gone. */
    public void stop(Patience patience) {
        requestEnd();
        if (!awaitEnd(patience.limit())) {
            throw new IllegalStateException(name() + " does not end:\n" + logTail());
        }
    }

    public void endQuietly() {
        if (isAlive()) {
            kill();
        }
    }

    /** The end of its log, for a report of a failure. */
    public String logTail() {
        return "---- " + logPlace() + "\n" + lastLines(TAIL_LINES);
    }

    /** Where its log is, and whether it lives. */
    public String logPlace() {
        return name() + (isAlive() ? "" : " (dead)") + ": " + log();
    }

    /** True if a line holds this text, of those that it wrote since its latest start. */
    public boolean hasLogged(String text) throws IOException {
        if (!Files.exists(log())) {
            return false;
        }
        byte[] written = Files.readAllBytes(log());
        int from = (int) loggedBefore;
        return new String(written, from, written.length - from, StandardCharsets.UTF_8).contains(text);
    }
}
