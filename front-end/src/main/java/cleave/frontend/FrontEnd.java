package cleave.frontend;

import cleave.frontend.FrontEndVerticle.Outside;
import cleave.frontend.export.TraceExporter;
import cleave.frontend.http.Closings;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.refresh.AccountsFile;
import cleave.frontend.refresh.IssuerKeysSource;
import cleave.frontend.rpc.GrpcTableMaster;
import cleave.frontend.settings.FrontEndConfig;
import cleave.frontend.settings.FrontEndConfig.Listen;
import cleave.frontend.settings.FrontEndConfig.Tls;
import cleave.frontend.settings.TraceSettings;
import cleave.frontend.throttle.AccountThrottle;
import cleave.model.Facts;
import cleave.model.PartitionMap;
import cleave.model.Readiness;
import cleave.route.rpc.MapWatcher;
import cleave.route.rpc.MasterClient;
import cleave.route.rpc.SharedStreams;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Advertised;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings.BadSetting;
import cleave.runtime.tls.CredentialsFolder;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A front end: serves the Table protocol over HTTP and HTTPS. Thread-safe; {@link #start} once, then {@link #close}.
 *
 * <p>Made of event loops that share nothing but the watched map and the connections to the masters. Each has connections of its own to the
 * partition servers, on its thread, so a request stays on one thread.
 */
public final class FrontEnd implements AutoCloseable {
    private final FrontEndConfig config;
    private final AccountsFile accounts;
    private final @Nullable IssuerKeysSource issuerKeys;
    private final ThreadLoop watching;
    private final Channels channels;
    /** One of each loop. */
    private final List<Channels> toServers = new CopyOnWriteArrayList<>();

    private final MapWatcher map;
    private volatile String admin = "";
    private final @Nullable CredentialsFolder certificates;
    /** Null if traces are off. */
    private final @Nullable TraceExporter traces;

    private final FrontEndServer server;

    /**
     * IOException if the file of accounts cannot be read, BadSetting if the certificate is none.
     *
     * @param transport to masters and servers
     */
    public FrontEnd(FrontEndConfig config, Transport transport, FrontEndMetrics metrics) throws IOException {
        Trace trace = new AuthLog();
        this.certificates = certificates(config.tls(), metrics);
        this.config = config;
        this.accounts = new AccountsFile(config, metrics);
        this.issuerKeys =
                config.tokens().isOn() ? new IssuerKeysSource(config.tokens().keys(), metrics) : null;
        this.watching = new ThreadLoop("front-end-map", ThreadLoop::haltOnFault);
        this.channels = new Channels(transport);
        this.map = new MapWatcher(watching, channels, config.seeds(), random());
        metrics.measureMap(map::unconfirmedNanos);
        TraceSettings exported = config.traces();
        this.traces = exported == null
                ? null
                : new TraceExporter(exported.endpoint(), TraceExporter.Limits.USUAL, this::name, metrics);
        follow(channels);
        List<String> masters = config.masters().isEmpty() ? config.seeds() : config.masters();
        this.server = new FrontEndServer(
                config,
                new Outside(
                        (loop, thread) -> {
                            Channels its = follow(new Channels(transport.on(thread)));
                            toServers.add(its);
                            return new SharedStreams(loop, its);
                        },
                        map,
                        loop -> {
                            MasterClient client = new MasterClient(loop, channels, masters, random());
                            client.follow(map);
                            return new GrpcTableMaster(loop, client);
                        },
                        () -> authenticator(trace),
                        trace,
                        new AccountThrottle(config.accountEntitiesPerSecond()),
                        metrics,
                        new Closings(metrics),
                        certificates == null ? null : certificates.keys(),
                        traces));
    }

    private static @Nullable CredentialsFolder certificates(@Nullable Tls tls, FrontEndMetrics metrics) {
        if (tls == null) {
            return null;
        }
        try {
            return CredentialsFolder.ofServer(tls.dir(), new CredentialsFolder.Listener() {
                @Override
                public void taken(Instant expires) {
                    metrics.certificateTaken(expires.getEpochSecond());
                }

                @Override
                public void refused() {
                    metrics.certificateRefused();
                }
            });
        } catch (IOException wrong) {
            throw new BadSetting("setting front-end.tls-dir is '" + tls.dir() + "', but " + wrong.getMessage());
        }
    }

    private Authenticator authenticator(Trace trace) {
        return issuerKeys == null
                ? new Authenticator(accounts::current, trace)
                : new Authenticator(accounts::current, trace, config.tokens().rules(), issuerKeys);
    }

    private Channels follow(Channels made) {
        made.keep(() -> map.current().peers());
        made.ofCluster(() -> map.current().cluster());
        return made;
    }

    private static Random random() {
        return new Random(new SecureRandom().nextLong());
    }

    /** Has the masters know where the process serves its metrics. Called before the start, if at all. */
    public void metricsAt(String address) {
        admin = address;
    }

    /** Begins to listen, and watches the map; IOException if it cannot listen. */
    public void start() throws IOException {
        accounts.start();
        if (issuerKeys != null) {
            issuerKeys.start();
        }
        server.start();
        if (traces != null) {
            traces.start();
        }
        map.introduce(name(), admin);
        map.start();
    }

    /** What the masters call it: where it listens. */
    private String name() {
        Listen http = config.listen();
        Tls tls = config.tls();
        String listens = http != null
                ? http.host() + ":" + port()
                : tls == null ? "" : tls.listen().host() + ":" + tlsPort();
        String reached = Advertised.orNone(listens);
        return reached.isEmpty() ? listens : reached;
    }

    /** Its loops, by their names; of a started one. */
    public Map<String, Executor> loops() {
        Map<String, Executor> loops = server.loops();
        loops.put("front-end-map", watching::submit);
        return loops;
    }

    /** The port on which it serves HTTP; 0 if it does not. */
    public int port() {
        return server.port();
    }

    /** The port on which it serves HTTPS; 0 if it does not. */
    public int tlsPort() {
        return server.tlsPort();
    }

    /** Whether the front end can serve requests, as far as it can know without one. */
    public Readiness readiness() {
        if (!server.isListening()) {
            return Readiness.missing("not listening yet");
        }
        if (map.current().version() == 0) {
            return Readiness.missing("no partition map received yet from " + config.seeds());
        }
        String refusal = map.refusal();
        if (!refusal.isEmpty()) {
            return Readiness.missing(
                    "the partition map is not followed: " + refusal + ". If that cluster has replaced the one"
                            + " that this front end knows, restart this front end; else correct the setting seeds");
        }
        long silence = map.silenceNanos();
        return silence > config.mapSilenceNanos()
                ? Readiness.missing(
                        "no connection to any seed of the partition map for " + silence / 1_000_000_000 + " s")
                : Readiness.READY;
    }

    /** What an operator wants to know of it first. */
    public Facts status() {
        PartitionMap known = map.current();
        return Facts.NONE
                .and("name", name())
                .and("cluster", known.cluster())
                .and("mapVersion", known.version())
                .and("mapUnconfirmedMillis", map.unconfirmedNanos() / 1_000_000)
                .and("mapRefusal", map.refusal())
                .and("ranges", known.rows().size())
                .andTexts("masters", known.masters().addresses())
                .and("leader", known.leader())
                .andTexts(
                        "servers",
                        new TreeMap<>(known.servers())
                                .entrySet().stream()
                                        .map(server -> server.getKey() + " " + server.getValue())
                                        .toList());
    }

    /**
     * Begins to send clients elsewhere, while it serves on: answers of HTTP/1.1 close their connections, and connections of HTTP/2 get
     * GOAWAY. New connections are accepted, for load balancers may send some until they notice that the front end is not ready.
     */
    public void leave() {
        server.leave();
    }

    /** Stops accepting, waits for requests in flight for a limited time, and shuts down. */
    @Override
    public void close() {
        server.shutdown();
        toServers.forEach(Channels::close); // While their threads run.
        server.close();
        if (traces != null) {
            traces.close();
        }
        accounts.close();
        if (certificates != null) {
            certificates.close();
        }
        if (issuerKeys != null) {
            issuerKeys.close();
        }
        map.close();
        channels.close();
        watching.close();
    }
}
