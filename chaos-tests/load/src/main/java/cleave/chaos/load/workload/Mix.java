package cleave.chaos.load.workload;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/** The actions of a workload by their weights. Immutable. */
public record Mix(Map<Action, Double> weights) {
    public Mix {
        weights = Collections.unmodifiableMap(new EnumMap<>(weights));
        if (weights.values().stream().mapToDouble(Double::doubleValue).sum() <= 0) {
            throw new IllegalArgumentException("no action has a weight above 0");
        }
    }

    /** Each action with the probability of its share. */
    Action choose(Random random) {
        double at = random.nextDouble() * sum();
        Action last = Action.GET;
        for (Map.Entry<Action, Double> each : weights.entrySet()) {
            if (each.getValue() <= 0) {
                continue;
            }
            last = each.getKey();
            at -= each.getValue();
            if (at < 0) {
                break;
            }
        }
        return last; // What is lost by rounding goes to the last.
    }

    public boolean has(Action action) {
        return weights.getOrDefault(action, 0.0) > 0;
    }

    /** The share of an action in all operations, from 0 to 1. */
    public double share(Action action) {
        return weights.getOrDefault(action, 0.0) / sum();
    }

    private double sum() {
        return weights.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Such as {@code 95% get, 5% merge}. */
    @Override
    public String toString() {
        return weights.entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .map(each -> Math.round(each.getValue() / sum() * 100) + "% "
                        + each.getKey().id())
                .collect(Collectors.joining(", "));
    }
}
