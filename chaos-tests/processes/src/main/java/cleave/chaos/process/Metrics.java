package cleave.chaos.process;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The samples of one scrape. Immutable.
 *
 * @param samples by name with labels, as Prometheus' text form writes them
 */
public record Metrics(Map<String, Double> samples) {
    public Metrics {
        samples = Map.copyOf(samples);
    }

    static Metrics parse(String text) {
        Map<String, Double> samples = new LinkedHashMap<>();
        for (String line : text.split("\n")) {
            int space = line.lastIndexOf(' ');
            if (!line.startsWith("#") && space > 0) {
                samples.put(line.substring(0, space), number(line.substring(space + 1)));
            }
        }
        return new Metrics(samples);
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    /** The sum of all samples of this name that hold each of these label texts, such as {@code op="write"}. */
    public double sum(String name, String... labels) {
        double sum = 0;
        for (Map.Entry<String, Double> sample : samples.entrySet()) {
            if (isOf(sample.getKey(), name) && holdsAll(sample.getKey(), labels)) {
                sum += sample.getValue();
            }
        }
        return sum;
    }

    public boolean has(String name) {
        return samples.keySet().stream().anyMatch(sample -> isOf(sample, name));
    }

    private static boolean isOf(String sample, String name) {
        return sample.startsWith(name) && (sample.length() == name.length() || sample.charAt(name.length()) == '{');
    }

    private static boolean holdsAll(String sample, String... labels) {
        for (String label : labels) {
            if (!sample.contains(label)) {
                return false;
            }
        }
        return true;
    }
}
