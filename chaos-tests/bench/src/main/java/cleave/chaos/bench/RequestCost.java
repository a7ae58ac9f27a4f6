package cleave.chaos.bench;

import cleave.chaos.process.Consumption;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The cost of a request for the processes that carry it. Unlike rates and latencies it hardly depends on what else runs on the machine.
 * Immutable.
 *
 * @param roles shares of the processes on its way
 * @param load that of the process that sends the requests
 * @param rate requests a second
 */
record RequestCost(Map<String, Share> roles, Share load, double rate) {
    static final double KIB = 1024;

    private static final double MICROS = 1e6;

    RequestCost {
        roles = Collections.unmodifiableMap(new LinkedHashMap<>(roles));
    }

    /**
     * A request's share of the processes' consumption. Immutable.
     *
     * @param micros processor time in microseconds
     * @param systemMicros of that in the kernel
     * @param allocated bytes on heaps; NaN: not known
     */
    record Share(double micros, double systemMicros, double contextSwitches, double allocated) {
        private static Share of(Consumption consumed, long requests) {
            double each = 1.0 / Math.max(1, requests);
            return new Share(
                    consumed.processor() * MICROS * each,
                    consumed.system() * MICROS * each,
                    consumed.contextSwitches() * each,
                    consumed.allocated() * each);
        }

        private Share plus(Share other) {
            return new Share(
                    micros + other.micros,
                    systemMicros + other.systemMicros,
                    contextSwitches + other.contextSwitches,
                    allocated + other.allocated);
        }
    }

    /**
     * The consumption while requests were carried. Immutable.
     *
     * @param consumed by each role
     * @param load by the provenance
     * @param requests that succeeded
     */
    record Sample(Map<String, Consumption> consumed, Consumption load, double seconds, long requests) {
        Sample {
            consumed = Collections.unmodifiableMap(new LinkedHashMap<>(consumed));
        }
    }

    /** @param idle the consumption of each role in a second without requests */
    static RequestCost of(Sample sample, Map<String, Consumption> idle) {
        Map<String, Share> shares = new LinkedHashMap<>();
        sample.consumed().forEach((role, its) -> {
            Consumption unasked = idle.getOrDefault(role, Consumption.NONE).during(sample.seconds(), 1);
            shares.put(role, Share.of(its.minus(unasked), sample.requests()));
        });
        return new RequestCost(
                shares, Share.of(sample.load(), sample.requests()), sample.requests() / sample.seconds());
    }

    /** The median of several measurements of the roles' consumption, by all processor time. */
    static Map<String, Consumption> middle(List<Map<String, Consumption>> all) {
        List<Map<String, Consumption>> sorted = all.stream()
                .sorted(Comparator.comparingDouble(
                        roles -> Consumption.sum(roles.values()).processor()))
                .toList();
        return sorted.get(sorted.size() / 2);
    }

    /** The cost of all roles, without the load. */
    Share total() {
        return roles.values().stream().reduce(new Share(0, 0, 0, 0), Share::plus);
    }

    /** The median of several measurements, by the total. */
    static RequestCost median(List<RequestCost> all) {
        List<RequestCost> sorted = all.stream()
                .sorted(Comparator.comparingDouble(cost -> cost.total().micros()))
                .toList();
        return sorted.get(sorted.size() / 2);
    }

    /**
     * The microseconds of each role, such as {@code front end 125, servers 131}. The figure of an idle role may be below zero by chance,
     * and is shown as 0.
     */
    String microsByRole() {
        return byRole("%.0f", Share::micros);
    }

    /** The allocations in KiB, without the roles that do not report them. */
    String allocatedByRole() {
        return byRole("%.1f", share -> share.allocated() / KIB);
    }

    private String byRole(String format, ToDoubleFunction<Share> figure) {
        return roles.entrySet().stream()
                .filter(role -> !Double.isNaN(figure.applyAsDouble(role.getValue())))
                .map(role -> role.getKey() + " "
                        + String.format(Locale.ROOT, format, Math.max(0, figure.applyAsDouble(role.getValue()))))
                .collect(Collectors.joining(", "));
    }
}
