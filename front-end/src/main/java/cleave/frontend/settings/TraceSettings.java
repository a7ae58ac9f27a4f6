package cleave.frontend.settings;

import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which traces of requests are exported, and where to. Immutable.
 *
 * @param endpoint the URL of a collector that takes traces by OTLP over HTTP
 * @param sample the share of requests that are traced, from 0 to 1
 * @param slowNanos a request that took this long is traced in any case
 * @param incomingPerSecond how many requests a second are traced because their clients ask for it
 */
public record TraceSettings(URI endpoint, double sample, long slowNanos, int incomingPerSecond) {
    private static final String ENDPOINT = "trace.endpoint";
    private static final String PATH = "/v1/traces";
    /** From then on servers say where the time went, without being asked to. */
    private static final long SLOW_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(10);

    public TraceSettings {
        if (slowNanos < SLOW_NANOS_MIN) {
            throw new BadSetting("setting trace.slow must be at least 10ms");
        }
    }

    /** Null if traces are off. All settings are checked even then. */
    static @Nullable TraceSettings from(Settings settings) {
        String endpoint = settings.text(ENDPOINT, "");
        TraceSettings its = new TraceSettings(
                endpoint.isEmpty() ? URI.create("none") : parsed(endpoint),
                settings.fraction("trace.sample", "1%"),
                settings.nanos("trace.slow", "1s"),
                settings.count("trace.incoming", 10, 0, 1_000_000));
        return endpoint.isEmpty() ? null : its;
    }

    private static URI parsed(String text) {
        try {
            URI uri = new URI(text);
            boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (isHttp && uri.getHost() != null && uri.getUserInfo() == null && uri.getFragment() == null) {
                boolean hasPath =
                        !uri.getRawPath().isEmpty() && !uri.getRawPath().equals("/");
                return hasPath ? uri : uri.resolve(PATH);
            }
        } catch (URISyntaxException none) {
            // Answered below.
        }
        throw new BadSetting("setting " + ENDPOINT + " is '" + text
                + "' but must be the URL of a collector, such as http://localhost:4318");
    }
}
