package cleave.frontend.protocol.service;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The properties of an account's Table service, or a change of them. Immutable. Logging and metrics are stored and returned, as clients
 * expect, and have no effect: operators decide what Cleave logs and measures.
 *
 * @param logging null: unchanged
 * @param hourMetrics null: unchanged
 * @param minuteMetrics null: unchanged
 * @param cors the CORS rules, in the order in which they are tried; null: unchanged
 */
public record ServiceProperties(
        @Nullable Logging logging,
        @Nullable Metrics hourMetrics,
        @Nullable Metrics minuteMetrics,
        @Nullable List<CorsRule> cors) {
    private static final Retention NO_RETENTION = new Retention(false, 0);
    private static final Metrics NO_METRICS = new Metrics(false, false, NO_RETENTION);

    /** The properties of an account that never set any. */
    public static final ServiceProperties DEFAULT =
            new ServiceProperties(new Logging(false, false, false, NO_RETENTION), NO_METRICS, NO_METRICS, List.of());

    public ServiceProperties {
        cors = cors == null ? null : List.copyOf(cors);
    }

    /** Which requests are to be logged. Immutable. */
    public record Logging(boolean reads, boolean writes, boolean deletes, Retention retention) {}

    /** @param includesApis has an effect only if enabled */
    public record Metrics(boolean enabled, boolean includesApis, Retention retention) {}

    /** @param days has an effect only if enabled */
    public record Retention(boolean enabled, int days) {}

    /** These properties after a change. */
    public ServiceProperties with(ServiceProperties change) {
        return new ServiceProperties(
                change.logging == null ? logging : change.logging,
                change.hourMetrics == null ? hourMetrics : change.hourMetrics,
                change.minuteMetrics == null ? minuteMetrics : change.minuteMetrics,
                change.cors == null ? cors : change.cors);
    }

    public List<CorsRule> rules() {
        return cors == null ? List.of() : cors;
    }
}
