package cleave.deploy.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.monitoring.KnownMetrics.Documented;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The names of Cleave's metrics keep the rules of {@code promtool check metrics}, and end in the unit that docs/metrics.md gives. */
class MetricNamesTest {
    private static final Set<String> OF_SAMPLES = Set.of("count", "sum", "bucket", "total");
    private static final Set<String> OF_TYPES = Set.of("counter", "gauge", "histogram", "summary");
    private static final Set<String> OTHER_UNITS = Set.of(
            "ms",
            "us",
            "ns",
            "millis",
            "milliseconds",
            "micros",
            "microseconds",
            "nanos",
            "nanoseconds",
            "minutes",
            "hours",
            "days",
            "kb",
            "mb",
            "gb",
            "kilobytes",
            "megabytes",
            "gigabytes",
            "kib",
            "mib",
            "gib",
            "percent");

    /** What is wrong with a name. */
    private static List<String> faults(Documented metric) {
        List<String> found = new ArrayList<>();
        List<String> words = List.of(metric.name().split("_"));
        String last = words.get(words.size() - 1);
        boolean isCounter = metric.type().equals("counter");
        if (isCounter != last.equals("total")) {
            found.add("counters, and they alone, end in _total");
        }
        if (!isCounter && OF_SAMPLES.contains(last)) {
            found.add("it ends as samples of other types do");
        }
        words.stream().filter(OF_TYPES::contains).forEach(type -> found.add("it names its type"));
        words.stream().filter(OTHER_UNITS::contains).forEach(unit -> found.add(unit + " is no base unit"));
        String unit = switch (metric.unit()) {
            case "Unix time" -> "_timestamp_seconds";
            case "seconds" -> "_seconds";
            case "bytes" -> "_bytes";
            default -> "";
        };
        if (!metric.name().endsWith(unit + (isCounter ? "_total" : ""))) {
            found.add("its unit is " + metric.unit());
        }
        return found;
    }

    @Test
    void allNamesKeepTheRules() throws IOException {
        List<Documented> own =
                KnownMetrics.documented().stream().filter(Documented::isOwn).toList();

        assertThat(own).isNotEmpty();
        assertThat(own).allSatisfy(metric -> assertThat(faults(metric)).isEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "cleave_x_count, gauge, files",
        "cleave_x_total, gauge, files",
        "cleave_x, counter, files",
        "cleave_x_expires_seconds, gauge, Unix time",
        "cleave_x_wait, histogram, seconds",
        "cleave_x_wait_ms, gauge, time",
        "cleave_x_gauge, gauge, files",
        "cleave_x_total, counter, bytes"
    })
    void aNameThatBreaksARuleIsFound(String name, String type, String unit) {
        assertThat(faults(new Documented(name, type, Set.of(), unit))).isNotEmpty();
    }
}
