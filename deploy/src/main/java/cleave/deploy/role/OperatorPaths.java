package cleave.deploy.role;

import cleave.deploy.inspect.FactsJson;
import cleave.deploy.inspect.FlightRecording;
import cleave.deploy.inspect.LogLevels;
import cleave.deploy.inspect.OperatorAccess;
import cleave.deploy.inspect.ThreadDump;
import cleave.model.Facts;
import cleave.runtime.rpc.Caller;
import cleave.runtime.rpc.Refusals;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The paths of the admin port for operators ({@link OperatorAccess}): {@code GET /status} and {@code /threads}, {@code POST /log-level} and
 * {@code /recording}. Everything that is done, and everything that is refused, is logged with the caller. Thread-safe.
 *
 * <p>There is one recording at a time, on a thread of its own; the others have one together, with a short queue. Probes and scrapes wait for
 * none of them.
 */
final class OperatorPaths implements AutoCloseable {
    static final String NAMES = "/status, /threads, /log-level and /recording";

    private static final Logger LOG = LoggerFactory.getLogger(LogLevels.ACTS);
    private static final String STATUS = "/status";
    private static final String THREADS = "/threads";
    private static final String LOG_LEVEL = "/log-level";
    private static final String RECORDING = "/recording";
    private static final List<String> PATHS = List.of(STATUS, THREADS, LOG_LEVEL, RECORDING);
    private static final int WAITING_MAX = 8;
    private static final int KEPT_SECONDS = 60;
    private static final int RECORDING_SECONDS_MAX = 300;
    private static final int RECORDING_SECONDS = 30;
    private static final long LEVEL_SECONDS = 900;
    /** A caller of a recording may take as long for all of its bytes, and for each piece. */
    private static final int SENDING_SECONDS = 300;

    private static final int PIECE_SECONDS = 20;
    /** Refusals are logged as often as this, so that a stranger does not fill the log. */
    private static final int REFUSALS_A_SECOND = 5;

