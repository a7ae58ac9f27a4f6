package cleave.chaos.lab;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lab at length: on a cluster of its own with three masters and three servers at full speed, with the default thresholds of the balancer.
 * Immutable.
 *
 * @param entities a second that clients request; null: as many as the lab is about
 * @param warmSeconds how long a tenth of the load warms the processes up
 * @param seconds how long the load lasts; null: as long as the lab needs
 * @param settleSeconds how long handoffs may begin in a lab about steady loads
 * @param loads in a lab about steady loads one for each table, as parts of the threshold of splits
 * @param rangeBytes approximate size of each table before
 * @param seed of all random choices
 * @param settings of the balancer that differ from the defaults
 */
public record FullForm(
        @Nullable Integer entities,
        double warmSeconds,
        @Nullable Integer seconds,
        double settleSeconds,
        List<Double> loads,
        long rangeBytes,
        long seed,
        Map<String, String> settings) {
    public FullForm {
        loads = List.copyOf(loads);
        settings = Map.copyOf(settings);
    }

    public double entities(int byDefault) {
        return entities == null ? byDefault : entities;
    }

    public double seconds(int byDefault) {
        return seconds == null ? byDefault : seconds;
    }
}
