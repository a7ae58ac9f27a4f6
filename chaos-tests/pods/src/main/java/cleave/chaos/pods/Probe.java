package cleave.chaos.pods;

import cleave.client.Connection;
import cleave.client.Request;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP probe of a container by the node. Immutable.
 *
 * @param failures in a row before the probe counts as failed
 */
record Probe(int port, String path, Duration period, Duration timeout, int failures) {
    private static final int PERIOD_SECONDS = 10;
    private static final int FAILURES = 3;

    /** Null where the manifest has none; defaults are those of Kubernetes. */
    static @Nullable Probe of(io.fabric8.kubernetes.api.model.@Nullable Probe probe, Map<String, Integer> ports) {
        if (probe == null) {
            return null;
        }
        HTTPGetAction get = probe.getHttpGet();
        if (get == null || probe.getInitialDelaySeconds() != null || "HTTPS".equals(get.getScheme())) {
            throw new IllegalArgumentException("only probes by httpGet, without a delay, are carried out");
        }
        return new Probe(
                PodPlan.port(get.getPort(), ports),
                get.getPath(),
                Duration.ofSeconds(or(probe.getPeriodSeconds(), PERIOD_SECONDS)),
                Duration.ofSeconds(or(probe.getTimeoutSeconds(), 1)),
                or(probe.getFailureThreshold(), FAILURES));
    }

    private static int or(@Nullable Integer value, int otherwise) {
        return value == null ? otherwise : value;
    }

    boolean succeeds(String address) {
        try (Connection connection = Connection.open(address, port, timeout)) {
            int status = connection
                    .exchange(Request.of("GET", path).with("Connection", "close"))
                    .status();
            return status >= 200 && status < 400;
        } catch (IOException failed) {
            return false;
        }
    }
}
