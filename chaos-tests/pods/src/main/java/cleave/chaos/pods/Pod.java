package cleave.chaos.pods;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One pod from its start to its end: its process in its namespaces, restarted when it ends, and probed. Thread-safe;
 * its own thread acts as the kubelet.
 */
final class Pod {
    /** The delay until Services notice that a pod is ready or no longer is. */
    private static final long HEARSAY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long FIRST_PAUSE_SECONDS = 10;
    private static final long PAUSE_SECONDS_MAX = 300;
    private static final String PATH =
            "/opt/cleave/bin:/opt/java/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private final PodPlan plan;
    private final Image image;
    private final Network.Link link;
    private final Path folder;
    private final Runnable atEnd;
    private final CountDownLatch leaving = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread keeper;
    private volatile @Nullable Process process;
    private volatile long killAt;
    private volatile boolean ready;
    private volatile long readyChanged = System.nanoTime() - HEARSAY_NANOS;
    private final AtomicInteger starts = new AtomicInteger();
    private volatile int status = -1;
    private volatile long launchedAt;
    private volatile long answeredAt;
    private volatile @Nullable Start started;

    /**
     * The first start of its process, until it was ready. Immutable.
     *
     * @param launched when the process began, by the clock of {@link System#nanoTime}
     * @param answered when its startup probe succeeded
     * @param ready when its readiness probe succeeded
     * @param processor the processor time that it had used by then
     */
    record Start(long launched, long answered, long ready, Duration processor) {}

    /**
     * @param folder for its log
     * @param atEnd releases its address
     */
    Pod(PodPlan plan, Image image, Network.Link link, Path folder, Runnable atEnd) {
        this.plan = plan;
        this.image = image;
        this.link = link;
        this.folder = folder;
        this.atEnd = atEnd;
        this.keeper = new Thread(this::keep, plan.name());
        keeper.setDaemon(true);
    }

    void start() {
        keeper.start();
    }

    PodPlan plan() {
        return plan;
    }

    String name() {
        return plan.name();
    }

    Network.Link link() {
        return link;
    }

    /** True if its readiness probe succeeds and it is not terminating. */
    boolean isReady() {
        return ready;
    }

    /** True once Services know that it is ready, a little later. */
    boolean isPublished() {
        return System.nanoTime() - readyChanged >= HEARSAY_NANOS ? ready : !ready;
    }

    boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** The number of starts of its process. */
    int starts() {
        return starts.get();
    }

    /** The exit status of its process. */
    int status() {
        return status;
    }

    /** Null until it was ready. */
    @Nullable
    Start started() {
        return started;
    }

    Path log() {
        return folder.resolve("log");
    }

    /** SIGTERM now, SIGKILL after the grace period. */
    void delete() {
        leave(plan.graceSeconds());
        Process running = process;
        if (running != null) {
            running.destroy();
        }
    }

    /** SIGKILL. */
    void kill() {
        leave(0);
        Process running = process;
        if (running != null) {
            running.destroyForcibly();
        }
    }

    private void leave(long graceSeconds) {
        killAt = System.nanoTime() + TimeUnit.SECONDS.toNanos(graceSeconds);
        leaving.countDown();
        setReady(false);
    }

    private boolean isLeaving() {
        return leaving.getCount() == 0;
    }

    /** Waits until its process is gone and its address is released. */
    void awaitEnd() throws InterruptedException {
        ended.await();
    }

    private void setReady(boolean now) {
        if (ready != now) {
            ready = now;
            readyChanged = System.nanoTime();
        }
    }

    private void keep() {
        try {
            long pauseSeconds = 0;
            do {
                Process running = launch();
                launchedAt = System.nanoTime();
                process = running;
                starts.incrementAndGet();
                if (isLeaving()) {
                    running.destroy(); // It was deleted while its process started.
                }
                watch(running);
                status = running.exitValue();
                setReady(false);
                pauseSeconds = next(pauseSeconds, starts.get());
            } while (plan.restarts() && !leaving.await(pauseSeconds, TimeUnit.SECONDS));
        } catch (IOException failed) {
            throw new UncheckedIOException(plan.name() + " cannot be started", failed);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            setReady(false);
            try {
                atEnd.run();
            } finally {
                ended.countDown();
            }
        }
    }

    /** The next pause: none the first time, then growing ones. */
    private static long next(long pauseSeconds, int starts) {
        return starts == 1 ? 0 : Math.min(PAUSE_SECONDS_MAX, Math.max(FIRST_PAUSE_SECONDS, 2 * pauseSeconds));
    }

