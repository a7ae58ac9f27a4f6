package cleave.deploy.role;

import cleave.deploy.ExitCode;
import cleave.deploy.terminal.Wait;
import cleave.model.Facts;
import cleave.model.Readiness;
import cleave.runtime.loop.LoopWatch;
import cleave.runtime.rpc.Advertised;
import cleave.runtime.settings.ProcessMemory;
import cleave.runtime.tls.CredentialsFolder;
import io.netty.handler.ssl.SslContext;
import io.prometheus.client.CollectorRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
    /** The time for closing, after leaving, before the process ends without it; the data does not need it. */
    private static final long CLOSE_SECONDS = 20;

    private static final long READY_POLL_NANOS = 20_000_000;
    /** Far more than an event may take, with many others before it and a machine that is busy. */
    private static final long STUCK_NANOS = 60_000_000_000L;

    private static final Duration LEAVING_POLL = Duration.ofMillis(100);
    private static final int POLLS_TO_A_REPORT = 500;

    private final ListenAddress admin;
    private final CollectorRegistry registry;
    private final Announcer announcer;
    private final CountDownLatch left = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable RunningRole role;
    private volatile @Nullable LoopWatch loops;
    private volatile @Nullable SslContext adminTls;
    private volatile boolean ends;

    /** Reports the progress of the start, on the main thread. */
    public interface Announcer {
        /** The role is ready for the first time. */
        void ready(int adminPort);

        /** It has not been for another ten seconds. */
        void waiting(String missing);

        /** Announces nothing: there is only the log. */
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
        ProcessMetrics.register(registry, host());
    }

    /**
     * Makes the role and runs it until the process gets SIGTERM or SIGINT. It is unready at once then, leaves, and is closed. A
     * second signal ends the leaving.
     */
    public int run(Supplier<RunningRole> make) {
        return run(make, EndSignals.ofThisProcess());
    }

    int run(Supplier<RunningRole> make, EndSignals signals) {
        endInTime(signals);
        AdminServer.Host itself = new AdminServer.Host(this::readiness, this::stuck, this::status, () -> adminTls);
        try (AdminServer adminServer = AdminServer.start(admin, registry, itself)) {
            try (RunningRole made = make.get()) {
                adminTls = made.adminTls();
                made.metricsAt(Advertised.orNone(new ListenAddress(admin.host(), adminServer.port()).toString()));
                made.start();
                role = made;
                LOG.info(
                        "role started name={} address={} admin={}:{} pid={}",
                        made.name(),
                        made.address(),
                        admin.host(),
                        adminServer.port(),
                        ProcessHandle.current().pid());
                LOG.info("memory {}", made.memory());
                loops = new LoopWatch(made.loops(), STUCK_NANOS);
                boolean served = awaitReady(made, adminServer.port(), signals);
                signals.awaitAsked(Long.MAX_VALUE);
                ends = true;
                LOG.info("role leaves name={} atMostSeconds={}", made.name(), seconds(made.leaveNanosMax()));
                if (served) {
                    made.leave(signals);
                }
                left.countDown();
                LOG.info("role ends name={} hurried={}", made.name(), signals.isHurried());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
        return ExitCode.OK;
    }

    /**
     * From the first signal on: ends the process in any case when the time is over for leaving, or that was hurried, and for
     * closing. A start in progress gets no more time than closing.
     */
    private void endInTime(EndSignals signals) {
        Thread watch = new Thread(
                () -> {
                    try {
                        signals.awaitAsked(Long.MAX_VALUE);
                        RunningRole started = role;
                        Wait.until(
                                () -> left.getCount() == 0 || signals.isHurried(),
                                Duration.ofNanos(started == null ? 0 : started.leaveNanosMax()),
                                LEAVING_POLL);
                        if (!ended.await(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                            LOG.warn("role did not end in time, the process ends without it seconds={}", CLOSE_SECONDS);
                            Runtime.getRuntime().halt(ExitCode.OK);
                        }
                    } catch (InterruptedException interrupted) {
                        Thread.currentThread().interrupt();
                    }
                },
                "end in time");
        watch.setDaemon(true);
        watch.start();
    }

    private static long seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos);
    }

    /** False if a signal came before it was ready: then it has nothing to hand over. */
    private boolean awaitReady(RunningRole made, int adminPort, EndSignals signals) throws InterruptedException {
        for (int poll = 1; !signals.awaitAsked(READY_POLL_NANOS); poll++) {
            Readiness now = made.readiness();
            if (now.ready()) {
                LOG.info("role ready name={}", made.name());
                announcer.ready(adminPort);
                return true;
            }
            if (poll % POLLS_TO_A_REPORT == 0) {
                LOG.warn("role not ready yet name={} missing={}", made.name(), now.missing());
                announcer.waiting(now.missing());
            }
        }
        return false;
    }

    private ProcessMetrics.Host host() {
        return new ProcessMetrics.Host() {
            @Override
            public @Nullable ProcessMemory memory() {
                RunningRole started = role;
                return started == null ? null : started.memory();
            }

            @Override
            public CredentialsFolder.@Nullable Use certificate() {
                RunningRole started = role;
                return started == null ? null : started.certificate();
            }

            @Override
            public boolean isReady() {
                return readiness().ready();
            }

            @Override
            public Map<String, Long> silences() {
                LoopWatch watch = loops;
                return watch == null ? Map.of() : watch.silences();
            }
        };
    }

    private Facts status() {
        return ProcessStatus.of(role, readiness(), ends);
    }

    /** The loops that run nothing any more: only a new process can help. */
    private List<String> stuck() {
        LoopWatch watch = loops;
        return watch == null ? List.of() : watch.stuck();
    }

    private Readiness readiness() {
        RunningRole started = role;
        if (ends) {
            return Readiness.missing("it ends");
        }
        return started == null ? Readiness.missing("it is starting") : started.readiness();
    }
}
