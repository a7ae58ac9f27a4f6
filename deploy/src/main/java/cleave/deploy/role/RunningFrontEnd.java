package cleave.deploy.role;

import cleave.frontend.FrontEnd;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.settings.FrontEndConfig;
import cleave.frontend.settings.FrontEndConfig.Listen;
import cleave.frontend.settings.FrontEndConfig.Tls;
import cleave.model.Readiness;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import cleave.runtime.tls.PeerRole;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A front end in this process. Thread-safe. */
public final class RunningFrontEnd implements RunningRole {
    private final FrontEndConfig config;
    private final FrontEnd frontEnd;

    private RunningFrontEnd(FrontEndConfig config, Transport transport, CollectorRegistry registry) {
        this.config = config;
        try {
            frontEnd = new FrontEnd(config, transport, new FrontEndMetrics(registry));
        } catch (IOException unreadable) {
            throw new BadSetting("setting front-end.accounts is '" + config.accountsFile() + "', which cannot be read: "
                    + unreadable.getMessage());
        }
    }

    /** Reads the settings now; the front end is made later. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings) {
        return configure(settings, Peers.transport(settings, PeerRole.FRONT_END));
    }

    /** The same with a transport of the caller's. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings, Transport transport) {
        FrontEndConfig config = FrontEndConfig.from(settings);
        return registry -> new RunningFrontEnd(config, transport, registry);
    }

    @Override
    public String name() {
        return "front-end";
    }

    @Override
    public void start() {
        try {
            frontEnd.start();
        } catch (IOException failed) {
            throw new UncheckedIOException("the front end cannot listen on " + listens(), failed);
        }
    }

    private String listens() {
        Listen http = config.listen();
        Tls https = config.tls();
        return (http == null ? "" : "front-end.listen " + http)
                + (http == null || https == null ? "" : " and ")
                + (https == null ? "" : "front-end.listen-tls " + https.listen());
    }

    @Override
    public Readiness readiness() {
        return frontEnd.readiness();
    }

    /** Where HTTP is served, or HTTPS if nothing else is. */
    @Override
    public String address() {
        Listen http = config.listen();
        return http == null ? Objects.requireNonNull(tlsAddress()) : http.host() + ":" + frontEnd.port();
    }

    /** Where HTTPS is served; null if it is not. */
    private @Nullable String tlsAddress() {
        Tls https = config.tls();
        return https == null ? null : https.listen().host() + ":" + frontEnd.tlsPort();
    }

    /** What clients reach it by, that of HTTP first if there are two. */
    public List<String> endpoints() {
        String https = tlsAddress();
        List<String> endpoints = new ArrayList<>();
        if (config.listen() != null) {
            endpoints.add("http://" + address());
        }
        if (https != null) {
            endpoints.add("https://" + https);
        }
        return endpoints;
    }

    @Override
    public void close() {
        frontEnd.close();
    }
}