    private Process launch() throws IOException {
        Path hosts = Image.readable(Files.writeString(
                folder.resolve("hosts"), "127.0.0.1 localhost\n" + link.address() + " " + plan.name() + "\n"));
        List<String> command = new ArrayList<>(List.of(
                "nsenter",
                "--net=/run/netns/" + link.namespace(),
                "unshare",
                "--mount",
                "--uts",
                "sh",
                "-ec",
                script(hosts),
                "sh"));
        command.addAll(plan.command());
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(Redirect.appendTo(log().toFile()));
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.putAll(Map.of("PATH", PATH, "LANG", "C.UTF-8", "HOSTNAME", plan.name()));
        environment.putAll(plan.environment());
        return builder.start();
    }

    /**
     * The script that gives the process the container's host name, volumes, root and rights. Signals reach the
     * container's command.
     */
    private String script(Path hosts) {
        String root = image.root().toString();
        PodPlan.Rights rights = plan.rights();
        StringBuilder script = new StringBuilder("umask 022\necho " + plan.name() + " > /proc/sys/kernel/hostname\n"
                + "mount --bind " + hosts + " " + root + "/etc/hosts\n");
        for (PodPlan.Mount mount : plan.mounts()) {
            String path = root + mount.path();
            script.append("chgrp -R " + rights.volumes() + " " + mount.folder() + "\n"
                    + (mount.isReadOnly() ? "chmod -R g+rX " : "chmod 2777 ") + mount.folder() + "\n"
                    + "mkdir -p " + path + "\n"
                    + "mount --bind " + mount.folder() + " " + path + "\n"
                    + (mount.isReadOnly() ? "mount -o remount,bind,ro " + path + "\n" : ""));
        }
        if (rights.rootIsReadOnly()) {
            script.append("mount -o remount,bind,ro " + root + "\n");
        }
        return script.append("exec chroot " + root + " setpriv --reuid=" + rights.user() + " --regid=" + rights.group()
                        + " --groups=" + rights.volumes()
                        + " --no-new-privs --inh-caps=-all --bounding-set=-all \"$@\"\n")
                .toString();
    }

    /** Probes the process until it ends; ends it when it is unhealthy. */
    private void watch(Process running) throws InterruptedException {
        Rounds startup = new Rounds(plan.startup());
        Rounds readiness = new Rounds(plan.readiness());
        Rounds liveness = new Rounds(plan.liveness());
        boolean begun = plan.startup() == null;
        setReady(begun && plan.readiness() == null);
        while (!isLeaving()) {
            long due = begun ? Math.min(readiness.due(), liveness.due()) : startup.due();
            if (running.waitFor(Math.max(0, due - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                return;
            }
            if (isLeaving()) {
                break;
            }
            if (!begun) {
                startup.probe(link.address());
                begun = startup.succeeded();
                if (begun) {
                    answeredAt = System.nanoTime();
                    readiness.begin();
                    liveness.begin();
                    setReady(plan.readiness() == null);
                }
            } else {
                if (readiness.isDue()) {
                    readiness.probe(link.address());
                    setReady(!isLeaving() && (ready ? !readiness.failed() : readiness.succeeded()));
                    noteStart(running);
                }
                if (liveness.isDue()) {
                    liveness.probe(link.address());
                }
            }
            if (startup.failed() || liveness.failed()) {
                running.destroy();
                killAt = System.nanoTime() + TimeUnit.SECONDS.toNanos(plan.graceSeconds());
                break;
            }
        }
        setReady(false);
        if (!running.waitFor(Math.max(0, killAt - System.nanoTime()), TimeUnit.NANOSECONDS)) {
            running.destroyForcibly().waitFor();
        }
    }

    private void noteStart(Process running) {
        if (ready && started == null) {
            Duration processor = running.info().totalCpuDuration().orElse(Duration.ZERO);
            started = new Start(launchedAt, answeredAt, System.nanoTime(), processor);
        }
    }

    /** The results of a probe. Confined to the keeper. */
    private static final class Rounds {
        private final @Nullable Probe probe;
        private long due;
        private int failuresInARow;
        private boolean lastSucceeded;

        Rounds(@Nullable Probe probe) {
            this.probe = probe;
            begin();
        }

        void begin() {
            due = System.nanoTime();
        }

        long due() {
            return probe == null ? System.nanoTime() + HEARSAY_NANOS : due;
        }

        boolean isDue() {
            return probe != null && System.nanoTime() - due >= 0;
        }

        void probe(String address) {
            if (probe != null) {
                due += probe.period().toNanos();
                lastSucceeded = probe.succeeds(address);
                failuresInARow = lastSucceeded ? 0 : failuresInARow + 1;
            }
        }

        boolean succeeded() {
            return lastSucceeded;
        }

        boolean failed() {
            return probe != null && failuresInARow >= probe.failures();
        }
    }
}
