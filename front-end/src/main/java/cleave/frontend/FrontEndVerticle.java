package cleave.frontend;

import cleave.frontend.auth.Authenticator;
import cleave.frontend.auth.Trace;
import cleave.frontend.http.ContextLoop;
import cleave.frontend.http.HttpService;
import cleave.frontend.loop.AccountThrottle;
import cleave.frontend.loop.FrontEndLoop;
import cleave.frontend.loop.TableMaster;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.settings.FrontEndConfig;
import cleave.frontend.settings.FrontEndConfig.RequestLimits;
import cleave.loop.EventLoop;
import cleave.route.MapView;
import cleave.route.RangeClient;
import cleave.route.RangeTransport;
import cleave.route.RetryPolicy;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.security.SecureRandom;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One event loop of a front end, put together inside its context. */
final class FrontEndVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(FrontEndVerticle.class);
    /** Those that listen on this negative port share one that the system chooses. */
    private static final int ANY_SHARED_PORT = -1;

    private final FrontEndConfig config;
    private final Shared shared;
    private io.vertx.core.http.@Nullable HttpServer server;

    /**
     * What the loops of a front end share; all thread-safe.
     *
     * @param masters makes a loop's way to the masters
     * @param authenticators makes a loop's own
     */
    record Shared(
            RangeTransport transport,
            MapView map,
            Function<EventLoop, TableMaster> masters,
            Supplier<Authenticator> authenticators,
            Trace trace,
            AccountThrottle throttle,
            FrontEndMetrics metrics) {}

    FrontEndVerticle(FrontEndConfig config, Shared shared) {
        this.config = config;
        this.shared = shared;
    }

    @Override
    public Future<?> start() {
        // From the seed of the system: the loops of all front ends must not make the same guids.
        Random random = new Random(new SecureRandom().nextLong());
        ContextLoop loop = new ContextLoop(vertx, this::faulted);
        RangeClient ranges = new RangeClient(loop, shared.transport(), shared.map(), RetryPolicy.DEFAULT, random);
        RequestLimits limits = config.requests().ofOneIn(config.loops());
        FrontEndLoop core = new FrontEndLoop(
                loop,
                new FrontEndLoop.Parts(
                        ranges,
                        shared.map(),
                        shared.masters().apply(loop),
                        shared.authenticators().get(),
                        shared.trace(),
                        config.hostSuffixes(),
                        limits,
                        shared.throttle(),
                        random,
                        shared.metrics()));
        HttpService service = new HttpService(
                loop,
                core,
                config.http(),
                limits.inFlightMax(),
                Math.max(1, (config.http().connectionsMax() + config.loops() - 1) / config.loops()),
                shared.metrics());
        int port =
                config.listen().port() == 0 ? ANY_SHARED_PORT : config.listen().port();
        return service.listen(vertx, config.listen().host(), port).onSuccess(listening -> server = listening);
    }

    /** The port it listens on; 0 before it does. */
    int port() {
        return server == null ? 0 : server.actualPort();
    }

    /** Ends connections as soon as their request in flight is answered. */
    Future<?> shutdown() {
        return server == null
                ? Future.succeededFuture()
                : server.shutdown(java.time.Duration.ofNanos(config.http().closeNanos()));
    }

    /** A front end keeps nothing that a bug could damage for the next request, so it goes on. */
    private void faulted(Throwable bug) {
        shared.metrics().faulted();
        LOG.error("an event failed through a bug", bug);
    }
}
