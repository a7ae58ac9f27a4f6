package cleave.frontend.protocol.service;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The properties of an account's Table service, or a change of them. Immutable. Logging and metrics are kept and given back, as
 * clients expect, and mean nothing else: what Cleave logs and measures is its operator's to say.
 *
 * @param logging null: stays as it is
 * @param hourMetrics null: stays as it is
 * @param minuteMetrics null: stays as it is
 * @param cors the rules for other origins, in the order in which they are tried; null: stay as they are
 */
public record ServiceProperties(
        @Nullable Logging logging,
        @Nullable Metrics hourMetrics,
        @Nullable Metrics minuteMetrics,
        @Nullable List<CorsRule> cors) {
    private static final Retention FOR_EVER = new Retention(false, 0);
    private static final Metrics NO_METRICS = new Metrics(false, false, FOR_EVER);

    /** Those of an account that never set any. */
    public static final ServiceProperties DEFAULT =
            new ServiceProperties(new Logging(false, false, false, FOR_EVER), NO_METRICS, NO_METRICS, List.of());

    public ServiceProperties {
        cors = cors == null ? null : List.copyOf(cors);
    }

    /** Which requests are to be logged. Immutable. */
    public record Logging(boolean reads, boolean writes, boolean deletes, Retention retention) {}

    /** @param includesApis of use only if enabled */
    public record Metrics(boolean enabled, boolean includesApis, Retention retention) {}

    /** @param days of use only if enabled */
    public record Retention(boolean enabled, int days) {}

    /** These, with what a change says. */
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
