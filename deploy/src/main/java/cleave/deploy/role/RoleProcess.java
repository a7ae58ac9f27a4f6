package cleave.deploy.role;

import cleave.deploy.ExitCode;
import cleave.model.Readiness;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.hotspot.DefaultExports;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that hosts one role (or all of them, as one): admin port first, then the role, until a signal ends it. Confined to
 * the main thread.
 */
public final class RoleProcess {
    private static final Logger LOG = LoggerFactory.getLogger(RoleProcess.class);
    /** How long an orderly end may take before the process ends without it; the data does not need it. */
    private static final long END_SECONDS = 20;

    private static final long READY_POLL_MILLIS = 20;
    private static final int POLLS_TO_A_REPORT = 500;

    private final ListenAddress admin;
    private final CollectorRegistry registry;
    private final Announcer announcer;
    private final CountDownLatch signalled = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable RunningRole role;
    private volatile boolean endedOrderly;

    /** Told how the start goes on, on the main thread. */
    public interface Announcer {
        /** The role is ready for the first time. */
        void ready(int adminPort);

        /** It has not been for another ten seconds. */
        void waiting(String missing);

        /** Only logs. */
        Announcer NONE = new Announcer() {
            @Override
            public void ready(int adminPort) {}

            @Override
            public void waiting(String missing) {}
        };
    }

    public RoleProcess(ListenAddress admin, CollectorRegistry registry, Announcer announcer) {
        this.admin = admin;
        this.registry = registry;
        this.announcer = announcer;
        DefaultExports.register(registry);
    }

    /** Makes the role and runs it until the process gets SIGTERM or SIGINT. */
    public int run(Supplier<RunningRole> make) {
        try (AdminServer adminServer = AdminServer.start(admin, registry, this::readiness)) {
            Runtime.getRuntime().addShutdownHook(new Thread(this::awaitEnd, "shutdown"));
            try (RunningRole made = make.get()) {
                made.start();
                role = made;
                LOG.info(
                        "role started name={} address={} admin={}:{} pid={}",
                        made.name(),
                        made.address(),
                        admin.host(),
                        adminServer.port(),
                        ProcessHandle.current().pid());
                awaitReady(made, adminServer.port());
                signalled.await();
                LOG.info("role ends name={}", made.name());
            }
            endedOrderly = true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException failed) {
            throw StartFailure.explained(failed);
        } finally {
            ended.countDown();
        }
        return ExitCode.OK;
    }

    private void awaitReady(RunningRole made, int adminPort) throws InterruptedException {
        for (int poll = 1; !signalled.await(READY_POLL_MILLIS, TimeUnit.MILLISECONDS); poll++) {
            Readiness now = made.readiness();
            if (now.ready()) {
                LOG.info("role ready name={}", made.name());
                announcer.ready(adminPort);
                return;
            }
            if (poll % POLLS_TO_A_REPORT == 0) {
                LOG.warn("role not ready yet name={} missing={}", made.name(), now.missing());
                announcer.waiting(now.missing());
            }
        }
    }

    private Readiness readiness() {
        RunningRole started = role;
        return started == null ? Readiness.missing("it is starting") : started.readiness();
    }

    private void awaitEnd() {
        signalled.countDown();
        try {
            if (!ended.await(END_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("role did not end in time, the process ends without it seconds={}", END_SECONDS);
            } else if (endedOrderly) {
                Runtime.getRuntime().halt(ExitCode.OK); // Else the JVM's status would be that of the signal.
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
