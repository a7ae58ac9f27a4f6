package cleave.frontend;

import cleave.frontend.core.FrontEndCore;
import cleave.frontend.handlers.TableMaster;
import cleave.frontend.http.Closings;
import cleave.frontend.http.HttpService;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.settings.FrontEndConfig;
import cleave.frontend.settings.FrontEndConfig.Listen;
import cleave.frontend.settings.FrontEndConfig.RequestLimits;
import cleave.frontend.settings.FrontEndConfig.Tls;
import cleave.frontend.settings.TraceSettings;
import cleave.frontend.throttle.AccountThrottle;
import cleave.frontend.tracing.FinishedTrace;
import cleave.frontend.tracing.Tracing;
import cleave.route.MapView;
import cleave.route.RangeTransport;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.rpc.NetworkLoops;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.internal.ContextInternal;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One event loop of a front end, put together inside its context. */
final class FrontEndVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(FrontEndVerticle.class);
    /** Verticles that listen on the same negative port share one that the system chooses. */
    private static final int ANY_SHARED_PORT = -1;

    private static final int ANY_SHARED_TLS_PORT = -2;

    private final FrontEndConfig config;
    private final Outside outside;
    private @Nullable EventLoop loop;
    private @Nullable HttpService service;
    private @Nullable HttpServer plain;
    private @Nullable HttpServer tls;

    /**
     * The outside of all loops of a front end: what they share. Thread-safe.
     *
     * @param servers makes a loop's connections to the partition servers, on its thread
     * @param masters makes a loop's way to the masters
     * @param authenticators makes a loop's own
     * @param keys of HTTPS; null without
     * @param traces takes what is to be exported; null if traces are off
     */
    record Outside(
            BiFunction<EventLoop, NetworkLoops, RangeTransport> servers,
            MapView map,
            Function<EventLoop, TableMaster> masters,
            Supplier<Authenticator> authenticators,
            Trace trace,
            AccountThrottle throttle,
            FrontEndMetrics metrics,
            Closings closings,
            @Nullable X509ExtendedKeyManager keys,
            @Nullable Consumer<FinishedTrace> traces) {}

    FrontEndVerticle(FrontEndConfig config, Outside outside) {
        this.config = config;
        this.outside = outside;
    }

    @Override
    public Future<?> start() {
        // From the seed of the system: the loops of all front ends must not make the same guids.
        Random random = new Random(new SecureRandom().nextLong());
        NetworkLoops thread = NetworkLoops.of(((ContextInternal) context).nettyEventLoop());
        EventLoop its = thread.loops(this::faulted).get(0);
        loop = its;
        RequestLimits limits = config.requests().ofOneIn(config.loops());
        FrontEndCore core = FrontEndCore.of(
                new FrontEndCore.Outside(
                        its,
                        outside.servers().apply(its, thread),
                        outside.map(),
                        outside.masters().apply(its),
                        outside.authenticators().get(),
                        outside.trace(),
                        outside.throttle(),
                        random,
                        outside.metrics(),
                        tracing(its, random)),
                new FrontEndCore.Settings(
                        config.tokens().authorizationUri(), config.hostSuffixes(), limits, config.slowNanos()));
        HttpService made = new HttpService(
                its, core, config.http(), limits.unsignedBytesMax(), outside.closings(), outside.metrics());
        service = made;
        return Future.all(listenPlain(made), listenTls(made));
    }

    /** Null if traces are off. */
    private @Nullable Tracing tracing(EventLoop its, Random random) {
        TraceSettings settings = config.traces();
        Consumer<FinishedTrace> traces = outside.traces();
        if (settings == null || traces == null) {
            return null;
        }
        int incoming = (settings.incomingPerSecond() + config.loops() - 1) / config.loops();
        return new Tracing(its, new Tracing.Policy(settings.sample(), settings.slowNanos(), incoming), random, traces);
    }

    /** Runs tasks on this loop; of a started one. */
    Executor executor() {
        return task -> context.runOnContext(ignored -> task.run());
    }

    private Future<?> listenPlain(HttpService service) {
        Listen listen = config.listen();
        return listen == null
                ? Future.succeededFuture()
                : service.listen(vertx, listen.host(), listen.port() == 0 ? ANY_SHARED_PORT : listen.port())
                        .onSuccess(listening -> plain = listening);
    }

    private Future<?> listenTls(HttpService service) {
        Tls how = config.tls();
        X509ExtendedKeyManager keys = outside.keys();
        if (how == null || keys == null) {
            return Future.succeededFuture();
        }
        Listen listen = how.listen();
        return service.listenTls(vertx, listen.host(), listen.port() == 0 ? ANY_SHARED_TLS_PORT : listen.port(), keys)
                .onSuccess(listening -> tls = listening);
    }

    /** The port on which it serves HTTP; 0 if it does not, or not yet. */
    int port() {
        return plain == null ? 0 : plain.actualPort();
    }

    /** The same for HTTPS. */
    int tlsPort() {
        return tls == null ? 0 : tls.actualPort();
    }

    /** Begins to send clients elsewhere, while it serves on. */
    void leave() {
        EventLoop its = loop;
        HttpService made = service;
        if (its != null && made != null) {
            its.submit(made::leave);
        }
    }

    /** Ends connections as soon as their requests in flight are answered. */
    Future<?> shutdown() {
        return Future.join(shutdown(plain), shutdown(tls));
    }

    private Future<?> shutdown(@Nullable HttpServer server) {
        return server == null
                ? Future.succeededFuture()
                : server.shutdown(Duration.ofNanos(config.http().closeNanos()));
    }

    /** A front end keeps no state that a bug could corrupt for later requests, so it continues. */
    private void faulted(Throwable bug) {
        outside.metrics().faulted();
        LOG.error("an event failed, this is a bug", bug);
    }
}
