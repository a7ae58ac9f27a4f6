package cleave.chaos.load;

import cleave.chaos.load.report.LoadMetrics;
import cleave.deploy.CommandFailure;
import cleave.deploy.role.AdminServer;
import cleave.deploy.role.ListenAddress;
import cleave.model.Readiness;
import cleave.runtime.settings.Settings.BadSetting;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.hotspot.DefaultExports;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that serves metrics while a load runs. Confined to the command's thread. */
final class MetricsOption {
    private static final String LOOPBACK = "127.0.0.1:";

    @Option(
            names = "--metrics-port",
            paramLabel = "PORT|HOST:PORT",
            description =
                    "serves /metrics for Prometheus while the load runs, without authentication (HOST: 127.0.0.1; PORT 0:"
                            + " any that is free)")
    private @Nullable String text;

    private final LoadMetrics metrics = new LoadMetrics();

    boolean isGiven() {
        return text != null;
    }

    /** Fails before the load if nothing can be served there. */
    void check() {
        try {
            ListenAddress listen = listen();
            if (listen != null && !listen.isFree()) {
                throw CommandFailure.taken("--metrics-port " + listen + " is in use; give another one");
            }
        } catch (BadSetting | IOException wrong) {
            throw CommandFailure.usage("--metrics-port '" + text
                    + "' is no port of this machine; write PORT or HOST:PORT, such as 9400: " + wrong.getMessage());
        }
    }

    private @Nullable ListenAddress listen() {
        return text == null ? null : ListenAddress.parse("--metrics-port", text.contains(":") ? text : LOOPBACK + text);
    }

    /** Null: nobody asks for them. */
    @Nullable
    LoadMetrics metrics() {
        return isGiven() ? metrics : null;
    }

    /** Serves them, with those of this process, until it is closed; null: none were asked for. */
    @Nullable
    AdminServer begin(Consumer<String> progress) {
        ListenAddress listen = listen();
        if (listen == null) {
            return null;
        }
        CollectorRegistry registry = new CollectorRegistry();
        registry.register(metrics);
        DefaultExports.register(registry);
        AdminServer server = AdminServer.start(listen, registry, () -> Readiness.READY, List::of);
        progress.accept("metrics: http://" + listen.host() + ":" + server.port() + "/metrics");
        return server;
    }
}
