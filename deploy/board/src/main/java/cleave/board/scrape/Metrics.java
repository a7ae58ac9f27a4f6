package cleave.board.scrape;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The samples of one scrape. Immutable.
 *
 * @param samples by name with labels, as Prometheus' text form writes them
 */
public record Metrics(Map<String, Double> samples) {
    private static final Pattern BOUND = Pattern.compile("[{,]le=\"([^\"]*)\"");

    public Metrics {
        samples = Map.copyOf(samples);
    }

    /** Reads the text form. A line that is none is left out. */
    public static Metrics parse(String text) {
        return parse(text, name -> true);
    }

    /** The same of samples with these names alone: a process may have thousands of others. */
    public static Metrics parse(String text, Set<String> names) {
        return parse(text, names::contains);
    }

    private static Metrics parse(String text, Predicate<String> isWanted) {
        Map<String, Double> samples = new LinkedHashMap<>();
        text.lines().filter(line -> isWanted.test(name(line))).forEach(line -> {
            int space = line.lastIndexOf(' ');
            double value = line.startsWith("#") || space <= 0 ? Double.NaN : number(line.substring(space + 1));
            if (!Double.isNaN(value)) {
                samples.put(line.substring(0, space), value);
            }
        });
        return new Metrics(samples);
    }

    /** The name at the begin of a line: up to its labels or its value. */
    private static String name(String line) {
        int end = 0;
        while (end < line.length() && line.charAt(end) != '{' && line.charAt(end) != ' ') {
            end++;
        }
        return line.substring(0, end);
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> parsed(text);
        };
    }

    /** NaN if it is no number. */
    private static double parsed(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException none) {
            return Double.NaN;
        }
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

    /** Of a histogram with this name: how many observations were at most each bound, over all samples that hold these label texts. */
    public NavigableMap<Double, Double> buckets(String name, String... labels) {
        NavigableMap<Double, Double> buckets = new TreeMap<>();
        for (Map.Entry<String, Double> sample : samples.entrySet()) {
            Matcher bound = BOUND.matcher(sample.getKey());
            if (isOf(sample.getKey(), name + "_bucket") && holdsAll(sample.getKey(), labels) && bound.find()) {
                buckets.merge(number(bound.group(1)), sample.getValue(), Double::sum);
            }
        }
        return buckets;
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
