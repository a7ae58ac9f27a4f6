package cleave.deploy.role;

import cleave.frontend.FrontEnd;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.settings.FrontEndConfig;
import cleave.model.Readiness;
import cleave.settings.Settings;
import cleave.settings.Settings.BadSetting;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Function;

/** A front end in this process. Thread-safe. */
public final class RunningFrontEnd implements RunningRole {
    private final FrontEndConfig config;
    private final FrontEnd frontEnd;

    private RunningFrontEnd(FrontEndConfig config, CollectorRegistry registry) {
        this.config = config;
        try {
            frontEnd = new FrontEnd(config, new FrontEndMetrics(registry));
        } catch (IOException unreadable) {
            throw new BadSetting("setting front-end.accounts is '" + config.accountsFile() + "', which cannot be read: "
                    + unreadable.getMessage());
        }
    }

    /** Reads the settings now; the front end is made later. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings) {
        FrontEndConfig config = FrontEndConfig.from(settings);
        return registry -> new RunningFrontEnd(config, registry);
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
            throw new UncheckedIOException(
                    "front-end.listen " + config.listen().host() + ":"
                            + config.listen().port(),
                    failed);
        }
    }

    @Override
    public Readiness readiness() {
        return frontEnd.readiness();
    }

    @Override
    public String address() {
        return config.listen().host() + ":" + frontEnd.port();
    }

    /** The port on which HTTP is served. */
    public int port() {
        return frontEnd.port();
    }

    @Override
    public void close() {
        frontEnd.close();
    }
}
