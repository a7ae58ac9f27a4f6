package cleave.frontend;

import cleave.frontend.FrontEndVerticle.Outside;
import cleave.frontend.http.AcceptedConnections;
import cleave.frontend.http.GuardedTransport;
import cleave.frontend.settings.FrontEndConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event loops of a front end on their Vert.x. {@link #start}, {@link #shutdown} and {@link #close} are for one thread outside of them. */
final class FrontEndServer {
    private static final Logger LOG = LoggerFactory.getLogger(FrontEndServer.class);
    private static final long START_SECONDS_MAX = 30;

    private final FrontEndConfig config;
    private final GuardedTransport transport;
    private final Vertx vertx;
    private final List<FrontEndVerticle> loops = new ArrayList<>();
    private volatile boolean listening;

    FrontEndServer(FrontEndConfig config, Outside outside) {
        this.config = config;
        this.transport = GuardedTransport.of(new AcceptedConnections(
                config.http().connectionsMax(), config.http().idleNanos(), outside.metrics(), outside.closings()));
        this.vertx = Vertx.builder()
                .with(new VertxOptions()
                        .setEventLoopPoolSize(config.loops())
                        .setFileSystemOptions(new FileSystemOptions()
                                .setClassPathResolvingEnabled(false)
                                .setFileCachingEnabled(false)))
                .withTransport(transport)
                .build();
        for (int i = 0; i < config.loops(); i++) {
            loops.add(new FrontEndVerticle(config, outside));
        }
    }

    void start() throws IOException {
        for (FrontEndVerticle loop : loops) {
            await(vertx.deployVerticle(loop), START_SECONDS_MAX);
        }
        listening = true;
        if (!isNative()) {
            LOG.warn(
                    "native transport is not available, serving HTTP with the slower Java transport cause={}",
                    String.valueOf(vertx.unavailableNativeTransportCause()));
        }
        LOG.info(
                "front end is listening http={} port={} https={} tlsPort={} loops={} native={}",
                config.listen(),
                port(),
                config.tls() == null ? null : config.tls().listen(),
                tlsPort(),
                config.loops(),
                isNative());
    }

    boolean isNative() {
        return transport.isNative();
    }

    boolean isListening() {
        return listening;
    }

    int port() {
        return loops.get(0).port();
    }

    int tlsPort() {
        return loops.get(0).tlsPort();
    }

    /** The executors of its loops, by their names. The server has started. */
    Map<String, Executor> loops() {
        Map<String, Executor> executors = new TreeMap<>();
        for (int i = 0; i < loops.size(); i++) {
            executors.put("front-end-" + i, loops.get(i).executor());
        }
        return executors;
    }

    void leave() {
        loops.forEach(FrontEndVerticle::leave);
    }

    /** Accepts nothing more, and waits for requests in flight for a limited time. Idempotent. */
    void shutdown() {
        if (!listening) {
            return;
        }
        listening = false;
        try {
            await(Future.join(loops.stream().map(FrontEndVerticle::shutdown).toList()), secondsToClose());
        } catch (IOException late) {
            LOG.warn("requests in flight were aborted at shutdown reason={}", late.getMessage());
        }
    }

    private long secondsToClose() {
        return TimeUnit.NANOSECONDS.toSeconds(config.http().closeNanos()) + 1;
    }

    /** Ends the threads, after a {@link #shutdown}. */
    void close() {
        shutdown();
        try {
            await(vertx.close(), secondsToClose());
        } catch (IOException late) {
            LOG.warn("event loops did not stop in time reason={}", late.getMessage());
        }
    }

    private static void await(Future<?> future, long seconds) throws IOException {
        try {
            future.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            throw new IOException("not within " + seconds + " s", late);
        } catch (ExecutionException | CompletionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new IOException(cause.toString(), cause);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", hurried);
        }
    }
}