    private final String listen;
    private final Supplier<Facts> status;
    private final LogLevels levels;
    private final AdminConnections connections;
    private final ExecutorService acts = new ThreadPoolExecutor(
            1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING_MAX), AdminServer.threads("admin operators"));
    private final ExecutorService recordings = new ThreadPoolExecutor(
            0, 1, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), AdminServer.threads("admin recording"));
    /** Confined to the port's event loop, as is the next. */
    private int refusals;

    private long unlogged;

    /** @param listen the host that the port was told to listen on */
    OperatorPaths(String listen, Supplier<Facts> status, LogLevels levels, AdminConnections connections) {
        this.listen = listen;
        this.status = status;
        this.levels = levels;
        this.connections = connections;
    }

    static boolean has(String path) {
        return PATHS.contains(path);
    }

    /** Called once a second, in the port's event loop. */
    void tick() {
        levels.expire().forEach(done -> LOG.info("time is over {}", done));
        if (unlogged > 0) {
            LOG.warn("more requests of operators refused count={}", unlogged);
        }
        refusals = 0;
        unlogged = 0;
    }

    /** Called in the port's event loop. */
    void answer(FullHttpRequest request, QueryStringDecoder asked, AdminHandler.Reply reply) {
        String path = asked.path();
        boolean isChange = path.equals(LOG_LEVEL) || path.equals(RECORDING);
        InetSocketAddress from = (InetSocketAddress) reply.channel().remoteAddress();
        OperatorAccess.Decision decision = OperatorAccess.judge(
                new OperatorAccess.Asked(from.getAddress(), reply.certificate(), isChange, request.headers(), listen));
        Caller caller = decision.caller();
        if (!decision.isAllowed()) {
            refused(path, caller, from, decision.refusal());
            reply.text(403, decision.refusal() + "\n");
            return;
        }
        boolean isRightMethod = isChange
                ? request.method().equals(HttpMethod.POST)
                : request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
        if (!isRightMethod) {
            reply.notAllowed(isChange ? "POST" : "GET, HEAD");
            return;
        }
        Map<String, List<String>> given = asked.parameters();
        switch (path) {
            case STATUS ->
                run(reply, path, caller, () -> reply.send(200, "application/json", FactsJson.document(shown())));
            case THREADS -> {
                connections.keep(reply.channel(), KEPT_SECONDS);
                run(reply, path, caller, () -> reply.text(200, ThreadDump.take()));
            }
            case LOG_LEVEL -> run(reply, path, caller, () -> reply.text(200, logLevel(caller, given) + "\n"));
            default -> record(caller, given, reply);
        }
    }

    private void refused(String path, Caller caller, InetSocketAddress from, String why) {
        Refusals.count();
        if (++refusals <= REFUSALS_A_SECOND) {
            LOG.warn("request of an operator refused path={} caller={} from={} reason={}", path, caller, from, why);
        } else {
            unlogged++;
        }
    }

    private Facts shown() {
        return status.get().andEach("logLevels", levels.changed());
    }

    private String logLevel(Caller caller, Map<String, List<String>> given) {
        String logger = text(given, "logger", "");
        String level = text(given, "level", "");
        String done = level.equalsIgnoreCase("configured")
                ? levels.reset(logger)
                : levels.set(
                        logger,
                        level,
                        Duration.ofSeconds(seconds(given, LEVEL_SECONDS, LogLevels.LONGEST.toSeconds())));
        LOG.info("log level changed caller={} done={}", caller, done);
        return done;
    }

    private void record(Caller caller, Map<String, List<String>> given, AdminHandler.Reply reply) {
        int seconds;
        try {
            seconds = (int) seconds(given, RECORDING_SECONDS, RECORDING_SECONDS_MAX);
        } catch (IllegalArgumentException wrong) {
            reply.text(400, wrong.getMessage() + "\n");
            return;
        }
        connections.keep(reply.channel(), seconds + KEPT_SECONDS + SENDING_SECONDS);
        try {
            recordings.execute(() -> guarded(reply, RECORDING, () -> record(caller, seconds, reply)));
        } catch (RejectedExecutionException busy) {
            reply.text(409, "a recording is under way; there is one at a time\n");
        }
    }

    /** On the thread for recordings. If the caller goes away, so does the recording. */
    private static void record(Caller caller, int seconds, AdminHandler.Reply reply)
            throws IOException, InterruptedException {
        String absence = FlightRecording.absence();
        if (!absence.isEmpty()) {
            reply.text(501, absence + "\n");
            return;
        }
        try (FlightRecording recording = FlightRecording.begin()) {
            LOG.info("recording begins caller={} seconds={}", caller, seconds);
            if (reply.channel().closeFuture().await(seconds, TimeUnit.SECONDS)) {
                LOG.info("recording ends unread, its caller went away caller={}", caller);
                return;
            }
            long bytes = reply.stream(recording.end(), "application/octet-stream", PIECE_SECONDS);
            LOG.info("recording ends caller={} bytesRead={}", caller, bytes < 0 ? "not all" : bytes);
        }
    }

    /** Something to do for an operator. */
    private interface Act {
        void run() throws IOException, InterruptedException;
    }

    private void run(AdminHandler.Reply reply, String path, Caller caller, Act act) {
        LOG.info("operator's request path={} caller={}", path, caller);
        try {
            acts.execute(() -> guarded(reply, path, act));
        } catch (RejectedExecutionException full) {
            reply.text(503, "too many requests of operators wait; ask less often\n");
        }
    }

    private static void guarded(AdminHandler.Reply reply, String path, Act act) {
        try {
            act.run();
        } catch (InterruptedException ends) {
            Thread.currentThread().interrupt();
            reply.text(503, "the process ends\n");
        } catch (IllegalArgumentException wrong) {
            reply.text(400, wrong.getMessage() + "\n");
        } catch (IOException | RuntimeException failed) {
            LOG.error("operator's request failed path={}", path, failed);
            reply.text(500, "it failed: " + failed + "\n");
        }
    }

    private static String text(Map<String, List<String>> given, String name, String byDefault) {
        List<String> values = given.getOrDefault(name, List.of());
        return values.isEmpty() ? byDefault : values.get(values.size() - 1);
    }

    private static long seconds(Map<String, List<String>> given, long byDefault, long most) {
        String text = text(given, "seconds", Long.toString(byDefault));
        try {
            long seconds = Long.parseLong(text);
            if (seconds >= 1 && seconds <= most) {
                return seconds;
            }
        } catch (NumberFormatException notANumber) {
            // Answered below, together with one out of bounds.
        }
        throw new IllegalArgumentException("seconds is '" + text + "' but must be a whole number from 1 to " + most);
    }

    /** A recording under way ends, and its files are removed. */
    @Override
    public void close() {
        acts.shutdownNow();
        recordings.shutdownNow();
    }
}
